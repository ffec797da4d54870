// This file holds the way from a source to all vertices and back on graphs of short rows. Those
// have searches of many small levels: the whole way is two Repeats, each of them one kernel on a
// GPU, and the way back goes through the levels that the way there left in a trail.

package bc

import (
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/tuning"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// deepSearch is what all sources of a run have in common.
type deepSearch struct {
	t           *traverse.Traversal
	sum         *device.Buffer[float64]
	trail       *traverse.Trail
	cur         *traverse.Frontier
	start, find operators.Step
	tally, rely operators.Step
	forget      operators.Step
}

// deep reports whether a graph has short rows, which are those of its in-edges, too.
func deep(t *traverse.Traversal) bool {
	return !t.Placed().Graph().Directed() && t.Placed().MaxDegree() <= tuning.ShortRows
}

func newDeepSearch(t *traverse.Traversal) *deepSearch {
	mark, power := traverse.Array[uint32](t, 0), traverse.Unfilled[int32](t)
	count, share := traverse.Unfilled[float64](t), traverse.Unfilled[float64](t)
	offsets, targets := traverse.Offsets(t), traverse.Targets(t)
	s := &deepSearch{t: t, sum: traverse.Array[float64](t, 0), trail: traverse.NewTrail(t), cur: t.From()}
	s.start = foreach.Each(newStart(mark, count, power), nil)
	s.find = advance.Push(newDiscover(mark))
	if t.Placed().Remote() != nil {
		s.find = advance.Push(newClaim(mark))
	}
	s.tally = foreach.Beside(newTally(mark, offsets, targets, count, power))
	s.rely = foreach.Each(newRely(mark, offsets, targets, count, power, share, s.sum), nil)
	s.forget = foreach.All(newForget(mark), nil)
	return s
}

func (s *deepSearch) score() *device.Buffer[float64] { return s.sum }

// from adds the dependencies of a source to the scores.
func (s *deepSearch) from(source uint32) {
	t := s.t
	t.Replace(s.cur, source)
	t.Do(s.cur, s.start)
	t.Repeat(s.cur, s.trail.Keep(), s.tally, s.find)
	t.Do(s.cur, s.trail.Back())
	t.Repeat(s.cur, s.rely, s.trail.Back())
	t.Do(s.cur, s.forget)
}
