//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the arguments of the kernels, as search.cuh, search.cu and operators/advance have them.

package engine

import "github.com/foray-graph/foray/internal/gpu"

type args struct {
	off, to                        [subgraphs]uint64
	rows                           [2]uint64
	degrees, base, after, seen     uint64
	known                          uint64
	depths, parents, items, prefix [2]uint64
	front, frontDelegates          uint64
	next, nextDelegates            uint64
	bins, brief                    uint64
	vertices, words                [2]uint32
	stride, rank, ranks, bin       uint32
	room                           [2]uint32
	push, list, tells, _           uint32
}

type headsArgs struct {
	off, to, first, none uint64
	n, words             uint32
}

type csrArgs struct {
	offsets, targets uint64
	n, _             uint32
}

type pullArgs struct {
	in                                        csrArgs
	degrees, frontier, seen, none, first, out uint64
	words, shift, ones, cumulative            uint32
}

type sinkArgs struct {
	parents, mark uint64
	own, count    uint32
}

type pullsArgs struct {
	of       [subgraphs]pullArgs
	sinks    [subgraphs]sinkArgs
	slot     uint64
	count, _ uint32
}

type takeArgs struct {
	headers, briefs, lists, bitmaps, united uint64
	pitch, take, early, _                   uint32
	late                                    uint64
	tell                                    tellArgs
}

type sendArgs struct {
	at                         [gpu.MostPeers]uint64
	headers, united, known     uint64
	number, ticket, late, halt uint64
	what, words, pitch, _      uint32
	patience                   uint64
	tell                       tellArgs
}

type tellArgs struct {
	from, to, stamp, value uint64
	ranks, words, pitch, _ uint32
}

type labelArgs struct {
	first, each    uint64
	count, labeled uint32
	depth          int32
	all            uint32
}

type startArgs struct {
	normals, delegates   uint64
	count                [2]uint32
	alone, _             uint32
	zeros, zeroCount     uint64
	known, knownCount    uint64
	parents, parentCount uint64
	ticket               uint64
}

// Words of a header: a slot's counters, then how many normal vertices each rank is sent.
const (
	headTail = iota
	headVisited
	headFoundNormals
	headFoundDelegates
	headFoundDegrees
	headFrontNormals
	headFrontDelegates
	headMissing
	headNews
	slotWords  = 16
	queueShift = 32
	wordBytes  = 8
)

// What an exchange through all ranks' memory sends.
const (
	sendDelegates = 1 << iota
	sendNormals
	sendHeaders
)

// What a level's message lists.
const (
	tellNews = 1 << iota
	tellDelegates
)

// What messages may have.
const (
	takeDelegates = 1 << iota
	takeNormals
	takeNews
	takeKnown // what messages have of normal vertices is marked as known
)

// run launches a kernel with one structure of arguments.
func run[T any](g *OnGPU, name string, blocks int, a *T) error {
	k, err := g.kernel(name)
	if err != nil {
		return err
	}
	g.launch.Reset()
	gpu.Struct(&g.launch, a)
	return g.start(name, k, blocks)
}

// run2 launches a kernel with two.
func run2[T, U any](g *OnGPU, name string, blocks int, a *T, b *U) error {
	k, err := g.kernel(name)
	if err != nil {
		return err
	}
	g.launch.Reset()
	gpu.Struct(&g.launch, a)
	gpu.Struct(&g.launch, b)
	return g.start(name, k, blocks)
}

// start launches a kernel with the arguments that are ready, and times it if requested.
func (g *OnGPU) start(name string, k *gpu.Kernel, blocks int) error {
	if !g.clock.on {
		return g.s.Launch(k, min(blocks, k.Resident()), &g.launch)
	}
	return g.clock.time(g.s, name, func() error { return g.s.Launch(k, min(blocks, k.Resident()), &g.launch) })
}
