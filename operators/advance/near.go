// This file holds PushNear, the push with two piles: targets that are due now become the
// frontier, others wait in a pile.

package advance

import (
	"fmt"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/farpile"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/pile"
)

// Sorter is what happens at the edges of a push with two piles. On a GPU it is
// written in Go (foray generate), or an operators.KernelFunctor whose device side is a
// foray::EdgeFunctor whose edge returns foray::Due.
type Sorter interface {
	// Sort looks at a tile of edges of one vertex, as Functor.Visit does. It writes the
	// vertices that it lets through to the front of out, the stages at which they are to be
	// expanded to the front of due, and returns how many there are. out and due are as long
	// as targets at least.
	Sort(w operators.Worker, source uint32, firstEdge uint64, targets, out, due []uint32) int
}

// NearOptions state what a Sorter allows PushNear to do. The zero value allows nothing: rounds follow
// one another, as in Push.
type NearOptions struct {
	// AnyRound states that it doesn't matter in which round the functor sees an edge, nor how often, if
	// it lets the target through whenever there is something new: distances that get smaller, for
	// example. In one kernel on a GPU, over rows of up to 16 edges, blocks then process the vertices
	// they let through for some rounds before they meet, so a Repeat has fewer rounds.
	//
	// On the host a Repeat of this step and its Refill, without other steps, is one round. Each worker has its own
	// vertices by stage, visits those of its lowest stage, and takes vertices of a lower stage from other workers
	// before it continues. Pile.Stage is then the last stage or, if a worker was ahead, a later one. Rounds follow one
	// another if traverse.Options.EachLevel is set, or if the functor has accumulators.
	AnyRound bool

	// Once says that AnyRound is true, and that the functor lets every target through only once in
	// total: for example peeled vertices, whose removal peels others. Edge.Level is the stage, which
	// is less than 1<<31. In one kernel on a GPU blocks run ahead, over rows of any length, while the
	// vertices they let through have few edges. The kernel doesn't check whether a vertex was let
	// through before: a functor that lets one through twice may write beyond the end of the next
	// frontier.
	Once bool
}

// PushNear returns the step that visits the out-edges of the frontier, turns the targets that are due
// at the pile's current stage, or before, into the next frontier, and puts later ones into the pile. No
// vertex is in the frontier, or in the pile, twice. The last of several options counts.
//
// pile.Refill, after it, advances to the next stage.
func PushNear(s Sorter, far *pile.Pile, o ...NearOptions) operators.Step {
	n := &nearStep{s: s, far: (*farpile.Pile)(far)}
	if len(o) == 0 {
		return n
	}
	switch o := o[len(o)-1]; {
	case o.Once:
		n.ahead = chainRounds | chainEdges>>aheadShift<<16
	case o.AnyRound:
		n.ahead = roundsAhead
	}
	return n
}

type nearStep struct {
	s      Sorter
	far    *farpile.Pile
	ahead  uint32 // rounds, and above 16 bits edges (repeat.cuh)
	host   culled
	sorted sorted
	remote fusedFunctor
	whole  *wholeStep // what Whole returned
}

// chained: of NearOptions.Once.
func (s *nearStep) chained() bool { return s.ahead>>16 != 0 }

func (*nearStep) Name() string { return "push near" }
func (*nearStep) Moves()       {}

// Far is the pile, which other steps of a Repeat have as well.
func (s *nearStep) Far() *farpile.Pile { return s.far }

func (s *nearStep) check(err error) error {
	if s.s == nil {
		return fmt.Errorf("%w: push near: the functor is nil", errFunctor)
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
	if !a.clean {
		if err := near.Clear(frontier.Bitmap); err != nil {
			return err
		}
	}
	a.clean = false
	s.far.Workers(a.s.Workers(), tileEdges)
	s.sorted = sorted{s: s.s, far: s.far, n: uint32(x.Placed.NumVertices()), level: x.Level}
	if s.chained() {
		stage, err := s.far.Stage()
		if err != nil {
			return fmt.Errorf("advance: push near: %w", err)
		}
		s.sorted.level = int32(stage)
	}
	s.sorted.rows, _ = s.s.(rowsSorter)
	s.host = culled{Functor: &s.sorted, rows: &s.sorted, words: near.Bits()}
	err = step.OnHost(s.s, step.Sorts, x, link.Use{}, func() error { return push(x, a.Advancer, &s.host) })
	s.far.Gather()
	if err != nil {
		return err
	}
	return a.cleaned(near, x.Cur)
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
	level := x.Level
	if s.chained() {
		level = -1 // kAtStage of pile.cuh
	}
	if err := s.remote.of(&x.Codes, step.Sorts, s.s, level); err != nil {
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
	op, code, err := edgeOp(p.Codes, step.Sorts, s.s)
	if err != nil {
		return err
	}
	op.Flags, op.Number = step.Dedupe, s.ahead
	if s.chained() && p.Placed.State().MaxDegree() >= tuning.SkewedDegree {
		op.Number = skewedRounds | skewedEdges>>aheadShift<<16
	}
	op.Seen, _, _ = s.far.Remote()
	p.Moves, p.Pushes = true, true
	p.Ahead = p.Ahead || s.ahead > 0
	p.Chains = p.Chains || s.chained()
	return p.Add(code, op)
}

// sorted is a Sorter as a functor that lets the near ones through.
type sorted struct {
	s    Sorter
	rows rowsSorter // s, where it is one
	far  *farpile.Pile
	n    uint32 // vertices

	async *asyncHost // of a push without rounds, or nil
	level int32      // or stage
}

// rowsSorter is a Sorter that takes many rows at once, as functors written in Go do.
type rowsSorter interface {
	// SortRows is Sort of rows, which are entries of targets.
	SortRows(w operators.Worker, rows []operators.Row, targets, out, due []uint32) int
}

// Unique says that no vertex is let through twice: a mask sees to that, behind it.
func (*sorted) Unique() bool { return true }

// VisitRows visits rows.
func (f *sorted) VisitRows(w operators.Worker, rows []operators.Row, targets, out []uint32) int {
	if f.rows == nil {
		k := 0
		for _, r := range rows {
			part := targets[r.First : r.First+uint64(r.Len)]
			n := f.Visit(w, r.Source, r.First, part, out[k:])
			if uint(n) > uint(len(part)) {
				return -1
			}
			k += n
		}
		return k
	}
	edges := 0
	for i := range rows {
		edges += int(rows[i].Len)
	}
	due := f.far.Due(w.ID, edges)
	w.Level = f.level
	return f.near(w, f.rows.SortRows(w, rows, targets, out[:edges], due), out[:edges], due)
}

func (f *sorted) Visit(w operators.Worker, source uint32, firstEdge uint64, targets, out []uint32) int {
	due := f.far.Due(w.ID, len(targets))
	w.Level = f.level
	return f.near(w, f.s.Sort(w, source, firstEdge, targets, out[:len(targets)], due), out[:len(targets)], due)
}

// near puts those of the first k entries into the pile that are due later.
func (f *sorted) near(w operators.Worker, k int, out, due []uint32) int {
	if uint(k) > uint(len(out)) {
		return -1 // the operator finds it
	}
	if f.async != nil {
		return f.async.sort(w.ID, k, out, due)
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
