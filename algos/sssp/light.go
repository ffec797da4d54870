// This file holds the search over rows by rising weight, which leaves out most of the heavy edges.

package sssp

import (
	"math"

	"github.com/foray-graph/foray/algos/sssp/internal/functors"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// lightSearch is a search over rows by weight.
//
// It settles distances window by window: while all distances up to low are certain, it visits
// the edges by which a distance from low to high may come, until nothing changes. What is heavier
// isn't looked at. Once the vertices that are left have few edges, it goes over their in-edges
// instead, each row from its lightest edge on and no further than a lower distance may come.
// When that changes little, near and far piles finish it.
type lightSearch struct {
	*attempt[float32]
	b *byWeight
	// oneKernel: on a GPU, where a kernel does all windows and another one all sweeps.
	oneKernel bool
	low       float32 // where windows ended: distances up to it are certain, and no other vertex is reached

	targets  *traverse.Frontier // nil: none
	farthest *operators.Scalar[float64]
}

func (x *lightSearch) run(q Query) {
	t := x.t
	if len(q.Targets) > 0 {
		x.targets, x.farthest = t.From(q.Targets...), traverse.Scalar[float64](t, operators.Max)
	}
	cur := t.From(q.Sources...)
	var least float32
	if x.oneKernel {
		least = x.inOneKernel(cur)
	} else {
		if ends := x.windows(cur); ends {
			return
		}
		least = x.sweeps(cur)
	}
	if t.Err() == nil && least <= x.most() {
		t.Fill(cur)
		t.Do(cur, filter.Keep(functors.NewBetween(x.dist, least, x.most())))
		f, far := x.relax(false), t.Pile()
		for t.Next(cur) {
			t.Do(cur, advance.PushNear(f, far), pile.Refill(far, f))
		}
	}
	x.toTargets()
}

// windows settles window after window, and reports whether that was all.
func (x *lightSearch) windows(cur *traverse.Frontier) (ends bool) {
	t, all, most := x.t, x.t.Placed().Graph().NumDirectedEdges(), x.most()
	degrees, far := traverse.Scalar[uint64](t, operators.Sum), traverse.Scalar[float64](t, operators.Max)
	settled := functors.NewSettled(x.dist, traverse.Degrees(t), far)
	above, low, width := float32(-1), float32(0), x.width
	for t.Err() == nil {
		high := min(low+width, most)
		if !(high > low) {
			high = most
		}
		lower := advance.PushWithin(functors.NewLower(x.dist, high), advance.Within{Key: x.dist, Above: above, Most: high})
		if t.Next(cur) {
			t.Do(cur, lower, filter.Unique())
		}
		found := cur.Len() > 0
		lower = advance.PushWithin(functors.NewLower(x.dist, high), advance.Within{Key: x.dist, Above: -1, Most: high})
		for t.Next(cur) {
			t.Do(cur, lower, filter.Unique())
		}
		above, low, x.low = high, high, high
		t.Fill(cur)
		t.Do(cur, foreach.All(settled, degrees))
		sum, farthest := traverse.Get(t, degrees), traverse.Get(t, far)
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
	t, most := x.t, x.most()
	changed, least := traverse.Scalar[float64](t, operators.Min), float32(0)
	f := functors.NewNearest(x.dist, most)
	t.Fill(cur)
	for range sweeps {
		// What isn't reached may get its distance from any vertex, others from those only that
		// the last sweep changed.
		t.Do(cur, filter.Keep(functors.NewHopeful(x.dist, x.b.light, max(least, x.low))))
		if !t.Next(cur) {
			return inf
		}
		t.Do(cur, reduce.InWithin(f, reduce.Within{Key: x.dist, Least: least}, changed))
		if least = float32(traverse.Get(t, changed)); t.Err() != nil || math.IsInf(float64(least), 1) {
			return inf
		}
	}
	return least
}

// toTargets reports whether all targets were reached, and sets the limit to the largest of their
// distances then. They must be certain, as those of all that was reached are between windows.
func (x *lightSearch) toTargets() bool {
	if x.targets == nil {
		return false
	}
	x.t.Do(x.targets, foreach.Each(functors.NewFarthest(x.dist), x.farthest))
	d := float32(traverse.Get(x.t, x.farthest))
	x.limit = min(x.limit, d)
	return d < inf
}
