// This file holds the memory that a traversal works in, which it leaves to the next one.

package traverse

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/run"
	"github.com/foray-graph/foray/internal/step"
)

// space is a stream, the operators that are bound to it, and frontiers.
type space struct {
	p     *graph.Placed
	own   run.Store // that it goes back to
	lease run.Lease
	env   step.Env
	spare *frontier.Frontier
	free  []*frontier.Frontier // nobody's
	on    engine
}

type spaceKey struct{}

// takeSpace returns a space that was kept with the placed graph, or a new one.
func takeSpace(ctx context.Context, p *graph.Placed, own run.Store, m Memory) (*space, error) {
	s, kept := own.TakeScratch(spaceKey{}).(*space)
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
	stream, err := s.lease.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("traverse: %w", err)
	}
	s.env.Stream = stream
	s.env.Rebind(stream)
	return s, nil
}

// frontier returns one that is nobody's.
// queue says that it will be a queue: one that has been one on a GPU has the memory for it, which
// others leave alone.
func (s *space) frontier(p *graph.Placed, queue bool) *frontier.Frontier {
	for i := len(s.free) - 1; i >= 0; i-- {
		if f := s.free[i]; i == 0 || p.Remote() == nil || f.Remote().HasRoom() == queue {
			s.free = slices.Delete(s.free, i, i+1)
			return f
		}
	}
	return frontier.New(p)
}

// keep takes a frontier back.
func (s *space) keep(f *frontier.Frontier) {
	if f == nil || f.Err() != nil { // whoever had it has freed it
		return
	}
	if len(s.free) >= mostFrontiers {
		f.Free() // fails only where the device does, which others report
		return
	}
	s.free = append(s.free, f)
}

// leave ends the use of the space and leaves it to the next traversal.
func (s *space) leave() error {
	s.lease.End()
	if s.own.KeepScratch(spaceKey{}, s) {
		return nil
	}
	return s.Free()
}

// Free gives all of it back. The placed graph frees those that it keeps.
func (s *space) Free() error {
	errs := []error{s.spare.Free(), s.env.Free()}
	for _, f := range s.free {
		errs = append(errs, f.Free())
	}
	s.free = nil
	return errors.Join(append(errs, s.on.free(), s.lease.Free())...)
}
