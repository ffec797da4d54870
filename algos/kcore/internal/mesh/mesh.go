// Package mesh finds core numbers of graphs of short rows on a GPU, without rounds. Each block has a range of vertices,
// whose degrees are in its shared memory, and peels them as soon as their degrees allow. Only stages wait for one another.
package mesh

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
)

// Empty is what the entries of Peel.Inbox have before a run.
const Empty = ^uint32(0)

// InboxLen returns how many entries Peel.Inbox has for a graph.
func InboxLen(p *graph.Placed) int { return int(p.Graph().NumDirectedEdges()) + beyond }

// StateLen returns how many entries Peel.State has on the graph's device.
func StateLen(p *graph.Placed) int { return p.Device().Info().Units*apart + 2*stages + 1 }

// Fits reports whether the ranges of a graph with so many vertices fit into the shared memory of a device's blocks, as far as
// the vertices' numbers go.
func Fits(p *graph.Placed) bool {
	units := p.Device().Info().Units
	return units > 0 && p.NumVertices() <= units*mostOwn
}

// Peel is a step that finds core numbers of an undirected simple graph whose rows have at most 255 edges. The frontier stays
// as it is. All blocks of its kernel have to run at once.
type Peel struct {
	Core  *device.Buffer[uint32] // of every vertex, written
	Inbox *device.Buffer[uint32] // InboxLen entries, which are Empty
	State *device.Buffer[uint32] // StateLen entries, which are 0

	Degeneracy uint32 // the largest core number, once the step has run
	TooLarge   bool   // the step did nothing: a block has too little shared memory

	args gpu.Args
	own  peelArgs
}

// peelArgs are the arguments of the kernel (PeelArgs of peel.cuh).
type peelArgs struct {
	engine                                   gpu.PersistentArgs
	g                                        step.CsrArgs
	core, inbox, tails, work, least, stopped uint64
	own, _                                   uint32
}

// life is the life cycle of the kernels of an environment.
type life struct{ gpu.Persistent }

// Name is what statistics call it.
func (*Peel) Name() string { return "peel" }

// Compile refuses: no program has it.
func (*Peel) Compile(*step.Program) error {
	return fmt.Errorf("%w: peeling without rounds", step.ErrNotCompiled)
}

// Host refuses: a host peels by steps of package kcore.
func (*Peel) Host(*step.Env) error {
	return fmt.Errorf("kcore: %w: peeling by a GPU's kernel on the host", device.ErrNotSupported)
}

func (s *Peel) check(p *graph.Placed) error {
	if s.Core.Len() < p.NumVertices() || s.Inbox.Len() < InboxLen(p) || s.State.Len() < StateLen(p) {
		return fmt.Errorf("kcore: %w: arrays of %d, %d and %d entries; want %d, %d and %d", graph.ErrOptions,
			s.Core.Len(), s.Inbox.Len(), s.State.Len(), p.NumVertices(), InboxLen(p), StateLen(p))
	}
	return nil
}

// GPU runs the kernel.
func (s *Peel) GPU(x *step.Env) error {
	gs, err := gpu.StreamOf(x.Stream)
	if err = errors.Join(err, s.check(x.Placed)); err != nil {
		return err
	}
	n, units := x.Placed.NumVertices(), x.Placed.Device().Info().Units
	share := min(max((n+units-1)/units, leastOwn)+3, mostOwn) / 4 * 4
	bytes := share * (degreeBytes + listBytes)
	k, got, err := gs.SharedKernel(image, "peel_mesh_"+x.Placed.Remote().Width()[1:], threads, bytes)
	if err != nil {
		return fmt.Errorf("kcore: %w", err)
	}
	if s.TooLarge = got < bytes || share*units < n; s.TooLarge {
		return nil
	}
	dev := gs.Device().(*gpu.Device)
	l, err := step.Tool(x, "peel", func() (*life, error) {
		l := new(life)
		return l, l.Ready(dev, true, 0)
	})
	if err != nil {
		return fmt.Errorf("kcore: %w", err)
	}
	at := uint64(s.State.Pointer())
	s.own = peelArgs{g: step.Out(x.Placed), core: uint64(s.Core.Pointer()), inbox: uint64(s.Inbox.Pointer()), tails: at, own: uint32(share)}
	s.own.work = at + 4*apart*uint64(units)
	s.own.least = s.own.work + 4*stages
	s.own.stopped = s.own.least + 4*stages
	if err := errors.Join(gs.Fill(uintptr(s.own.work), uint32(units), stages), gs.Fill(uintptr(s.own.least), Empty, stages)); err != nil {
		return fmt.Errorf("kcore: %w", err)
	}
	l.Begin(gs, &s.own.engine)
	mail, err := l.Run(func() error {
		s.args.Reset()
		gpu.Struct(&s.args, &s.own)
		return gs.LaunchStaying(k, 1, &s.args)
	}, nil, (*gpu.Ticket).Wait)
	if err == nil && mail.Counts[1] == gpu.EndedLate {
		err = fmt.Errorf("%w: the blocks of the kernel didn't all run at once; Options.Engine LevelByLevel needs no such kernel", device.ErrNotSupported)
	}
	if err != nil {
		if again := errors.Join(l.Abandon(), gs.Wait()); again != nil && again.Error() != err.Error() {
			err = errors.Join(err, again)
		}
		return fmt.Errorf("kcore: %w", err)
	}
	s.Degeneracy = uint32(mail.Counts[2])
	x.Went(1, n, x.Placed.Graph().NumDirectedEdges())
	return gs.Err()
}
