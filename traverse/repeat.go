// This file holds how steps are run: once, or round after round.

package traverse

import (
	"fmt"
	"slices"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/farpile"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
)

// Do runs steps once, one after the other, on the frontier. MaxRounds, Below and UntilFrontierExceeds, which end a
// Repeat, are graph.ErrOptions.
func (t *Traversal) Do(cur *Frontier, steps ...operators.Step) {
	given := t.take(steps)
	if !t.owns(cur) && t.err == nil && !t.refuseEnders(given) && !t.refused(cur, given) {
		fused := t.fuse(given)
		t.steps(cur, fused)
		t.unfuse(given, fused)
	}
	t.untake(given)
}

// steps runs steps; it reports whether one of them ended the traversal, and whether it did so
// with vertices still to expand.
func (t *Traversal) steps(cur *Frontier, steps []step.Step) (ended, limited bool) {
	for _, s := range steps {
		t.env.Cur, t.env.Spare = cur.f, t.space.spare
		if e, ok := s.(step.Ender); ok {
			if t.fail(t.space.on.settle()) {
				return true, false
			}
			ends, limits, err := e.Ends(t.env)
			if t.fail(wrap(s, err)) {
				return true, false
			}
			if ends {
				return true, limits
			}
			continue
		}
		began, edges := t.clock(), t.env.Edges
		err := t.space.on.step(t.env, s)
		cur.f, t.space.spare = t.env.Cur, t.env.Spare
		if t.env.Rounds > 0 {
			t.went(began, edges)
		}
		if _, moves := s.(step.Moves); moves {
			sets, ok := s.(step.Sets)
			cur.set = cur.set && ok && sets.Sets()
		}
		if t.fail(wrap(s, err)) {
			return true, false
		}
	}
	return false, false
}

// refused sets the error of steps that the engine doesn't run.
func (t *Traversal) refused(cur *Frontier, steps []step.Step) bool {
	t.env.Cur = cur.f
	return t.fail(t.space.on.takes(t.env, steps))
}

func wrap(s step.Step, err error) error {
	if err == nil { // without what Wrap allocates
		return nil
	}
	return step.Wrap(s.Name(), err)
}

// take returns steps as engines see them, and sets the error of what is no step. untake is due.
func (t *Traversal) take(steps []operators.Step) []step.Step {
	given := t.given[:0]
	t.given = nil // a callback may call Do
	for i, s := range steps {
		x, ok := s.(step.Step)
		switch {
		case s == nil:
			t.fail(fmt.Errorf("traverse: %w: step %d of %d is nil", graph.ErrOptions, i+1, len(steps)))
		case !ok:
			t.fail(fmt.Errorf("traverse: %w: step %d of %d, %s, is a %T; only steps of Foray's operators can be run", graph.ErrOptions, i+1, len(steps), s.Name(), s))
		}
		given = append(given, x)
	}
	return given
}

// untake takes the room of steps back that have run.
func (t *Traversal) untake(given []step.Step) {
	clear(given)
	t.given = given[:0]
}

// fuse joins steps with those after them where that saves a pass. unfuse is due.
func (t *Traversal) fuse(steps []step.Step) []step.Step {
	if !fusible(steps) {
		return steps
	}
	st, out := &t.stats, t.fused[:0]
	t.fused = nil // a callback may fuse others
	for i := 0; i < len(steps); i++ {
		s := steps[i]
		if p, ok := s.(step.Culled); ok && i+1 < len(steps) {
			if c, ok := steps[i+1].(step.Culler); ok {
				s = p.Cull(c.Seen())
				i++
				if !slices.Contains(st.Fused, s.Name()) {
					st.Fused = append(st.Fused, s.Name())
				}
			}
		}
		out = append(out, s)
	}
	return out
}

// unfuse takes the room back of steps that were fused and have run.
func (t *Traversal) unfuse(steps, fused []step.Step) {
	if len(fused) < len(steps) {
		clear(fused)
		t.fused = fused[:0]
	}
}

// fusible reports that steps are for fuse to join.
func fusible(steps []step.Step) bool {
	for i := range len(steps) - 1 {
		if _, ok := steps[i].(step.Culled); !ok {
			continue
		}
		if _, ok := steps[i+1].(step.Culler); ok {
			return true
		}
	}
	return false
}

// Repeat runs steps round after round, until the frontier is empty or a step ends it (Below, Above,
// MaxRounds, UntilFrontierExceeds). Its rounds are counted from 1 in each call: Level, and the Level that functors see.
// If no step changes the frontier or ends the traversal, the error is graph.ErrOptions, and so it is
// for steps with two piles. Repeat first removes duplicates from the frontier, which Do may leave.
func (t *Traversal) Repeat(cur *Frontier, steps ...operators.Step) {
	given := t.take(steps)
	if !t.owns(cur) && t.err == nil && !t.fail(onePile(given)) && !t.refused(cur, given) {
		t.repeat(cur, given)
	}
	t.untake(given)
}

func (t *Traversal) repeat(cur *Frontier, steps []step.Step) {
	moves := false
	for _, s := range steps {
		_, m := s.(step.Moves)
		_, e := s.(step.Ender)
		_, w := s.(wide) // which ends by the frontier alone
		moves = moves || m || e && !w
	}
	if !moves {
		t.fail(fmt.Errorf("traverse: %w: steps that never change the frontier never end; end them by MaxRounds, Below or Above", graph.ErrOptions))
		return
	}
	fused := t.fuse(steps)
	t.env.Level = 0
	t.stats.Limited, t.stats.Why = false, ""
	e, err := t.space.on.forRepeat(t, cur, fused)
	if err != nil {
		t.fail(fmt.Errorf("traverse: %w", err))
		return
	}
	t.stats.Engine = e.kind()
	cur.level = 0
	e.repeat(t, cur, fused)
	cur.level = 0
	t.unfuse(steps, fused)
}

// piled is a step that puts vertices into a pile, or takes them out.
type piled interface {
	step.Step
	Far() *farpile.Pile
}

// onePile returns an error for steps with two piles. What waits in one would never come from the
// other, and the Repeat would end without it.
func onePile(steps []step.Step) error {
	var first piled
	for _, s := range steps {
		p, ok := s.(piled)
		switch {
		case !ok || p.Far() == nil: // the step reports an error for nil
		case first == nil:
			first = p
		case p.Far() != first.Far():
			return step.Wrap(s.Name(), fmt.Errorf("%w: its pile isn't that of the step %s; give both the same one", graph.ErrOptions, first.Name()))
		}
	}
	return nil
}

// rounds runs steps round after round, each separately.
func (t *Traversal) rounds(cur *Frontier, steps []step.Step) {
	if err := t.asSet(cur); err != nil {
		t.fail(fmt.Errorf("traverse: %w", err))
	}
	for t.Next(cur) {
		ended, limited := t.steps(cur, steps)
		if ended {
			t.stats.Limited = limited
			break
		}
	}
	t.endLevel()
}

// asSet drops duplicates from a frontier that Repeat begins with, unless it is known to have
// none, so that all engines see the same. On a GPU it becomes a queue.
func (t *Traversal) asSet(cur *Frontier) error {
	if t.err != nil || cur.f.Form() == frontier.All {
		return nil
	}
	twice, err := t.space.on.list(cur.f)
	if err != nil || !twice || cur.set {
		return err
	}
	t.env.Cur, t.env.Spare = cur.f, t.space.spare
	err = t.space.on.step(t.env, filter.Unique().(step.Step))
	cur.f, t.space.spare = t.env.Cur, t.env.Spare
	cur.set = err == nil
	return err
}

// compile makes a program of steps, in the memory of one that isn't used any more, or nil.
func (t *Traversal) compile(kept *step.Program, cur *Frontier, steps []step.Step) (*step.Program, error) {
	p := kept.Again()
	p.Placed, p.All, p.Must, p.Codes = t.p, cur.f.Form() == frontier.All, t.o.Engine == Persistent, &t.env.Codes
	for _, s := range steps {
		p.Step = s.Name()
		if err := s.Compile(p); err != nil {
			return nil, fmt.Errorf("step %s: %w", s.Name(), err)
		}
	}
	if p.Back && p.Pushes { // frontiers in a trail have no count of edges
		return nil, fmt.Errorf("%w: a push, and a Trail that is gone back", step.ErrNotCompiled)
	}
	if p.Empty() {
		return nil, fmt.Errorf("%w: no step has a functor", step.ErrNotCompiled)
	}
	return p, p.Check()
}
