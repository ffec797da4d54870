//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the taking of a GPU's memory for a part, and what making one takes.

package engine

import (
	"context"
	"errors"
	"math"

	"github.com/foray-graph/foray/device"
)

// takeRoom allocates the memory on all ranks. If it returns a NoRoom, it has allocated none, and OnGPU is closed.
func (g *OnGPU) takeRoom(ctx context.Context, parents bool) error {
	if err := g.reserve(true); err != nil {
		return err
	}
	needs, free := g.lacking, freeOn(g.dev) // 0: unknown
	if parents {
		needs += g.parentBytes()
	}
	own := &NoRoom{Needs: needs, Free: free}
	if free == 0 || needs <= free {
		err := g.reserve(false)
		if err == nil && parents {
			err = g.reserveParents()
		}
		switch {
		case err == nil:
			own = nil
		case !errors.Is(err, device.ErrMemory): // another program may have taken it meanwhile, or it is fragmented
			return err
		}
	}
	lacks, err := agree(ctx, g.p.comm, own)
	if err == nil && lacks != nil {
		return lacks
	}
	return err
}

// reserve allocates all memory except for parents, or computes its size.
func (g *OnGPU) reserve(reckon bool) (err error) {
	p, size := g.p, uint64(g.p.comm.Size())
	n, d := uint64(len(g.order)), uint64(len(p.delegate))
	a := &g.a
	g.bytes, g.lacking = 0, 0
	take := func(bytes uint64) uintptr {
		bytes = max(bytes, 16)
		g.bytes += bytes
		g.lacking += bytes
		if reckon || err != nil {
			return 0
		}
		var m device.Memory
		if m, err = g.dev.Alloc(bytes); err != nil {
			return 0
		}
		g.memory = append(g.memory, m)
		return m.Pointer()
	}
	words := func(n uint64) uint64 { return (n + strideUnit - 1) / strideUnit * (strideUnit / 32) } // whole steps of 16 bytes
	a.vertices, a.words = [2]uint32{uint32(n), uint32(d)}, [2]uint32{uint32(words(n)), uint32(words(d))}
	a.stride, a.rank, a.ranks = g.stride, uint32(p.rank), uint32(size)
	a.bin = g.stride / 32
	a.room = [2]uint32{briefDelegates, briefNormals}
	for i := range g.pull {
		of := [2]uint64{n, d}[kindOf[i]]
		off, to := 4*(of+1), 4*(g.edges(i)+rowsPad)
		if g.made.stays(i) {
			g.bytes += off + to
			a.off[i], a.to[i] = address(g.made.off[i]), address(g.made.to[i])
		} else {
			a.off[i], a.to[i] = uint64(take(off)), uint64(take(to))
		}
		x := &g.pull[i]
		x.first, x.none = uint64(take(4*32*words(of))), uint64(take(4*words(of)))
	}
	a.rows = [2]uint64{uint64(take(4 * (n + 1))), uint64(take(4 * (d + 1)))}
	a.degrees = uint64(take(4 * d))
	// Arrays that must be zero when a search begins are contiguous, and behind the bitmaps of levels, of which the first one
	// is zero, too.
	both := 4 * (words(n) + words(d))
	g.each = both
	g.pitch = slotWords + int(size)
	g.pitch += g.pitch & 1
	g.message = g.pitch + int(a.room[0]+a.room[1]+3)/4*2
	head, list := wordBytes*uint64(g.message), uint64(wordBytes*slotWords)
	g.zeroBytes = 2 * (both + head + list)
	// Ranks gather equally many words of a bitmap each. A rank of few vertices also sends words behind its own.
	before := uint64(planes-1) * both
	g.zeros = take(before+max(g.zeroBytes, 4*words(d)+uint64(g.stride)/8)) + uintptr(before)
	a.seen = uint64(g.zeros) + both
	for i := range g.headers {
		g.headers[i] = g.zeros + uintptr(2*both+uint64(i)*head)
		g.lists[i] = g.zeros + uintptr(2*(both+head)+uint64(i)*list)
	}
	g.ticket = take(12) // and exchanges' words
	a.depths = [2]uint64{uint64(take(4 * n)), uint64(take(4 * d))}
	a.items = [2]uint64{uint64(take(4 * n)), uint64(take(4 * d))}
	a.prefix = [2]uint64{uint64(take(4 * n)), uint64(take(4 * d))}
	a.bins = uint64(take(4 * uint64(a.bin) * size))
	g.gathered.lists = take(4 * uint64(a.bin) * size)
	g.takeInbox(head*size, 4*words(d)*size, uint64(g.stride)/8*size, take)
	if r := g.made; r != nil && !r.placed {
		bytes := g.bytes
		g.own, g.others = take(4*uint64(p.local)), take(4*uint64(r.span))
		g.bytes = bytes // they are given back
	}
	if reckon {
		return nil
	}
	if err == nil {
		g.pinned, err = g.dev.Context().AllocHost(wordBytes * (uint64(g.pitch)*size + 3)) // headers, the stamp, two times
	}
	if err == nil {
		clear(g.pinned.Bytes()) // reused memory may have the same stamps
	}
	return err
}

// reserveParents takes the memory for parents, before the first search that wants them.
func (g *OnGPU) reserveParents() error {
	if g.parents {
		return nil
	}
	for i, n := range g.a.vertices {
		m, err := g.dev.Alloc(max(8*uint64(n), 16))
		if err != nil {
			return err
		}
		g.memory = append(g.memory, m)
		g.bytes += 8 * uint64(n)
		g.a.parents[i] = uint64(m.Pointer())
	}
	g.parents = true
	return nil
}

// parentBytes is what reserveParents takes.
func (g *OnGPU) parentBytes() (n uint64) {
	for _, v := range g.a.vertices {
		n += max(8*uint64(v), 16)
	}
	return n
}

// needs returns how much memory rows of so many pairs need on the GPU, in addition to the memory that is in use then.
// First come the pairs of all subgraphs. The pairs of the current subgraph are separated, put into rows with gaps, and
// moved to their final place; the pairs of later subgraphs wait meanwhile.
func (g *gpuMaker) needs(counts [subgraphs]uint64) (need uint64, err error) {
	waiting, stays := uint64(0), uint64(0)
	for _, n := range counts {
		waiting += pairBytes * n
	}
	need = waiting
	for _, i := range []int{subDD, subND, subDN, subNN} { // as they are made
		if i == subDN && !g.directed { // what nd has reversed
			counts[i] = counts[subND]
			waiting += pairBytes * counts[i]
		}
		pairs, entries, rows := pairBytes*counts[i], counts[i], uint64(g.local)
		if i == subDD && !g.directed {
			entries *= 2
		}
		if entries > math.MaxUint32 {
			return 0, errRows(names[i], entries)
		}
		if kindOf[i] == 1 {
			rows = uint64(len(g.delegate))
		}
		waiting -= pairs
		work := pairs + pairBytes*entries
		if i == subND && !g.directed {
			work = max(work, (2*nearBytes+pairBytes)*entries)
		}
		need = max(need, waiting+stays+work+madeRowBytes*rows)
		stays += nearBytes * (entries + rows + 1 + rowsPad)
	}
	return need + madeFixed, nil
}
