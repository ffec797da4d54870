// This file holds PushNear and the Refill after it as one step, which on the host has no rounds.

package advance

import (
	"fmt"
	"reflect"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/farpile"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/operators/pile"
)

// wholeStep is a push with two piles and its refill, until nothing is left.
type wholeStep struct {
	*nearStep
	refill step.Step
	due    pile.Functor
}

func (*wholeStep) Name() string { return "push near and refill" }

// Whole returns the step that does what the push and the next step do, round after round, until nothing is left;
// nil where the functors may not be called so.
func (s *nearStep) Whole(next step.Step) step.Step {
	r, ok := next.(interface {
		Far() *farpile.Pile
		Asks() pile.Functor
	})
	if !ok || s.ahead == 0 || s.chained() || s.s == nil || r.Asks() == nil || r.Far() != s.far {
		return nil
	}
	if m, ok := link.Of(s.s); ok && m.Code().Accumulators > 0 {
		return nil // which a Refill doesn't change
	}
	if s.whole == nil || s.whole.refill != next {
		s.whole = &wholeStep{s, next, r.Asks()}
	}
	return s.whole
}

// Host pushes until nothing is left.
func (s *wholeStep) Host(x *step.Env) error {
	if err := s.ready(x); err != nil {
		return err
	}
	a, err := hostTool(x)
	if err != nil {
		return err
	}
	if x.Cur.Form() == frontier.All {
		if err := x.Cur.Convert(x.Stream, frontier.Queue); err != nil {
			return err
		}
	}
	s.far.Workers(a.s.Workers(), tileEdges)
	s.sorted = sorted{s: s.s, far: s.far, n: uint32(x.Placed.NumVertices()), level: x.Level, async: &a.push.async}
	s.sorted.rows, _ = s.s.(rowsSorter)
	run := func() error {
		edges, err := a.push.runAsync(x.Cur.Queue(), &s.sorted, s.due, s.far)
		x.Edges += edges
		return err
	}
	asks := run
	if !sameFunctor(s.due, s.s) {
		asks = func() error { return step.OnHost(s.due, step.Vertices, x, link.Use{Due: true}, run) }
	} else if m, ok := link.Of(s.s); ok {
		if err := step.Fits(step.Vertices, link.Use{Due: true}, m.Code()); err != nil {
			return err
		}
	}
	if err := step.OnHost(s.s, step.Sorts, x, link.Use{}, asks); err != nil {
		return err
	}
	return x.Cur.Reset(frontier.Queue)
}

// sameFunctor reports whether a push and a refill have the same functor. Functors that are values, such as structs with
// slices, can't be compared.
func sameFunctor(due pile.Functor, s Sorter) bool {
	return reflect.ValueOf(due).Comparable() && any(due) == any(s)
}

// GPU is never called: the host's engine makes such steps.
func (s *wholeStep) GPU(*step.Env) error { return fmt.Errorf("advance: %w", step.ErrNotCompiled) }

// Compile refuses.
func (s *wholeStep) Compile(*step.Program) error {
	return fmt.Errorf("advance: %w", step.ErrNotCompiled)
}
