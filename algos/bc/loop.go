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
	start, keep, back []operators.Step
	push              operators.Step
	find, findLast    []operators.Step    // all vertices that the level found; and settle
	reach, flood      [2][]operators.Step // by the parity of a level's depth; and settle
	meet              [2][]operators.Step // of those that weren't found yet
	paths             [2][]operators.Step // and push
	leaf, last        [2][]operators.Step
	depend            [2][]operators.Step
	most              [2][]operators.Step
	above             *aboveFunctor
	aboves            []operators.Step
	widePaths         [2][]operators.Step // and push
	wideDepend        [2][]operators.Step
	whole             []operators.Step
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
		s.mostIn = p.State().MaxDegree()
	}
	if p.Remote() != nil {
		s.flooding = uint64(p.NumVertices()) / floodPart
	}
	for i := range 2 {
		s.count[i], s.share[i] = traverse.Array[float64](t, 0), traverse.Array[float64](t, 0)
	}
	s.start = of(foreach.Each(newBegin(s.mark, s.count[0], s.share[0], s.share[1]), nil))
	s.keep, s.back = of(s.trail.Keep()), of(s.trail.Back())
	s.push = advance.Push(newDiscover(s.mark))
	find, rest := filter.Keep(newMet(s.mark)), filter.Keep(newUnmet(s.mark))
	settle := foreach.Each(newSettle(s.share[0], s.share[1], s.degree), s.edges)
	s.find, s.findLast = of(find), of(find, settle)
	s.above = newAbove(s.mark, 0)
	s.aboves = of(advance.Push(s.above), filter.Unique())
	for i := range 2 {
		up, here := s.count[1-i], s.count[i]
		s.reach[i] = of(advance.Push(newReach(s.mark, up, here)), settle)
		s.flood[i] = of(advance.Visit(newFlood(s.mark, up, here)))
		s.leaf[i] = of(foreach.Each(newLeaf(s.mark, here, s.share[i]), nil))
		s.paths[i] = of(s.push, reduce.In(newPaths(up, here, s.share[0], s.share[1], s.degree), s.edges))
		s.meet[i] = of(rest, reduce.In(newMeet(s.mark, up, here, s.share[0], s.share[1], s.degree), s.edges))
		s.last[i] = of(foreach.Each(newLast(s.mark, here, s.share[i]), nil))
		s.depend[i] = of(reduce.Out(newDepend(s.mark, here, s.share[1-i], s.share[i], s.sum), nil))
		s.most[i] = of(foreach.Each(newMost(here), s.largest))
	}
	return s
}

// of makes a list, which calls of Do would make each time.
func of(steps ...operators.Step) []operators.Step { return steps }

func (s *search) begin() {}

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
	t.Do(s.cur, s.start...)
	s.wide = never
	s.out, s.level = append(s.out[:0], edges), t.Level()
	bits := 0.0 // no count of the level above has more
	for depth := 1; t.Next(s.cur); depth++ {
		i := depth & 1
		t.Do(s.cur, s.keep...)
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
			t.Do(s.cur, s.widePaths[i]...)
		case edges > pullShare*(left+n):
			t.Fill(s.other)
			t.Do(s.other, s.meet[i]...)
			t.Fill(s.cur)
			t.Do(s.cur, s.find...)
		case bits <= exactBits && edges > s.flooding:
			// A queue in the order of vertices, which the way back is faster over, too.
			t.Do(s.cur, s.flood[i]...)
			t.Fill(s.cur)
			t.Do(s.cur, s.findLast...)
		case bits <= exactBits:
			t.Do(s.cur, s.reach[i]...)
		default:
			t.Do(s.cur, s.paths[i]...)
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
		t.Do(s.cur, s.back...)
		if !t.Next(s.cur) {
			return
		}
		i := depth & 1
		switch {
		case depth == end || depth == 0:
			t.Do(s.cur, s.last[i]...)
		case depth+1 >= s.wide:
			t.Do(s.cur, s.wideDepend[i]...)
		case !directed && leafShare*s.out[depth+1] <= uint64(s.cur.Len()):
			// Most of the level leads no farther: those that do are found from below.
			s.above.want = levelMark(int32(s.level + depth))
			t.Do(s.other, s.aboves...)
			t.Do(s.other, s.depend[i]...)
			t.Do(s.cur, s.leaf[i]...)
		default:
			t.Do(s.cur, s.depend[i]...)
		}
	}
}

// measure returns the bits of the largest count of the frontier.
func (s *search) measure(i int) float64 {
	s.t.Do(s.cur, s.most[i]...)
	return math.Log2(max(traverse.Get(s.t, s.largest), 1))
}

// widen has counts have powers from a depth on. The frontier is the level before.
func (s *search) widen(depth int) {
	s.wide = depth
	s.power = traverse.Kept(s.t, func() powers { return powers{traverse.Array[int32](s.t, 0)} }).Buffer
	if s.t.Err() == nil && s.whole == nil {
		s.whole = of(foreach.Each(newWhole(s.power), nil))
		for i := range 2 {
			up, here := s.count[1-i], s.count[i]
			s.widePaths[i] = of(s.push, reduce.In(newLargest(up, s.power), nil),
				reduce.In(newWidePaths(up, here, s.share[0], s.share[1], s.power, s.degree), s.edges))
			s.wideDepend[i] = of(reduce.Out(newWideDepend(s.mark, here, s.power, s.share[1-i], s.share[i], s.sum), nil))
		}
	}
	s.t.Do(s.cur, s.whole...)
}
