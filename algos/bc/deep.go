// This file holds the way from a source to all vertices and back on graphs of short rows. Those
// have searches of many small levels: the whole way is two Repeats, each of them one kernel on a
// GPU, and the way back goes through the levels that the way there left in a trail.

package bc

import (
	"github.com/foray-graph/foray/algos/bc/internal/sweep"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// deepSearch is what all sources of a run have in common.
type deepSearch struct {
	t         *traverse.Traversal
	sum       *device.Buffer[float64]
	trail     *traverse.Trail
	cur       *traverse.Frontier
	start     []operators.Step
	find      [2][]operators.Step // the first ends a search where a count takes a power
	out, home [2][]operators.Step // without powers and with them
	forget    []operators.Step
	back      []operators.Step
	over      *operators.Scalar[uint64] // 1 where a count takes a power
	large     int                       // 1 once one did
	enlarge   func()                    // makes the steps with powers
	used      bool                      // another source was searched from
	sweep     *sweep.Sweep              // or nil
	levels    []operators.Step          // find them for sweep
	sweeps    []operators.Step
}

// deep reports whether a graph has short rows, which are also the rows of its in-edges.
func deep(t *traverse.Traversal) bool {
	return !t.Placed().Graph().Directed() && t.Placed().State().MaxDegree() <= tuning.ShortRows
}

func newDeepSearch(t *traverse.Traversal) *deepSearch {
	mark, even, odd := traverse.Array[uint32](t, 0), traverse.Array[float64](t, 0), traverse.Array[float64](t, 0)
	offsets, targets := traverse.Rows(t)
	s := &deepSearch{t: t, sum: traverse.Array[float64](t, 0), trail: traverse.NewTrail(t), cur: t.From(), over: traverse.Scalar[uint64](t, operators.Max)}
	s.start, s.back = []operators.Step{foreach.Each(newStart(mark), nil)}, []operators.Step{s.trail.Back()}
	find := advance.Push(newDiscover(mark))
	s.find = [2][]operators.Step{{find, traverse.Above(s.over, 0)}, {find}}
	if t.Placed().Remote() != nil {
		for i, over := range []*device.Buffer[uint64]{s.over.Array(), traverse.ArrayN[uint64](t, 1, 0)} {
			s.find[i] = []operators.Step{advance.Push(newClaim(mark, over))}
		}
		s.sweeping(mark)
	}
	s.steps(0, foreach.EachNoBarrier(newTally(mark, offsets, targets, even, odd, s.over.Array())),
		foreach.Each(newRely(mark, offsets, targets, even, odd, s.sum), nil))
	s.enlarge = func() {
		power := traverse.Kept(t, func() powers { return powers{traverse.Uninitialized[int32](t)} }).Buffer
		if t.Err() == nil && s.out[1] == nil {
			s.steps(1, foreach.EachNoBarrier(newTallyLarge(mark, offsets, targets, even, power)),
				foreach.Each(newRelyLarge(mark, offsets, targets, even, power, odd, s.sum), nil))
		}
	}
	s.forget = []operators.Step{foreach.All(newForget(mark, even, odd), nil)}
	return s
}

// powers has an exponent per vertex, for counts that float64 doesn't hold.
type powers struct{ *device.Buffer[int32] }

// steps makes the steps of both ways, without powers or with them.
func (s *deepSearch) steps(large int, tally, rely operators.Step) {
	s.out[large] = append([]operators.Step{s.trail.Keep(), tally}, s.find[large]...)
	s.home[large] = []operators.Step{rely, s.trail.Back()}
}

func (s *deepSearch) begin() { s.large, s.used = 0, false }

func (s *deepSearch) score() *device.Buffer[float64] { return s.sum }

// from adds the dependencies of a source to the scores.
func (s *deepSearch) from(source uint32) {
	t := s.t
	if s.swept(source) {
		return
	}
	s.there(source)
	if s.large == 0 && traverse.Get(t, s.over) != 0 {
		s.enlarge()
		s.large = 1
		t.Do(s.cur, s.back...) // nothing is left in the trail
		t.Repeat(s.cur, s.back...)
		s.there(source)
	}
	t.Do(s.cur, s.back...)
	t.Repeat(s.cur, s.home[s.large]...)
}

// swept does so on a GPU: it finds the levels alone, and then goes down and up them. It reports false if their shape
// is not for that.
func (s *deepSearch) swept(source uint32) bool {
	t := s.t
	if s.sweep == nil || s.used { // levels that a search left are still marked
		return false
	}
	t.Replace(s.cur, source)
	t.Do(s.cur, s.start...)
	t.Repeat(s.cur, s.levels...)
	t.Do(s.cur, s.sweeps...)
	s.used = s.sweep.TooLarge
	return !s.sweep.TooLarge || t.Err() != nil
}

// sweeping makes the steps of swept.
func (s *deepSearch) sweeping(mark *device.Buffer[uint32]) {
	p := s.t.Placed()
	n, quads := p.NumVertices(), sweep.Quads(p.State().MaxDegree())
	if quads == 0 {
		return
	}
	s.sweep = &sweep.Sweep{
		Mark: mark, Place: traverse.Uninitialized[uint32](s.t), Start: traverse.ArrayN[uint32](s.t, n+1, 0),
		Near: traverse.ArrayN[uint64](s.t, 2*quads*n, 0), Count: traverse.Uninitialized[float64](s.t), Score: s.sum,
		Power: traverse.Uninitialized[int32](s.t), Results: traverse.ArrayN[uint32](s.t, sweep.Results, 0),
	}
	s.levels = []operators.Step{advance.Push(newClaim(mark, traverse.ArrayN[uint64](s.t, 1, 0)))}
	s.sweeps = []operators.Step{s.sweep}
}

// there finds all levels and counts the paths to them.
func (s *deepSearch) there(source uint32) {
	t := s.t
	if s.used {
		t.Do(s.cur, s.forget...)
	}
	s.used = true
	t.Replace(s.cur, source)
	t.Do(s.cur, s.start...)
	t.Repeat(s.cur, s.out[s.large]...)
}
