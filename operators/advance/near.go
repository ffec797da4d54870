// This file holds PushNear, the push with two piles: targets that are due now become the
// frontier, others wait in a pile.

package advance

import (
	"fmt"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/sides"
	"github.com/foray-graph/foray/internal/splice"
	"github.com/foray-graph/foray/internal/step"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/pile"
)

// Sorter is what happens at the edges of a push with two piles. On a GPU it is an
// operators.KernelFunctor, whose device side is a foray::EdgeFunctor whose edge returns
// foray::Due.
type Sorter interface {
	// Sort looks at a tile of edges of one vertex, as Functor.Visit does. It writes the
	// vertices that it lets through to the front of out, the stages at which they are to be
	// expanded to the front of due, and returns how many there are. out and due are as long
	// as targets at least.
	Sort(w Worker, source uint32, firstEdge uint64, targets, out, due []uint32) int
}

// PushNear returns the step that visits the out-edges of the frontier, makes the targets
// that are due at the pile's present stage, or before, the frontier, and puts those that are
// due later into the pile. No vertex is in the frontier, or in the pile, twice.
//
// pile.Refill, behind it, goes on to the next stage.
func PushNear(s Sorter, far *pile.Pile) operators.Step { return &nearStep{s: s, far: far} }

// PushNearAhead is PushNear for functors for which it doesn't matter in which round an edge is
// visited, nor how often, as long as the target is let through whenever there is something new:
// distances that get smaller, for example. In one kernel on a GPU, over rows of up to 16 edges,
// blocks then go on for some rounds with what they let through before they meet, so that the
// rounds of a Repeat are fewer.
func PushNearAhead(s Sorter, far *pile.Pile) operators.Step {
	return &nearStep{s: s, far: far, ahead: roundsAhead}
}

type nearStep struct {
	s      Sorter
	far    *pile.Pile
	ahead  uint32 // rounds
	host   culled
	sorted sorted
	remote fusedFunctor
}

func (*nearStep) Name() string { return "push near" }
func (*nearStep) Moves()       {}

// Far is the pile, which other steps of a Repeat have as well.
func (s *nearStep) Far() *pile.Pile { return s.far }

func (s *nearStep) check(err error) error {
	if s.s == nil {
		return fmt.Errorf("%w: push near: the functor is nil", ErrFunctor)
	}
	if err != nil {
		return fmt.Errorf("advance: push near: %w", err)
	}
	return nil
}

// ready checks the step and makes the frontier a list.
func (s *nearStep) ready(x *step.Env) error {
	if err := s.check(s.far.Check(x.Placed)); err != nil {
		return err
	}
	return listed(x)
}

// Host pushes tile by tile. The functor's output is the near pile, culled by a bitmap.
func (s *nearStep) Host(x *step.Env) error {
	if err := s.ready(x); err != nil {
		return err
	}
	a, err := hostTool(x)
	if err != nil {
		return err
	}
	near, err := mask(x)
	if err != nil {
		return err
	}
	if err := near.Clear(frontier.Bitmap); err != nil {
		return err
	}
	s.far.Workers(a.s.Workers(), TileEdges)
	s.sorted = sorted{s: s.s, far: s.far, n: uint32(x.Placed.NumVertices())}
	s.host = culled{Functor: &s.sorted, words: near.Bits()}
	err = sides.Call(s.s, step.Sorts, x, splice.Use{}, func() error { return push(x, a.Advancer, &s.host) })
	s.far.Gather()
	return err
}

// GPU launches the kernel of a strategy, which sorts.
func (s *nearStep) GPU(x *step.Env) error {
	if err := s.ready(x); err != nil {
		return err
	}
	a, err := gpuTool(x)
	if err != nil {
		return err
	}
	if err := s.remote.of(step.Sorts, s.s, x.Level); err != nil {
		return fmt.Errorf("advance: push near: %w", err)
	}
	at, near, words := s.far.Remote()
	s.remote.pile = at
	if err := a.s.Fill(near, 0, words); err != nil {
		return err
	}
	return s.remote.code.Launched(x, push(x, a.Advancer, &s.remote))
}

// Compile appends the push to a program.
func (s *nearStep) Compile(p *step.Program) error {
	if err := s.check(s.far.Check(p.Placed)); err != nil {
		return err
	}
	op, code, err := edgeOp(step.Sorts, s.s)
	if err != nil {
		return err
	}
	op.Flags, op.Number = step.Dedupe, s.ahead
	op.Seen, _, _ = s.far.Remote()
	p.Moves, p.Pushes = true, true
	return p.Add(code, op)
}

// sorted is a Sorter as a functor that lets the near ones through.
type sorted struct {
	s   Sorter
	far *pile.Pile
	n   uint32 // vertices
}

func (f *sorted) Visit(w Worker, source uint32, firstEdge uint64, targets, out []uint32) int {
	due := f.far.Due(w.ID, len(targets))
	k := f.s.Sort(w, source, firstEdge, targets, out[:len(targets)], due)
	if uint(k) > uint(len(targets)) {
		return k // the operator finds it
	}
	near := 0
	for i, v := range out[:k] {
		if v >= f.n || f.far.Later(w.ID, v, due[i]) { // the operator finds what is no vertex
			out[near] = v
			near++
		}
	}
	return near
}
