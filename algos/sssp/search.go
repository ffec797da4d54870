// This file holds the loop of a search, in one type of distances.

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
	w, err := weightsOf(t.Context(), p)
	if err != nil {
		return nil, err
	}
	r, err := o.exact(t, q, w)
	if err != nil {
		return nil, err
	}
	r.Sources = slices.Clone(q.Sources)
	if b := lightOf(p); b != nil { // rows by weight are another form of the graph
		if err := errors.Join(r.Distances.of(b.of), ofGraph(r.Parents, b.of)); err != nil {
			return nil, errors.Join(err, r.Free())
		}
	}
	r.Stats = t.Stats()
	return r, nil
}

// attempt is a search with distances of one type.
type attempt[T float32 | float64] struct {
	t        *traverse.Traversal
	w        *weights
	wide     *device.Buffer[float64] // weights that float32 doesn't hold; nil: those of edges
	dist     *device.Buffer[T]
	limit    T // +Inf: none
	width    T // of a stage; +Inf: there is one
	reached  int
	farthest float64 // the largest distance of what was reached
}

// infinite is +Inf.
func infinite[T float32 | float64]() T { return T(math.Inf(1)) }

// largest is the largest finite number.
func largest[T float32 | float64]() T {
	x := math.MaxFloat64
	if most := T(math.MaxFloat32); most*2 > most && math.IsInf(float64(most*2), 1) {
		x = math.MaxFloat32
	}
	return T(x)
}

// atMost is the largest number of the type that isn't above a limit, of which 0 means none.
func atMost[T float32 | float64](limit float64) T {
	if limit == 0 {
		return infinite[T]()
	}
	x := T(limit)
	if float64(x) > limit && !math.IsInf(limit, 1) {
		if x > largest[T]() {
			return largest[T]()
		}
		x = T(math.Nextafter32(float32(x), 0)) // only a float32 is rounded up
	}
	return x
}

// newAttempt searches with distances of one type.
func newAttempt[T float32 | float64](o Options, t *traverse.Traversal, q Query, w *weights) (*attempt[T], error) {
	p := t.Placed()
	a := &attempt[T]{t: t, w: w, limit: atMost[T](q.Limit)}
	single, isSingle := any(a).(*attempt[float32])
	b, oneKernel := lightOf(p), remote(p)
	if !isSingle {
		b = nil
		if w.wide {
			var err error
			if a.wide, err = p.FloatWeights(); err != nil {
				return nil, err
			}
		}
	}
	// On a GPU windows are for one kernel, which doesn't look for targets, as runs ahead are.
	stays := oneKernel && o.Engine != traverse.LevelByLevel && len(q.Targets) == 0
	ahead := stays && b == nil && p.MaxDegree() <= tuning.ShortRows
	wider, across := 1.0, run.Across(p)
	switch {
	case across != nil:
		wider = deltaDealt
	case !oneKernel && b == nil && p.MaxDegree() <= tuning.ShortRows:
		wider = math.Sqrt(float64(units(p)) / 2)
	case ahead:
		wider = deltaAhead
	case stays && b != nil:
		wider = deltaWindow
	}
	if a.width = T(o.Delta); a.width == 0 {
		a.width = T(w.delta(wider))
	}
	if !(a.width > 0) { // less than the least number
		a.width = infinite[T]()
	}
	a.dist = traverse.Array(t, infinite[T]())
	for _, v := range q.Sources {
		traverse.Set(t, a.dist, v, 0)
	}
	if across != nil {
		a.dealt(q)
	} else if isSingle && b != nil && (!oneKernel || stays) {
		x := lightSearch{attempt: single, b: b, oneKernel: oneKernel}
		x.run(q)
	} else if len(q.Targets) == 0 {
		f, far := a.relax(ahead), t.Pile()
		t.Repeat(t.From(q.Sources...), advance.PushNearAhead(f, far), pile.Refill(far, f))
	} else {
		a.toTargets(q)
	}
	reached := traverse.Scalar[uint64](t, operators.Sum)
	t.Do(t.All(), foreach.All(functors.NewCut(a.dist, a.most()), reached))
	a.reached = int(traverse.Get(t, reached))
	return a, t.Err()
}

// reach finds the largest distance of what was reached.
func (a *attempt[T]) reach() error {
	far := traverse.Scalar[float64](a.t, operators.Max)
	a.t.Do(a.t.All(), foreach.All(functors.NewReach(a.dist), far))
	a.farthest = traverse.Get(a.t, far)
	return a.t.Err()
}

// remote reports whether a graph is on a GPU.
func remote(p *graph.Placed) bool { return p.Remote() != nil }

// ofGraph is Values.Of for what may be nil.
func ofGraph[T device.Elem](v *traverse.Values[T], p *graph.Placed) error {
	if v == nil {
		return nil
	}
	return v.Of(p)
}

// most is the largest distance, which is finite.
func (a *attempt[T]) most() T { return min(a.limit, largest[T]()) }

// relaxer is the functor of a search.
type relaxer interface {
	advance.Sorter
	pile.Functor
}

// relax returns the functor of the search; direct says that most edges lower a distance once.
func (a *attempt[T]) relax(direct bool) relaxer {
	switch {
	case a.wide != nil:
		return functors.NewRelaxWide(functor64(a.dist), a.wide, float64(a.most()), float64(a.scale()))
	case direct:
		return functors.NewRelaxDirect(a.dist, a.most(), a.scale())
	}
	return functors.NewRelax(a.dist, a.most(), a.scale())
}

// functor64 is the distances of a search in float64.
func functor64[T float32 | float64](b *device.Buffer[T]) *device.Buffer[float64] {
	return any(b).(*device.Buffer[float64])
}

// scale is how many stages a unit of distance has, which is finite.
func (a *attempt[T]) scale() T { return min(1/a.width, largest[T]()) }

// toTargets searches until the distances of the targets are certain, and sets the limit to the
// largest of them. It looks at them after each stage: no path that is found later is shorter
// than what was pushed.
func (a *attempt[T]) toTargets(q Query) {
	t := a.t
	targets, farthest := t.From(q.Targets...), traverse.Scalar[float64](t, operators.Max)
	f, far := a.relax(false), t.Pile()
	for cur := t.From(q.Sources...); t.Next(cur); {
		if t.Do(cur, advance.PushNear(f, far)); cur.Len() > 0 {
			continue
		}
		t.Do(targets, foreach.Each(functors.NewFarthest(a.dist), farthest))
		if d := T(traverse.Get(t, farthest)); d < a.limit {
			a.limit = d
			f = a.relax(false)
		}
		t.Do(cur, pile.Refill(far, f))
	}
}

// parents finds the parents of all vertices that were reached.
func (a *attempt[T]) parents(sources []uint32) *device.Buffer[uint32] {
	t := a.t
	if across := run.Across(t.Placed()); across != nil {
		return a.dealtParents(sources, across)
	}
	parent := traverse.Array(t, graph.NoVertex)
	for _, v := range sources {
		traverse.Set(t, parent, v, v)
	}
	all := t.All()
	if a.wide != nil {
		t.Do(all, advance.VisitAll(functors.NewTightWide(functor64(a.dist), a.wide, parent)))
	} else {
		t.Do(all, advance.VisitAll(functors.NewTight(a.dist, parent)))
	}
	round, orphans := traverse.Array[int32](t, 0), traverse.Scalar[uint64](t, operators.Sum)
	t.Do(all, foreach.All(functors.NewOrphans(a.dist, parent, round), orphans))
	if traverse.Get(t, orphans) == 0 {
		return parent
	}
	if a.wide != nil {
		t.Repeat(all, advance.Push(functors.NewFlatWide(functor64(a.dist), a.wide, parent, round)), filter.Unique())
	} else {
		t.Repeat(all, advance.Push(functors.NewFlat(a.dist, parent, round)), filter.Unique())
	}
	return parent
}

// units is how many workers a host has. Device.Info also asks the system for memory, which takes as long as a
// small search.
func units(p *graph.Placed) int {
	if d, ok := p.Device().(interface{ Workers() int }); ok {
		return d.Workers()
	}
	return p.Device().Info().Units
}
