// This file holds the way from a source to all vertices and back.

package bc

import (
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// search is what all sources of a run have in common.
type search struct {
	t                 *traverse.Traversal
	mark, degree      *device.Buffer[uint32]
	count, share      [2]*device.Buffer[float64] // of levels of even and of odd depth
	power             *device.Buffer[int32]      // once counts don't fit
	sum               *device.Buffer[float64]
	trail             *traverse.Trail
	cur, other        *traverse.Frontier
	edges             *operators.Scalar[uint64]  // out of the level
	largest           *operators.Scalar[float64] // count of the level
	begin, push       operators.Step
	find              operators.Step // all vertices that the level found, and
	rest              operators.Step // those that weren't found yet
	settle            operators.Step
	reach, flood      [2]operators.Step // by the parity of a level's depth
	leaf              [2]operators.Step
	paths, meet       [2]operators.Step
	last, depend      [2]operators.Step
	powers, widePaths [2]operators.Step
	wideDepend        [2]operators.Step
	wide              int      // the depth from which on counts have powers
	mostIn            uint64   // edges that lead to a vertex at most
	flooding          uint64   // a level with more edges into it is listed by a look at all marks
	out               []uint64 // edges out of each level
	level             int      // of the source, by which marks count
}

const never = math.MaxInt

func newSearch(t *traverse.Traversal) *search {
	s := &search{t: t, mark: traverse.Array[uint32](t, 0), degree: traverse.Degrees(t), sum: traverse.Array[float64](t, 0),
		trail: traverse.NewTrail(t), cur: t.From(), other: t.From(),
		edges: traverse.Scalar[uint64](t, operators.Sum), largest: traverse.Scalar[float64](t, operators.Max)}
	p := t.Placed()
	s.mostIn, s.flooding = math.MaxUint64, floodShare*uint64(p.NumVertices())
	if !p.Graph().Directed() {
		s.mostIn = p.MaxDegree()
	}
	if p.Remote() != nil {
		s.flooding = uint64(p.NumVertices()) / floodPart
	}
	for i := range 2 {
		s.count[i], s.share[i] = traverse.Array[float64](t, 0), traverse.Array[float64](t, 0)
	}
	s.begin = foreach.Each(newBegin(s.mark, s.count[0], s.share[0], s.share[1]), nil)
	s.push = advance.Push(newDiscover(s.mark))
	s.find, s.rest = filter.Keep(newMet(s.mark)), filter.Keep(newUnmet(s.mark))
	s.settle = foreach.Each(newSettle(s.share[0], s.share[1], s.degree), s.edges)
	for i := range 2 {
		up, here := s.count[1-i], s.count[i]
		s.reach[i] = advance.Push(newReach(s.mark, up, here))
		s.flood[i] = advance.Visit(newFlood(s.mark, up, here))
		s.leaf[i] = foreach.Each(newLeaf(s.mark, here, s.share[i]), nil)
		s.paths[i] = reduce.In(newPaths(up, here, s.share[0], s.share[1], s.degree), s.edges)
		s.meet[i] = reduce.In(newMeet(s.mark, up, here, s.share[0], s.share[1], s.degree), s.edges)
		s.last[i] = foreach.Each(newLast(s.mark, here, s.share[i]), nil)
		s.depend[i] = reduce.Out(newDepend(s.mark, here, s.share[1-i], s.share[i], s.sum), nil)
	}
	return s
}

func (s *search) score() *device.Buffer[float64] { return s.sum }

// from adds the dependencies of a source to the scores.
func (s *search) from(source uint32) {
	g := s.t.Placed().Graph()
	if g.Degree(source) == 0 {
		return
	}
	s.t.Replace(s.cur, source)
	s.forwards(g.Degree(source), g.NumDirectedEdges())
	s.backwards()
}

// forwards finds the levels from the source on, and counts paths. Then the trail has all levels.
func (s *search) forwards(edges, left uint64) {
	t, n := s.t, uint64(s.t.Placed().NumVertices())
	t.Do(s.cur, s.begin)
	s.wide = never
	s.out, s.level = append(s.out[:0], edges), t.Level()
	bits := 0.0 // no count of the level above has more
	for depth := 1; t.Next(s.cur); depth++ {
		i := depth & 1
		t.Do(s.cur, s.trail.Keep())
		more := math.Log2(float64(max(min(edges, s.mostIn), 1)))
		// Counts are looked at where they may be too large, and where knowing that they aren't saves
		// gathering those of a large level.
		if depth < s.wide && (bits+more > plainBits || bits <= exactBits && bits+more > exactBits && edges > s.flooding) {
			if bits = s.measure(1 - i); bits > wideBits {
				s.widen(depth)
			}
		}
		bits += more
		left -= min(edges, left)
		switch {
		case depth >= s.wide:
			t.Do(s.cur, s.push, s.powers[i], s.widePaths[i])
		case edges > pullShare*(left+n):
			t.Fill(s.other)
			t.Do(s.other, s.rest, s.meet[i])
			t.Fill(s.cur)
			t.Do(s.cur, s.find)
		case bits <= exactBits && edges > s.flooding:
			// A queue in the order of vertices, which the way back is faster over, too.
			t.Do(s.cur, s.flood[i])
			t.Fill(s.cur)
			t.Do(s.cur, s.find, s.settle)
		case bits <= exactBits:
			t.Do(s.cur, s.reach[i], s.settle)
		default:
			t.Do(s.cur, s.push, s.paths[i])
		}
		edges = traverse.Get(t, s.edges)
		s.out = append(s.out, edges)
	}
}

// backwards goes through the levels again, from the last one to the source.
func (s *search) backwards() {
	t, end := s.t, s.trail.Len()-1
	directed := t.Placed().Graph().Directed()
	for depth := end; depth >= 0; depth-- {
		s.cur, s.other = s.other, s.cur // which has the level below
		t.Do(s.cur, s.trail.Back())
		if !t.Next(s.cur) {
			return
		}
		i := depth & 1
		switch {
		case depth == end || depth == 0:
			t.Do(s.cur, s.last[i])
		case depth+1 >= s.wide:
			t.Do(s.cur, s.wideDepend[i])
		case !directed && leafShare*s.out[depth+1] <= uint64(s.cur.Len()):
			// Most of the level leads no farther: those that do are found from below.
			t.Do(s.other, advance.Push(newAbove(s.mark, levelMark(int32(s.level+depth)))), filter.Unique())
			t.Do(s.other, s.depend[i])
			t.Do(s.cur, s.leaf[i])
		default:
			t.Do(s.cur, s.depend[i])
		}
	}
}

// measure returns the bits of the largest count of the frontier.
func (s *search) measure(i int) float64 {
	s.t.Do(s.cur, foreach.Each(newMost(s.count[i]), s.largest))
	return math.Log2(max(traverse.Get(s.t, s.largest), 1))
}

// widen has counts have powers from a depth on. The frontier is the level before.
func (s *search) widen(depth int) {
	s.wide = depth
	if s.power == nil {
		s.power = traverse.Array[int32](s.t, 0)
		for i := range 2 {
			up, here := s.count[1-i], s.count[i]
			s.powers[i] = reduce.In(newLargest(up, s.power), nil)
			s.widePaths[i] = reduce.In(newWidePaths(up, here, s.share[0], s.share[1], s.power, s.degree), s.edges)
			s.wideDepend[i] = reduce.Out(newWideDepend(s.mark, here, s.power, s.share[1-i], s.share[i], s.sum), nil)
		}
	}
	s.t.Do(s.cur, foreach.Each(newWhole(s.power), nil))
}
