// This file holds the steps that end a Repeat.

package traverse

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/operators"
)

// refuseEnders sets an error if a step of Do is one that ends a Repeat.
func (t *Traversal) refuseEnders(steps []step.Step) bool {
	for i, s := range steps {
		if _, ok := s.(step.Ender); ok {
			return t.fail(fmt.Errorf("traverse: %w: step %d of %d, %s, ends a Repeat, but was given to Do; give it to Repeat, or break out of the loop around Do, by Level, the scalar's Get or the frontier's Len", graph.ErrOptions, i+1, len(steps), s.Name()))
		}
	}
	return false
}

// MaxRounds returns the step that ends a Repeat after the given number of rounds, at least 1. Do
// refuses it: a loop around Do checks Level.
func MaxRounds(rounds int) operators.Step { return atMost{rounds: rounds} }

type atMost struct {
	step.NoWork
	rounds int
}

func (atMost) Name() string { return "at most" }

func (n atMost) Ends(x *step.Env) (bool, bool, error) {
	if n.rounds < 1 {
		return true, false, fmt.Errorf("%w: MaxRounds(%d); want 1 round at least", graph.ErrOptions, n.rounds)
	}
	if int64(x.Level) < int64(n.rounds) {
		return false, false, nil
	}
	return true, x.Cur.Len() > 0, x.Cur.ReadErr()
}

func (n atMost) Compile(p *step.Program) error {
	if n.rounds < 1 {
		return fmt.Errorf("%w: MaxRounds(%d); want 1 round at least", graph.ErrOptions, n.rounds)
	}
	return p.Add(nil, step.Op{Code: step.OpAtMost, Number: uint32(min(int64(n.rounds), math.MaxUint32))})
}

// UntilFrontierExceeds returns the step that ends a Repeat once the frontier has more than the given number of
// vertices, which stay in it. It is for traversals that process large frontiers differently, as
// searches that pull do. Stats.Limited is then set. Steps after it don't run in the round that it
// ends; if it is the last step, at least one round runs. It doesn't end a Repeat whose steps never
// change the frontier. Do refuses it: a loop around Do checks the frontier's Len.
func UntilFrontierExceeds(vertices int) operators.Step { return wide{vertices: vertices} }

type wide struct {
	step.NoWork
	vertices int
}

func (wide) Name() string { return "wide" }

func (w wide) check() error {
	if w.vertices < 0 {
		return fmt.Errorf("%w: UntilFrontierExceeds(%d); want a number of vertices", graph.ErrOptions, w.vertices)
	}
	return nil
}

func (w wide) Ends(x *step.Env) (bool, bool, error) {
	if err := w.check(); err != nil {
		return true, false, err
	}
	end := x.Cur.Len() > w.vertices
	return end, end, x.Cur.ReadErr()
}

func (w wide) Compile(p *step.Program) error {
	if err := w.check(); err != nil {
		return err
	}
	return p.Add(nil, step.Op{Code: step.OpWide, Number: uint32(min(int64(w.vertices), math.MaxUint32))})
}

// Below returns the step that ends a Repeat once the scalar is below the bound. Pass it after
// the step that reduces into the scalar. Do refuses it: a loop around Do checks the scalar's
// value by Get. A scalar is 0 until a step has reduced into it.
func Below[T uint64 | float64](s *operators.Scalar[T], bound T) operators.Step {
	return below[T]{s: (*link.Scalar[T])(s), bound: bound}
}

// Above is Below, but ends a Repeat once the scalar is above the bound.
func Above[T uint64 | float64](s *operators.Scalar[T], bound T) operators.Step {
	return below[T]{s: (*link.Scalar[T])(s), bound: bound, above: true}
}

type below[T uint64 | float64] struct {
	step.NoWork
	s     *link.Scalar[T]
	bound T
	above bool // it ends above the bound
}

func (b below[T]) Name() string {
	if b.above {
		return "above"
	}
	return "below"
}

func (b below[T]) Ends(x *step.Env) (bool, bool, error) {
	if b.s == nil {
		return true, false, b.none()
	}
	if err := x.Stream.Sync(); err != nil {
		return true, false, err
	}
	v, err := b.s.Get()
	if b.above {
		return v > b.bound, false, err
	}
	return v < b.bound, false, err
}

func (b below[T]) none() error {
	return fmt.Errorf("%w: %s no scalar (nil)", graph.ErrOptions, map[bool]string{false: "Below of", true: "Above of"}[b.above])
}

func (b below[T]) Compile(p *step.Program) error {
	if b.s == nil {
		return b.none()
	}
	scalar, err := step.ArgsOf(b.s, p.Placed.Device())
	if err != nil {
		return err
	}
	op := step.Op{Code: step.OpBelow, Scalar: scalar}
	switch x := any(b.bound).(type) {
	case float64:
		op.Flags, op.Bound = step.DoubleScalar, math.Float64bits(x)
	case uint64:
		op.Bound = x
	}
	if b.above {
		op.Flags |= step.IfAbove
	}
	return p.Add(nil, op)
}
