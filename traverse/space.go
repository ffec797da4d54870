// This file holds the memory that a traversal works in, which it leaves to the next one.

package traverse

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/step"
)

// space is a stream, the operators that are bound to it, and frontiers.
type space struct {
	p     *graph.Placed
	own   placed.Store // that it goes back to
	lease run.Lease
	env   step.Env
	spare *frontier.Frontier
	free  []*frontier.Frontier // unused
	on    engine
}

type spaceKey struct{ placed.Of[*space] }

// takeSpace returns a space that was kept with the placed graph, or a new one.
func takeSpace(ctx context.Context, p *graph.Placed, own placed.Store, o Options) (*space, error) {
	if err := run.CheckShards(p, o.shards); err != nil {
		return nil, fmt.Errorf("traverse: %w", err)
	}
	m := o.Memory
	s, kept := placed.Take(own, spaceKey{})
	if !kept {
		s = &space{p: p, spare: frontier.New(p)}
		s.env.Placed = p
		var err error
		if s.on, err = newEngine(s); err != nil {
			return nil, fmt.Errorf("traverse: %w", err)
		}
		if len(m.Arrays) > 0 {
			err := s.lease.CheckMemory(m.bytes(s.on, p), "it takes up to %s of %s, of which %s are free; free other graphs, or traverse on the host")
			if err != nil {
				return nil, fmt.Errorf("traverse: %w", err)
			}
		}
	}
	s.own = own
	if err := s.begin(ctx); err != nil {
		if s.env.Stream == nil { // it has none yet
			return nil, err
		}
		return nil, errors.Join(err, s.leave())
	}
	return s, nil
}

// begin readies a space for a traversal.
func (s *space) begin(ctx context.Context) error {
	stream, err := s.lease.Begin(ctx)
	if err != nil {
		return fmt.Errorf("traverse: %w", err)
	}
	s.env.Stream = stream
	s.env.Rebind(stream)
	if err := s.on.begin(); err != nil {
		return fmt.Errorf("traverse: %w", err)
	}
	return nil
}

// frontier returns an unused frontier, on a GPU one with the memory of a queue if there is one. A
// frontier of all vertices needs no memory, but steps exchange it for the spare one, which does.
func (s *space) frontier(p *graph.Placed) *frontier.Frontier {
	n := len(s.free)
	if n == 0 {
		return frontier.New(p)
	}
	best := n - 1
	for i, f := range s.free {
		if s.on.roomy(f) {
			best = i
		}
	}
	f := s.free[best]
	s.free = slices.Delete(s.free, best, best+1)
	return f
}

// keep takes a frontier back. Those with memory are kept first.
func (s *space) keep(f *frontier.Frontier) {
	if f == nil || f.Check(f.Placed()) != nil { // freed by its user
		return
	}
	if len(s.free) >= mostFrontiers {
		if i := slices.IndexFunc(s.free, func(x *frontier.Frontier) bool { return !s.on.roomy(x) }); i >= 0 && s.on.roomy(f) {
			f, s.free[i] = s.free[i], f
		}
		f.Close() // fails only where the device does, which others report
		return
	}
	s.free = append(s.free, f)
}

// leave ends the use of the space and leaves it to the next traversal, unless the device failed.
func (s *space) leave() error {
	failed := s.lease.Failed()
	s.lease.End()
	if failed || s.lease.Failed() {
		return s.Close()
	}
	s.widen()
	if placed.Keep(s.own, spaceKey{}, s) {
		return nil
	}
	return s.Close()
}

// widen gives the spare frontier the memory of an unused one.
func (s *space) widen() {
	if s.on.roomy(s.spare) || s.spare.Check(s.spare.Placed()) != nil {
		return
	}
	for i, f := range s.free {
		if s.on.roomy(f) {
			s.spare, s.free[i] = f, s.spare
			return
		}
	}
}

// rest ends a run of a Searcher, which has another one soon.
func (s *space) rest() {
	s.lease.Rest()
	s.widen()
}

// Close gives all of it back. The placed graph frees those that it keeps.
func (s *space) Close() error {
	errs := []error{s.spare.Close(), s.env.Close()}
	for _, f := range s.free {
		errs = append(errs, f.Close())
	}
	s.free = nil
	return errors.Join(append(errs, s.on.close(), s.lease.Close())...)
}
