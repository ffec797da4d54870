// This file holds the loop of a search.

package sssp

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/foray-graph/foray/algos/sssp/internal/functors"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/run"
	"github.com/foray-graph/foray/internal/tuning"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// algorithm is the search with these options.
func algorithm(p *graph.Placed, o Options) traverse.Algorithm[Query, *Result] {
	return traverse.Algorithm[Query, *Result]{
		Name: "sssp", Memory: o.memory(p), Several: true,
		Run: func(t *traverse.Traversal, q Query) (*Result, error) {
			q.Limit = cmp.Or(q.Limit, o.Limit)
			if len(q.Targets) == 0 {
				q.Targets = o.Targets
			}
			return o.search(t, q)
		},
	}
}

// check returns what is wrong with a query.
func (q Query) check(n int) error {
	if len(q.Sources) == 0 {
		return fmt.Errorf("%w: no source was given", graph.ErrNoVertex)
	}
	for _, vs := range [][]uint32{q.Sources, q.Targets} {
		for _, v := range vs {
			if int64(v) >= int64(n) {
				return fmt.Errorf("%w: vertex %d of %d", graph.ErrNoVertex, v, n)
			}
		}
	}
	if !(q.Limit >= 0) {
		return fmt.Errorf("%w: Limit is %v; want 0 or more", graph.ErrOptions, q.Limit)
	}
	return nil
}

// search is one search.
func (o Options) search(t *traverse.Traversal, q Query) (*Result, error) {
	p := t.Placed()
	if err := q.check(p.NumVertices()); err != nil {
		return nil, err
	}
	w, err := weightsOf(p)
	if err != nil {
		return nil, err
	}
	b, oneKernel := lightOf(p), remote(p)
	// On a GPU windows are for one kernel, which doesn't look for targets, as runs ahead are.
	stays := oneKernel && o.Engine != traverse.LevelByLevel && len(q.Targets) == 0
	ahead := stays && b == nil && p.MaxDegree() <= tuning.ShortRows
	wider, across := 1.0, run.Across(p)
	switch {
	case across != nil:
		wider = deltaDealt
	case !oneKernel && b == nil && p.MaxDegree() <= tuning.ShortRows:
		wider = math.Sqrt(float64(p.Device().Info().Units) / 2)
	case ahead:
		wider = deltaAhead
	case stays && b != nil:
		wider = deltaWindow
	}
	r := &Result{Sources: slices.Clone(q.Sources), Limit: cmp.Or(q.Limit, inf), Delta: cmp.Or(o.Delta, w.delta(wider))}
	dist := traverse.Array(t, inf)
	for _, v := range q.Sources {
		traverse.Set(t, dist, v, 0)
	}
	if across != nil {
		r.dealt(t, dist, q)
	} else if b != nil && (!oneKernel || stays) {
		x := lightSearch{Result: r, t: t, dist: dist, w: w, b: b, oneKernel: oneKernel}
		x.run(q)
	} else if ahead {
		f, far := functors.NewRelaxDirect(dist, r.most(), r.scale()), t.Pile()
		t.Repeat(t.From(q.Sources...), advance.PushNearAhead(f, far), pile.Refill(far, f))
	} else if len(q.Targets) == 0 {
		f, far := r.relax(dist), t.Pile()
		t.Repeat(t.From(q.Sources...), advance.PushNearAhead(f, far), pile.Refill(far, f))
	} else {
		r.toTargets(t, dist, q)
	}
	reached := traverse.Scalar[uint64](t, operators.Sum)
	t.Do(t.All(), foreach.All(functors.NewCut(dist, r.most()), reached))
	r.Reached = int(traverse.Get(t, reached))
	var parent *device.Buffer[uint32]
	switch {
	case o.Parents && across != nil:
		parent = dealtParents(t, dist, q.Sources, across)
	case o.Parents:
		parent = parents(t, dist, q.Sources)
	}
	if r.Distances, err = traverse.Result(t, dist); err == nil && o.Parents {
		r.Parents, err = traverse.Result(t, parent)
	}
	if err == nil && b != nil { // rows by weight are another form of the graph
		err = errors.Join(r.Distances.Of(b.of), ofGraph(r.Parents, b.of))
	}
	if err != nil {
		return nil, errors.Join(err, r.Free())
	}
	r.Stats = t.Stats()
	return r, nil
}

// remote reports whether a graph is on a GPU.
func remote(p *graph.Placed) bool { return p.Remote() != nil }

// ofGraph is Values.Of for what may be nil.
func ofGraph(v *traverse.Values[uint32], p *graph.Placed) error {
	if v == nil {
		return nil
	}
	return v.Of(p)
}

// most is the largest distance, which is finite.
func (r *Result) most() float32 { return min(r.Limit, math.MaxFloat32) }

// relax returns the functor of the search.
func (r *Result) relax(dist *device.Buffer[float32]) *functors.RelaxFunctor {
	return functors.NewRelax(dist, r.most(), r.scale())
}

// scale is how many stages a unit of distance has, which is finite.
func (r *Result) scale() float32 { return min(1/r.Delta, math.MaxFloat32) }

// toTargets searches until the distances of the targets are certain, and sets the limit to the
// largest of them. It looks at them after each stage: no path that is found later is shorter
// than what was pushed.
func (r *Result) toTargets(t *traverse.Traversal, dist *device.Buffer[float32], q Query) {
	targets, farthest := t.From(q.Targets...), traverse.Scalar[float64](t, operators.Max)
	f, far := r.relax(dist), t.Pile()
	for cur := t.From(q.Sources...); t.Next(cur); {
		if t.Do(cur, advance.PushNear(f, far)); cur.Len() > 0 {
			continue
		}
		t.Do(targets, foreach.Each(functors.NewFarthest(dist), farthest))
		if d := float32(traverse.Get(t, farthest)); d < r.Limit {
			r.Limit = d
			f = r.relax(dist)
		}
		t.Do(cur, pile.Refill(far, f))
	}
}

// parents finds the parents of all vertices that were reached.
func parents(t *traverse.Traversal, dist *device.Buffer[float32], sources []uint32) *device.Buffer[uint32] {
	parent := traverse.Array(t, graph.NoVertex)
	for _, v := range sources {
		traverse.Set(t, parent, v, v)
	}
	all := t.All()
	t.Do(all, advance.VisitAll(functors.NewTight(dist, parent)))
	round, orphans := traverse.Array[int32](t, 0), traverse.Scalar[uint64](t, operators.Sum)
	t.Do(all, foreach.All(functors.NewOrphans(dist, parent, round), orphans))
	if traverse.Get(t, orphans) > 0 {
		t.Repeat(all, advance.Push(functors.NewFlat(dist, parent, round)), filter.Unique())
	}
	return parent
}
