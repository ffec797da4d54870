// This file holds what makes distances exact: which type a search has, and whether that was enough.

package sssp

import (
	"cmp"
	"errors"
	"math"

	"github.com/foray-graph/foray/algos/sssp/internal/functors"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// Integer weights have distances of int64, floats distances of float64. A search in float32 takes half of the
// memory, and has more engines, so that it comes first wherever its result may be exact. Whether it was, is
// seen at the largest distance.
//
// Let all weights be multiples of u, a power of two, and B = 2^24 u, which for integers is 2^24 at least. A
// multiple of u up to B is a float32. Let D(v) be the least sum along a path to v in exact arithmetic, and
// d(v) what a search in float32 finds: the least sum along a path, rounded after each addition. Rounding is
// monotone, and B is a float32: a sum of B or more is rounded to B or more, and stays so, as weights aren't
// negative. A sum below B isn't rounded. So along each path both sums are equal as long as the exact one is
// below B, and both are B or more from then on. Hence d(v) = D(v) where one of them is below B, and both are B or
// more elsewhere. If all vertices that were reached are nearer than B, then, all distances are exact. So are
// parents, which are found by the same sums: from u to v by weight w, d(u)+w is compared with d(v) < B, and
// is equal only where it isn't rounded. A limit below B leaves out the same vertices in both: a distance is
// compared with the largest float32 that isn't above the limit. What is lost is a vertex that float32 finds to be
// at +Inf, since sums passed the largest float32. That can't be where B and the largest weight are 2^126 at most
// and all that was reached is nearer than B: an edge out of that leads to a sum below 2^127.
//
// The same holds of float64 with 2^53 in the place of 2^24, by which distances of int64 come from a search in
// float64. Of floats, the search in float64 is what is asked for.

// bounds of the proof.
const (
	digits32 = 24
	digits64 = 53
	mostBits = 126
)

// bound returns B for a number of digits, or 0 where the proof has no place for the weights.
func (w *weights) bound(digits int) float64 {
	if w.unit == math.MaxInt { // all are 0
		return math.Ldexp(1, mostBits)
	}
	if w.most > math.Ldexp(1, mostBits) {
		return 0
	}
	return math.Ldexp(1, min(digits+w.unit, mostBits))
}

// single reports whether a search in float32 may be exact. Where a few edges of mean weight come to B,
// it hardly ever is, and where it was not, it will not be again.
func (w *weights) single() bool {
	return !w.wide && w.most < w.bound(digits32) && w.mean*fewEdges < w.bound(digits32) && !w.passed.Load()
}

// exact is a search with distances of the type of the weights.
func (o Options) exact(t *traverse.Traversal, q Query, w *weights) (*Result, error) {
	g := traverse.Kept(t, func() *ground { return newGround(t) })
	if err := t.Err(); err != nil {
		return nil, err
	}
	g.piled = false
	if o.Float32 || w.typ == graph.WeightsFloat32 {
		a, err := newAttempt[float32](o, t, q, w, g)
		if err != nil {
			return nil, err
		}
		return finish(o, a, q, graph.WeightsFloat32)
	}
	if w.single() {
		a, err := newAttempt[float32](o, t, q, w, g)
		if err != nil {
			return nil, err
		}
		if a.farthest < w.bound(digits32) {
			return finish(o, a, q, w.typ)
		}
		w.passed.Store(true)
	}
	// Several GPUs have no atomics.Min of 64 bits at one another's vertices.
	if why := run.Choose(t.Placed(), run.Ways[string]{Shards: "distances need 64 bits, and several GPUs search with 32"}); why != "" {
		if w.typ == graph.WeightsInt64 {
			return onHost[int64](o, t, q, why)
		}
		return onHost[float64](o, t, q, why)
	}
	const long = "distances need more than 53 bits"
	if w.typ == graph.WeightsInt64 && w.most >= w.bound(digits64) {
		return onHost[int64](o, t, q, long)
	}
	a, err := newAttempt[float64](o, t, q, w, g)
	if err != nil {
		return nil, err
	}
	if w.typ == graph.WeightsInt64 && a.farthest >= w.bound(digits64) {
		return onHost[int64](o, t, q, long)
	}
	return finish(o, a, q, w.typ)
}

// finish makes a result of a search.
func finish[T float32 | float64](o Options, a *attempt[T], q Query, typ graph.WeightType) (*Result, error) {
	t := a.t
	r := newResult(t, q)
	r.Reached, r.Limit, r.Delta, r.ByWeight = a.reached, cmp.Or(q.Limit, math.Inf(1)), float64(a.width), a.byWeight
	if a.limit < atMost[T](q.Limit) { // by the targets
		r.Limit = float64(a.limit)
	}
	var parent *device.Buffer[uint32]
	if o.Parents {
		parent = a.parents(q.Sources)
	}
	var err error
	single, isSingle := any(a.dist).(*device.Buffer[float32])
	switch {
	case typ == graph.WeightsInt64:
		r.Distances.Int64, err = traverse.Result(t, ints(t))
	case typ == graph.WeightsFloat32:
		r.Distances.Float32, err = traverse.Result(t, single)
	case isSingle:
		doubles := traverse.Kept(t, func() unfilled[float64] { return unfilled[float64]{traverse.Uninitialized[float64](t)} }).Buffer
		if a.toDoubles == nil {
			a.toDoubles = []operators.Step{foreach.All(functors.NewDouble(single, doubles), nil)}
		}
		t.Do(a.all, a.toDoubles...)
		r.Distances.Float64, err = traverse.Result(t, doubles)
	default:
		r.Distances.Float64, err = traverse.Result(t, functor64(a.dist))
	}
	if err == nil && o.Parents {
		r.Parents, err = traverse.Result(t, parent)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// ints reports whether distances are integers.
func (o Options) ints(w *weights) bool { return w.typ == graph.WeightsInt64 && !o.Float32 }

// ints is where they are.
func ints(t *traverse.Traversal) *device.Buffer[int64] {
	return traverse.Kept(t, func() unfilled[int64] { return unfilled[int64]{traverse.Uninitialized[int64](t)} }).Buffer
}

// unfilled is an array for results, which a Searcher keeps.
type unfilled[T device.Elem] struct{ *device.Buffer[T] }

// newResult returns the result of a query, without what was found.
func newResult(t *traverse.Traversal, q Query) *Result {
	r := traverse.Kept(t, func() *Result { return &Result{} })
	if r == nil {
		return &Result{} // after an error
	}
	*r = Result{Sources: append(r.Sources[:0], q.Sources...)}
	return r
}

// onHost searches on one goroutine of the host, for distances that no engine of the devices supports.
func onHost[T int64 | float64](o Options, t *traverse.Traversal, q Query, why string) (*Result, error) {
	p := t.Placed()
	g := p.Graph()
	if err := g.Fetch(); err != nil {
		return nil, err
	}
	s := traverse.Kept(t, func() *sequential[T] { return &sequential[T]{c: g.Out(), ids: g.IDs()} })
	if err := t.Err(); err != nil {
		return nil, err
	}
	s.ctx = t.Context()
	err := s.run(q)
	if s.ctx = nil; err != nil {
		return nil, err
	}
	r := newResult(t, q)
	r.Limit, r.Delta, r.WhyHost = s.limit, math.Inf(1), why
	for v, x := range s.distances {
		if s.settled[v] {
			r.Reached++
		} else if _, whole := any(x).(int64); whole {
			s.distances[v] = -1
		}
	}
	dist := traverse.Kept(t, func() unfilled[T] { return unfilled[T]{traverse.Uninitialized[T](t)} }).Buffer
	if err := t.Err(); err != nil {
		return nil, err
	}
	if err := run.Write(p, dist, s.distances); err != nil {
		return nil, err
	}
	switch d := any(dist).(type) {
	case *device.Buffer[int64]:
		r.Distances.Int64, err = traverse.Result(t, d)
	case *device.Buffer[float64]:
		r.Distances.Float64, err = traverse.Result(t, d)
	}
	if err == nil && o.Parents {
		parent := traverse.Kept(t, func() unfilled[uint32] { return unfilled[uint32]{traverse.Uninitialized[uint32](t)} }).Buffer
		if err = t.Err(); err == nil {
			err = run.Write(p, parent, s.parents)
		}
		if err == nil {
			r.Parents, err = traverse.Result(t, parent)
		}
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}
