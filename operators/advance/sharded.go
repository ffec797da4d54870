// This file describes what pushes and visits do on graphs divided among several GPUs, and runs them on a
// shard.

package advance

import (
	"fmt"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
)

// reach describes what a functor does at the edges of a shard.
func reach(x *step.Env, kind step.Kind, f any) (*step.Reach, error) {
	code, err := step.CodeOf(&x.Codes, f, kind, link.Use{})
	if err != nil {
		return nil, fmt.Errorf("advance: %w", err)
	}
	return code.Reach(x.Placed, nil)
}

// onPart pushes the frontier of a part, and adds what is let through to a bitmap.
func (f *fusedFunctor) onPart(x *step.Env, push Functor, found *frontier.Frontier) error {
	a, err := gpuTool(x)
	if err != nil {
		return err
	}
	if err := listed(x); err != nil {
		return err
	}
	if err := clearRemote(x, found); err != nil {
		return err
	}
	if err := f.of(&x.Codes, step.Pushes, push, x.Level); err != nil {
		return fmt.Errorf("advance: push: %w", err)
	}
	f.seen = found
	edges, err := a.pushed(x.Cur, x.Spare, f, true)
	x.Edges += edges
	return f.code.Launched(x, err)
}

// Reach describes what the functor does on several GPUs.
func (s *pushStep) Reach(x *step.Env) (*step.Reach, error) {
	if s.within != nil {
		return nil, errWithin
	}
	if err := checkFunctor("push", s.f, x.Placed, nil); err != nil {
		return nil, err
	}
	return reach(x, step.Pushes, s.f)
}

// Part pushes on a part of the graph.
func (s *pushStep) Part(x *step.Env, found *frontier.Frontier) error {
	return s.remote.onPart(x, s.f, found)
}

// Mask is the bitmap of the filter that the push is fused with, if it lasts.
func (s *pushStep) Mask() *frontier.Frontier { return s.seen }

// Reach describes what the functor does on several GPUs, which keep a queue instead of the bitmap.
func (s *bitsStep) Reach(x *step.Env) (*step.Reach, error) { return s.push().Reach(x) }

// Part pushes on a part of the graph.
func (s *bitsStep) Part(x *step.Env, found *frontier.Frontier) error { return s.push().Part(x, found) }

// Mask is the bitmap of the filter that the push is fused with, if it lasts.
func (s *bitsStep) Mask() *frontier.Frontier { return s.seen }

// Reach describes what the functor does on several GPUs.
func (s *visitStep) Reach(x *step.Env) (*step.Reach, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	does, err := reach(x, step.Visits, s.v)
	if err != nil {
		return nil, err
	}
	does.All = s.all
	return does, nil
}
