// This file holds the search over rows by rising weight, which leaves out most of the heavy edges.

package sssp

import (
	"math"

	"github.com/foray-graph/foray/algos/sssp/internal/functors"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// lightSearch is a search over rows by weight on the host.
//
// It settles distances window by window: while all distances up to low are certain, it visits
// the edges by which a distance from low to high may come, until nothing changes. What is heavier
// isn't looked at. Once the vertices that are left have few edges, it goes over their in-edges
// instead, each row from its lightest edge on and no further than a lower distance may come.
// When that changes little, near and far piles finish it.
type lightSearch struct {
	*attempt[float32]
	b    *byWeight
	low  float32 // where windows ended: distances up to it are certain, and no other vertex is reached
	aims bool    // at targets

	degrees           *operators.Scalar[uint64]
	far               *operators.Scalar[float64]
	changed           *operators.Scalar[float64]
	lower             functors.Bounded[float32]
	within            step.Ranged
	settle            []operators.Step // within, and settled
	lowering          []operators.Step
	nearest           *functors.NearestFunctor
	hopeful           *functors.HopefulFunctor
	hoping, gathering []operators.Step
	rest              rest
}

// newLightSearch makes a search over rows by weight for the searches to come.
func newLightSearch(a *attempt[float32], b *byWeight) *lightSearch {
	x := &lightSearch{attempt: a, b: b, rest: newRest(a)}
	t := a.t
	x.degrees, x.far, x.changed = traverse.Scalar[uint64](t, operators.Sum), traverse.Scalar[float64](t, operators.Max), traverse.Scalar[float64](t, operators.Min)
	x.settle = []operators.Step{foreach.All(functors.NewSettled(a.dist, traverse.Degrees(t), x.far), x.degrees)}
	lower := functors.NewLowerFloat32(a.dist, 0)
	within := advance.PushByWeight(lower, advance.Within{Key: a.dist})
	x.lower, x.within = lower, within.(step.Ranged)
	x.lowering = []operators.Step{within, filter.Unique()}
	x.nearest, x.hopeful = functors.NewNearest(a.dist, 0), functors.NewHopeful(a.dist, b.light, 0)
	x.hoping = []operators.Step{filter.Keep(x.hopeful)}
	x.gathering = []operators.Step{reduce.InByWeight(x.nearest, reduce.Within{Key: a.dist, LeastOf: x.changed}, x.changed)}
	return x
}

func (x *lightSearch) run(q Query) {
	t, cur := x.t, x.cur
	if x.aims = len(q.Targets) > 0; x.aims {
		t.Replace(x.targets, q.Targets...)
	}
	t.Replace(cur, q.Sources...)
	if ends := x.windows(cur); ends {
		return
	}
	least := x.sweeps(cur)
	if t.Err() == nil && least <= x.most() {
		x.rest.from(x.attempt, least)
	}
	x.toTargets()
}

// windows settles window after window, and reports whether that was all.
func (x *lightSearch) windows(cur *traverse.Frontier) (ends bool) {
	t, all, most := x.t, x.t.Placed().Graph().NumDirectedEdges(), x.most()
	above, low, width := float32(-1), float32(0), x.width
	for t.Err() == nil {
		high := min(low+width, most)
		if !(high > low) {
			high = most
		}
		x.lower.Bound(high)
		x.within.Range(above, high)
		if t.Next(cur) {
			t.Do(cur, x.lowering...)
		}
		found := cur.Len() > 0
		x.within.Range(-1, high)
		for t.Next(cur) {
			t.Do(cur, x.lowering...)
		}
		above, low, x.low = high, high, high
		t.Fill(cur)
		t.Do(cur, x.settle...)
		sum, farthest := traverse.Get(t, x.degrees), traverse.Get(t, x.far)
		if x.toTargets() || t.Err() != nil || low >= most || farthest+x.w.most <= float64(low) {
			return true
		}
		// The next window goes over that share of the edges of what is settled, a pull over
		// that of the edges of what isn't.
		if !found {
			width *= 2
		}
		light := min(float64(low)/(2*x.w.mean), 1)
		if float64(all-sum)*light*pullCost <= float64(sum)*min(float64(width)/(2*x.w.mean), 1) {
			return false
		}
	}
	return true
}

// sweeps pulls until nothing changes, which it says by +Inf, or little does: then it returns the
// least distance that other distances may still depend on.
func (x *lightSearch) sweeps(cur *traverse.Frontier) float32 {
	t, least := x.t, float32(0)
	x.nearest.Bound(x.most())
	t.Fill(cur)
	for range sweeps {
		// What isn't reached may get its distance from any vertex, others from those only that
		// the last sweep changed.
		x.hopeful.From(max(least, x.low))
		t.Do(cur, x.hoping...)
		if !t.Next(cur) {
			return inf
		}
		t.Do(cur, x.gathering...)
		if least = float32(traverse.Get(t, x.changed)); t.Err() != nil || math.IsInf(float64(least), 1) {
			return inf
		}
	}
	return least
}

// toTargets reports whether all targets were reached, and sets the limit to the largest of their
// distances then. They must be certain, as those of all that was reached are between windows.
func (x *lightSearch) toTargets() bool {
	if !x.aims {
		return false
	}
	x.t.Do(x.targets, x.looking...)
	d := float32(traverse.Get(x.t, x.farTargets))
	x.limit = min(x.limit, d)
	return d < inf
}
