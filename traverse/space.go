// This file holds the memory that a traversal works in, which it leaves to the next one.

package traverse

import (
	"context"
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/step"
)

// space is a stream, the operators that are bound to it, and frontiers.
type space struct {
	p     *graph.Placed
	own   store // that it goes back to
	env   step.Env
	spare *frontier.Frontier
	free  []*frontier.Frontier // nobody's
	team  *host.Stream         // on the host
	stay  *stay                // on a GPU
}

type spaceKey struct{}

// takeSpace returns a space that was kept with the placed graph, or a new one.
func takeSpace(ctx context.Context, p *graph.Placed, own store, m Memory) (*space, error) {
	s, kept := own.TakeScratch(spaceKey{}).(*space)
	if !kept {
		if err := m.check(p); err != nil {
			return nil, err
		}
		s = &space{p: p, spare: frontier.New(p)}
		s.env.Placed = p
	}
	s.own = own
	switch dev := p.Device().(type) {
	case *host.Device:
		s.team = dev.Stream(ctx)
		s.env.Stream = s.team
		s.env.Rebind(s.team)
	case *gpu.Device:
		if kept {
			s.stay.s.Rebind(ctx)
			break
		}
		gs, err := dev.Stream(ctx)
		if err != nil {
			return nil, fmt.Errorf("traverse: %w", err)
		}
		s.stay = &stay{space: s, s: gs}
		s.env.Stream = gs
	default:
		return nil, fmt.Errorf("traverse: %w: no traversal on %s", device.ErrNotSupported, p.Device().Info().Name)
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

// name is the device's name: Info has it too, but asks for free memory, which takes longer
// than a small traversal.
func (s *space) name() string {
	if s.stay != nil {
		return s.stay.s.Name()
	}
	return host.Name
}

// quiet waits until nothing runs that was enqueued.
func (s *space) quiet() error {
	if s.stay != nil {
		return s.stay.s.Wait()
	}
	return nil
}

// leave ends the use of the space and leaves it to the next traversal.
func (s *space) leave() error {
	if s.team != nil {
		s.team.Close()
		s.team = nil
	} else {
		s.stay.s.Unbind()
	}
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
	if s.stay != nil {
		errs = append(errs, s.stay.free())
	}
	return errors.Join(errs...)
}
