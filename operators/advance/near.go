// This file holds PushNear, the push with two piles: targets that are due now become the
// frontier, others wait in a pile.

package advance

import (
	"fmt"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/gpu"
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

type nearStep struct {
	s      Sorter
	far    *pile.Pile
	host   culled
	sorted sorted
	remote fusedFunctor
}

func (*nearStep) Name() string { return "push near" }
func (*nearStep) Moves()       {}

func (s *nearStep) check(err error) error {
	if s.s == nil {
		return fmt.Errorf("%w: push near: the functor is nil", ErrFunctor)
	}
	if err != nil {
		return fmt.Errorf("advance: push near: %w", err)
	}
	return nil
}

// Do pushes level by level.
func (s *nearStep) Do(x *step.Env) error {
	if err := s.check(s.far.Check(x.Placed)); err != nil {
		return err
	}
	a, err := tool(x)
	if err != nil {
		return err
	}
	if x.Cur.Form() == frontier.Bitmap {
		if err := x.Cur.List(x.Stream); err != nil {
			return err
		}
	}
	var f Functor
	if a.gpu == nil {
		f, err = s.onHost(x, a)
	} else {
		f, err = s.onGPU(x)
	}
	if err != nil {
		return err
	}
	edges, err := a.Push(x.Cur, x.Spare, f)
	if a.gpu == nil {
		s.far.Gather()
	}
	if err != nil {
		return err
	}
	x.Edges += edges
	x.Swap()
	return nil
}

// onHost returns the functor whose output is the near pile, culled by a bitmap.
func (s *nearStep) onHost(x *step.Env, a *Advancer) (Functor, error) {
	near, err := step.Tool(x, "advance.mask", func() (*frontier.Frontier, error) { return frontier.New(x.Placed), nil })
	if err != nil {
		return nil, err
	}
	if err := clearMask(x, near); err != nil {
		return nil, err
	}
	s.far.Workers(a.s.Workers(), TileEdges)
	s.sorted = sorted{s: s.s, far: s.far, n: uint32(x.Placed.NumVertices())}
	s.host = culled{Functor: &s.sorted, words: near.Bits()}
	return &s.host, nil
}

func (s *nearStep) onGPU(x *step.Env) (Functor, error) {
	if err := s.remote.of(s.s, x.Level); err != nil {
		return nil, fmt.Errorf("advance: push near: %w", err)
	}
	gs, err := gpu.StreamOf(x.Stream)
	if err != nil {
		return nil, err
	}
	at, near, words := s.far.Remote()
	s.remote.pile = at
	return &s.remote, gs.Fill(near, 0, words)
}

// Compile appends the push to a program.
func (s *nearStep) Compile(p *step.Program) error {
	if err := s.check(s.far.Check(p.Placed)); err != nil {
		return err
	}
	op, kernel, err := edgeOp(s.s)
	if err != nil {
		return err
	}
	op.Flags = step.Dedupe
	op.Seen, _, _ = s.far.Remote()
	p.Moves, p.Pushes = true, true
	return p.Add(kernel.Image, kernel.Name, op)
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
