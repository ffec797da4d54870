// This file holds the search over several GPUs.

package sssp

import (
	"math"

	"github.com/foray-graph/foray/algos/sssp/internal/functors"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// overShards searches by one kernel on each GPU if it can, else stage by stage. There is no far pile: what is due later is known by its distance, and the next
// stage is the vertices that have one in it, among all of a GPU's. So every step changes only the vertices that it lets
// through, and GPUs tell each other about that alone.
func (a *attempt[T]) overShards(o Options, q Query) {
	if single, is := any(a).(*attempt[float32]); is && o.together() && len(q.Targets) == 0 {
		p := a.t.Placed()
		if b, ok := placed.Lookup(p.State(), byWeightKey{}); ok && b.shards != nil && o.Prepare != PrepareNever {
			a.begins(o, q, deltaWindow)
			searchTogether(single, o, b, q)
			return
		}
		if a.w.finite && !a.w.mayOverflow(p.NumVertices(), digits32, math.MaxFloat32) {
			a.begins(o, q, deltaTogether)
			searchTogether(single, o, nil, q)
			return
		}
	}
	a.begins(o, q, deltaShards)
	t, dist := a.t, a.dist
	most, least := a.most(), traverse.Scalar[float64](t, operators.Min)
	lower, cur := advance.Push(functors.NewLower(dist, most)), t.From(q.Sources...)
	var targets *traverse.Frontier
	farthest := traverse.Scalar[float64](t, operators.Max)
	if len(q.Targets) > 0 {
		targets = t.From(q.Targets...)
	}
	for low := T(0); t.Err() == nil; {
		high := low + a.width // where the stage ends
		if !(high > low && high < most) {
			high = most
		}
		if low > 0 {
			t.Fill(cur)
			t.Do(cur, filter.Keep(functors.NewBetween(dist, low, high)))
		}
		near := filter.Keep(functors.NewBetween(dist, 0, high))
		for t.Next(cur) {
			t.Do(cur, lower, filter.Unique(), near)
		}
		if targets != nil {
			t.Do(targets, foreach.Each(functors.NewFarthest(dist), farthest))
			if d := traverse.Get(t, farthest); d <= float64(high) {
				a.limit = min(a.limit, T(d))
				return
			}
		}
		if high >= most {
			return
		}
		t.Do(cur, foreach.All(functors.NewBeyond(dist, high), least))
		next := traverse.Get(t, least)
		if math.IsInf(next, 1) {
			return
		}
		low = T(next)
	}
}

// parentsOverShards is parents over shards, where vertices have numbers of the GPUs' own.
func (a *attempt[T]) parentsOverShards(sources []uint32) *device.Buffer[uint32] {
	t, dist, shards := a.t, a.dist, run.ShardsOf(a.t.Placed())
	parent, devices := traverse.Array(t, graph.NoVertex), uint32(len(shards.Parts))
	for _, v := range sources {
		traverse.Set(t, parent, v, v)
	}
	all := t.All()
	t.Do(all, advance.VisitAll(functors.NewTightShards(dist, parent, shards.Stride, devices)))
	round, orphans := traverse.Array[int32](t, 0), traverse.Scalar[uint64](t, operators.Sum)
	t.Do(all, foreach.All(functors.NewOrphans(dist, parent, round), orphans))
	if traverse.Get(t, orphans) > 0 {
		t.Repeat(all, advance.Push(functors.NewFlatShards(dist, parent, round, shards.Stride, devices)), filter.Unique())
	}
	return parent
}
