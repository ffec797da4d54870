// This file holds the memory that a traversal works in, which it leaves to the next one.

package traverse

import (
	"context"
	"errors"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/step"
)

// space is a stream, the operators that are bound to it, and frontiers.
type space struct {
	p     *graph.Placed
	own   store // that it goes back to
	env   step.Env
	spare *frontier.Frontier
	free  []*frontier.Frontier // nobody's
	on    engine
}

type spaceKey struct{}

// takeSpace returns a space that was kept with the placed graph, or a new one.
func takeSpace(ctx context.Context, p *graph.Placed, own store, m Memory) (*space, error) {
	s, kept := own.TakeScratch(spaceKey{}).(*space)
	if !kept {
		s = &space{p: p, spare: frontier.New(p)}
		s.env.Placed = p
		var err error
		if s.on, err = newEngine(s); err != nil {
			return nil, err
		}
		if err := s.on.refuse(m); err != nil {
			return nil, err
		}
	}
	s.own = own
	if err := s.on.start(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// frontier returns one that is nobody's.
func (s *space) frontier(p *graph.Placed) *frontier.Frontier {
	if n := len(s.free); n > 0 {
		f := s.free[n-1]
		s.free = s.free[:n-1]
		return f
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
	s.on.leave()
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
	return errors.Join(append(errs, s.on.free())...)
}
