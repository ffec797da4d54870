// This file holds Pull as a step of a traversal.

package advance

import (
	"fmt"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
)

// Pull returns the step that looks at the in-edges of every vertex that isn't in the bitmap
// seen, in the order of the row, for one whose source is in the frontier, and tells the sink:
// a functor written in Go with a method Hit, or a Sink by hand. Where Hit returns false it looks
// further. The vertices found are the next frontier, a bitmap, and are added to seen, so that
// no filter need follow. The current frontier becomes a bitmap.
//
// Calls for one vertex come one after another: what Hit writes of the target needs no atomics.
//
// A directed graph needs graph.Options.Reverse, else the error is graph.ErrNoReverse. A Repeat
// with a pull runs level by level on a GPU.
func Pull(f Sink, seen *frontier.Frontier) operators.Step { return &pullStep{f: f, seen: seen} }

type pullStep struct {
	f    Sink
	seen *frontier.Frontier
}

func (*pullStep) Name() string { return "pull" }
func (*pullStep) Moves()       {}

// Host pulls by words of the bitmap.
func (s *pullStep) Host(x *step.Env) error {
	a, err := hostTool(x)
	if err != nil {
		return err
	}
	if err := s.ready(x, a.Advancer); err != nil {
		return err
	}
	if err := step.OnHost(s.f, step.Hits, x, link.Use{In: true}, func() error { return s.pull(x, a.Advancer) }); err != nil {
		return err
	}
	return filter.Unvisited(s.seen).(step.Step).Host(x)
}

// GPU launches one kernel, and another one that adds what was found to seen.
func (s *pullStep) GPU(x *step.Env) error {
	a, err := gpuTool(x)
	if err != nil {
		return err
	}
	if err := s.ready(x, a.Advancer); err != nil {
		return err
	}
	err = s.pull(x, a.Advancer)
	if m, ok := link.Of(s.f); ok && m.Code().Accumulators > 0 {
		code, bad := step.Generated(step.Hits, m, link.Use{In: true})
		if bad != nil { // which the pull said
			return err
		}
		err = code.Launched(x, err)
	}
	if err != nil {
		return err
	}
	return filter.Unvisited(s.seen).(step.Step).GPU(x)
}

// ready checks the step and makes the frontier a bitmap.
func (s *pullStep) ready(x *step.Env, a *Advancer) error {
	if x.Cur == s.seen {
		return fmt.Errorf("advance: pull: %w: the frontier is what was seen as well; use two", frontier.ErrAliased)
	}
	if err := a.checkPull(x.Cur, s.seen, x.Spare, s.f, frontier.Queue, frontier.Bitmap, frontier.All); err != nil {
		return err
	}
	return x.Cur.Convert(x.Stream, frontier.Bitmap)
}

// pull pulls into the spare frontier, which takes its turn.
func (s *pullStep) pull(x *step.Env, a *Advancer) error {
	if err := a.enter("pull"); err != nil {
		return err
	}
	defer a.leave()
	edges, err := a.on.runPull(x.Cur, s.seen, x.Spare, s.f)
	if err != nil {
		return err
	}
	x.Edges += edges
	x.Swap()
	return nil
}

// Compile reports that a pull is a separate kernel.
func (*pullStep) Compile(*step.Program) error {
	return fmt.Errorf("%w: advance.Pull", step.ErrNotCompiled)
}
