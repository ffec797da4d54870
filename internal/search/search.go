// This file holds Run, and the loop of a search that only pushes.

package search

import (
	"context"
	"fmt"
	"time"

	"github.com/foray-graph/foray/graph"
)

// Run searches from one source, a vertex of the graph (see Graph.Vertex for
// external ids). Any number of searches may run at once. The result is the
// caller's; Result.Free makes the next search cheaper.
//
// The error is graph.ErrNoVertex for a source or target that the graph doesn't
// have, graph.ErrOptions for options out of their range, device.ErrClosed for a
// placed graph that was freed or whose device was closed, device.ErrMemory where a
// GPU has too little memory for the search, graph.ErrNoGraph for nil, or the
// context's, which is looked at within every level. On a GPU a result keeps memory
// until Result.Free, and the device can't be closed before. A search that is sure to
// take more than is free there is refused before anything is allocated.
func Run(ctx context.Context, p *graph.Placed, source uint32, o Options) (*Result, error) {
	return RunMany(ctx, p, []uint32{source}, o)
}

// RunMany searches from several sources at once: the depth of a vertex is its
// distance from the nearest one. A source that is given twice counts once; none
// is graph.ErrNoVertex. All else is as with Run.
func RunMany(ctx context.Context, p *graph.Placed, sources []uint32, o Options) (*Result, error) {
	start := time.Now()
	o, err := o.settle(p)
	if err != nil {
		return nil, err
	}
	return newMethod(o).once(ctx, p, Query{Sources: sources}, start)
}

// algorithm is what results of this package say they come from.
const algorithm = "bfs"

// settle checks the options for searches of a placed graph, and replaces what
// they leave to the search.
func (o Options) settle(p *graph.Placed) (Options, error) {
	if err := o.check(); err != nil {
		return o, err
	}
	release, err := p.Hold()
	if err != nil {
		return o, fmt.Errorf("bfs: %w", err)
	}
	defer release()
	if err := o.checkOn(p.Device()); err != nil {
		return o, err
	}
	if o.Tuning.Coupling == QuadraticPull && p.Graph().In() == nil {
		return o, fmt.Errorf("bfs: coupling %s: %w: build the graph with its reverse", o.Tuning.Coupling, graph.ErrNoReverse)
	}
	o.tuned = o.tuning()
	o.fallsBack = o.fallsBack || o.Tuning.Coupling == AutoCoupling
	if o.fuses(p) {
		o.Tuning.Coupling = Fused
	}
	return o, nil
}

// space returns what space a search with these options, settled, takes.
func (o Options) space() SpaceOptions {
	return SpaceOptions{Depths: !o.NoDepths, Parents: o.Parents, DeviceTime: o.DeviceTime, ByID: o.ByID, Stats: o.Stats,
		Fused: o.Tuning.Coupling == Fused, FallsBack: o.fallsBack}
}

// search is the loop that the options ask for.
func search(s *Space, l *Loop) error {
	switch strategy := l.o.Tuning.Strategy; {
	case s.gpu != nil:
		return loopGPU(s, l, l.o)
	case strategy == ReadBased || strategy == Hybrid:
		return readLoop(s, l, strategy == Hybrid)
	}
	return queueLoop(s, l)
}

// queueLoop is the textbook's loop.
func queueLoop(s *Space, l *Loop) error {
	for l.Next(s.Cur.Len()) {
		edges, err := s.Push(l.Level)
		if err != nil {
			return err
		}
		l.Done(Push, "queue", edges)
		if s.gpu != nil {
			if err := l.culled(s, s.Next.Remote()); err != nil {
				return err
			}
			if err := s.dedupe(s.Next); err != nil {
				return err
			}
		}
		s.Cur, s.Next = s.Next, s.Cur
	}
	return s.Err()
}
