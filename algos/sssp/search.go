// This file holds the loop of a search, in one type of distances, and the search over rows by rising weight on a GPU.

package sssp

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/foray-graph/foray/algos/sssp/internal/functors"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// algorithm is the search with these options.
func algorithm(p *graph.Placed, o Options) traverse.Algorithm[Query, *Result] {
	search := func(t *traverse.Traversal, q Query) (*Result, error) {
		q.Limit = cmp.Or(q.Limit, o.Limit)
		if len(q.Targets) == 0 {
			q.Targets = o.Targets
		}
		return o.search(t, q)
	}
	return traverse.Algorithm[Query, *Result]{Name: "sssp", Memory: o.memory(p), Run: search, RunShards: search, Form: o.form}
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
	g, b := p.Graph(), lightOf(p)
	if b != nil { // rows by weight are another form of the graph
		g, r.ByWeight = b.of.Graph(), true
		if err := errors.Join(r.Distances.of(b.of), ofGraph(r.Parents, b.of)); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	if err := r.overflow(t.Context(), g, w); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.Stats = t.Stats()
	o.note(t, q, r.Reached)
	return r, nil
}

// attempt is a search with distances of one type. A Searcher keeps it with its steps, which take more memory than
// a search of few vertices is worth.
type attempt[T float32 | float64] struct {
	t        *traverse.Traversal
	w        *weights
	wide     *device.Buffer[float64] // weights that float32 doesn't hold; nil: those of edges
	dist     *device.Buffer[T]
	limit    T // +Inf: none
	width    T // of a stage; +Inf: there is one
	reached  int
	farthest float64 // the largest distance of a reached vertex
	measured bool    // kernels on several GPUs did what ends does
	byWeight bool    // and went over rows by weight
	windowed bool    // one kernel on a GPU searches in windows (windows.go)

	*ground
	cut, cutWhole       functors.Bounded[T]
	cutting, cuttingInt []operators.Step // the second one makes integers too
	looking             []operators.Step // at the targets
	relaxers            [2]relaxer[T]    // and the direct one
	whole               [2][]operators.Step
	begin, near, refill []operators.Step // of the pile
	tight, orphan, flat []operators.Step // of parents
	toDoubles           []operators.Step
}

// ground is what attempts of both types have in common.
type ground struct {
	all, cur, targets   *traverse.Frontier
	count               *operators.Scalar[uint64]
	largest, farTargets *operators.Scalar[float64]
	piled               bool // an attempt of this search had the pile
}

func newGround(t *traverse.Traversal) *ground {
	return &ground{all: t.All(), cur: t.From(), targets: t.From(), count: traverse.Scalar[uint64](t, operators.Sum),
		largest: traverse.Scalar[float64](t, operators.Max), farTargets: traverse.Scalar[float64](t, operators.Max)}
}

// makeAttempt makes an attempt for the searches to come.
func makeAttempt[T float32 | float64](t *traverse.Traversal, g *ground) *attempt[T] {
	a := &attempt[T]{t: t, ground: g, dist: traverse.Array(t, infinite[T]())}
	cut := functors.NewCut(a.dist, infinite[T](), g.largest)
	a.cut, a.cutting = cut.(functors.Bounded[T]), []operators.Step{foreach.All(cut, g.count)}
	a.looking = []operators.Step{foreach.Each(functors.NewFarthest(a.dist), g.farTargets)}
	return a
}

// pile returns the far pile. Searches over shards have none.
func (a *attempt[T]) pile() *pile.Pile {
	return traverse.Kept(a.t, func() piled { return piled{a.t.Pile()} }).Pile
}

type piled struct{ *pile.Pile }

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
func newAttempt[T float32 | float64](o Options, t *traverse.Traversal, q Query, w *weights, g *ground) (*attempt[T], error) {
	p := t.Placed()
	a := traverse.Kept(t, func() *attempt[T] { return makeAttempt[T](t, g) })
	if err := t.Err(); err != nil {
		return nil, err
	}
	a.w, a.limit, a.measured, a.byWeight = w, atMost[T](q.Limit), false, false
	if _, single := any(a).(*attempt[float32]); !single && w.wide {
		var err error
		if a.wide, err = p.State().FloatWeights(); err != nil {
			return nil, err
		}
	}
	a.windowed = false
	if _, single := any(a).(*attempt[float32]); single && o.stays(p, q) {
		var err error
		if a.windowed, err = w.canWindow(t.Context(), p); err != nil {
			return nil, err
		}
	}
	run.Choose(p, run.Ways[func(*attempt[T], Options, Query)]{Host: (*attempt[T]).onOne, GPU: (*attempt[T]).onOne, Shards: (*attempt[T]).overShards})(a, o, q)
	if !a.measured {
		a.ends(o)
	}
	return a, t.Err()
}

// ends forgets distances above the limit, finds how many vertices were reached and the largest distance, and makes integers
// of distances where the result has those.
func (a *attempt[T]) ends(o Options) {
	t, cut, cutting := a.t, a.cut, a.cutting
	if o.ints(a.w) {
		if a.cutWhole == nil {
			whole := functors.NewCutWhole(a.dist, ints(t), infinite[T](), a.largest)
			a.cutWhole, a.cuttingInt = whole.(functors.Bounded[T]), []operators.Step{foreach.All(whole, a.count)}
		}
		cut, cutting = a.cutWhole, a.cuttingInt
	}
	cut.Bound(a.most())
	t.Do(a.all, cutting...)
	a.reached = int(traverse.Get(t, a.count))
	a.farthest = max(0, traverse.Get(t, a.largest))
}

// begins sets the width of stages, which by default is so many times that of the weights, and the sources.
func (a *attempt[T]) begins(o Options, q Query, wider float64) {
	if a.width = T(o.Delta); a.width == 0 {
		a.width = T(a.w.delta(wider))
	}
	if !(a.width > 0) { // less than the least number
		a.width = infinite[T]()
	}
	for _, v := range q.Sources {
		traverse.Set(a.t, a.dist, v, 0)
	}
}

// stays reports whether a search on one GPU is in one kernel, which doesn't look for targets.
func (o Options) stays(p *graph.Placed, q Query) bool {
	return run.Choose(p, run.Ways[bool]{GPU: true}) && o.Engine != traverse.LevelByLevel && len(q.Targets) == 0
}

// onOne searches on the host or on one GPU.
func (a *attempt[T]) onOne(o Options, q Query) {
	t, p, w := a.t, a.t.Placed(), a.w
	single, isSingle := any(a).(*attempt[float32])
	b, oneKernel := lightOf(p), remote(p)
	if !isSingle {
		b = nil
	}
	stays := o.stays(p, q) // as windows and runs ahead do on a GPU
	ahead := stays && b == nil && p.State().MaxDegree() <= tuning.ShortRows
	wider := 1.0
	switch {
	case !oneKernel && b == nil && p.State().MaxDegree() <= tuning.ShortRows && len(q.Targets) == 0 && o.EachLevel == nil:
		wider = deltaAsync
	case !oneKernel && b == nil && p.State().MaxDegree() <= tuning.ShortRows:
		wider = math.Sqrt(float64(units(p)) / 2)
	case !oneKernel && b == nil && p.State().MaxDegree() >= tuning.SkewedDegree && w.fine():
		wider = deltaFine
	case ahead:
		wider = deltaAhead
	case a.windowed && p.State().MaxDegree() < tuning.SkewedDegree:
		wider = deltaWindow
	}
	a.begins(o, q, wider)
	if a.windowed {
		inWindows(single, o)
	} else if isSingle && b != nil && !oneKernel {
		if x := traverse.Kept(t, func() *lightSearch { return newLightSearch(single, b) }); t.Err() == nil {
			x.run(q)
		}
	} else if len(q.Targets) == 0 {
		a.toEnd(q, ahead)
	} else {
		a.toTargets(q)
	}
}

// toEnd searches until nothing is left. direct says that most edges lower a distance once.
func (a *attempt[T]) toEnd(q Query, direct bool) {
	i, f, far := 0, a.relax(direct), a.pile()
	if direct {
		i = 1
	}
	if a.whole[i] == nil {
		a.whole[i] = []operators.Step{advance.PushNear(f, far, advance.NearOptions{AnyRound: true}), pile.Refill(far, f)}
	}
	a.empty(far)
	a.t.Replace(a.cur, q.Sources...)
	a.t.Repeat(a.cur, a.whole[i]...)
}

// empty empties the pile, which the attempt before may have left at another stage.
func (a *attempt[T]) empty(far *pile.Pile) {
	if !a.piled {
		a.piled = true
		return
	}
	if a.begin == nil {
		a.begin = []operators.Step{pile.Begin(far)}
	}
	a.t.Replace(a.cur)
	a.t.Do(a.cur, a.begin...)
}

// remote reports whether a graph is on a GPU.
func remote(p *graph.Placed) bool { return p.Remote() != nil }

// onGPUs reports whether a graph is on one GPU or several.
func onGPUs(p *graph.Placed) bool { return run.Choose(p, run.Ways[bool]{GPU: true, Shards: true}) }

// ofGraph is Values.Of for values that may be nil.
func ofGraph[T device.Elem](v *traverse.Values[T], p *graph.Placed) error {
	if v == nil {
		return nil
	}
	return v.Of(p)
}

// most is the largest distance, which is finite.
func (a *attempt[T]) most() T { return min(a.limit, largest[T]()) }

// relaxer is the functor of a search.
type relaxer[T float32 | float64] interface {
	advance.Sorter
	pile.Functor
	functors.Scaled[T]
}

// relax returns the functor of the search; direct says that most edges lower a distance once.
func (a *attempt[T]) relax(direct bool) relaxer[T] {
	f := &a.relaxers[0]
	if direct && a.wide == nil {
		f = &a.relaxers[1]
	}
	if *f == nil {
		var made any
		switch {
		case a.wide != nil:
			made = functors.NewRelaxWide(functor64(a.dist), a.wide, 0, 0)
		case direct:
			made = functors.NewRelaxDirect(a.dist, 0, 0)
		default:
			made = functors.NewRelax(a.dist, 0, 0)
		}
		*f = made.(relaxer[T])
	}
	(*f).Bound(a.most(), a.scale())
	return *f
}

// piles makes the steps that push, and refill, one by one.
func (a *attempt[T]) piles() {
	f, far := a.relax(false), a.pile()
	if a.near == nil {
		a.near, a.refill = []operators.Step{advance.PushNear(f, far)}, []operators.Step{pile.Refill(far, f)}
	}
	a.empty(far)
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
	t, cur := a.t, a.cur
	a.piles()
	t.Replace(a.targets, q.Targets...)
	for t.Replace(cur, q.Sources...); t.Next(cur); {
		if t.Do(cur, a.near...); cur.Len() > 0 {
			continue
		}
		t.Do(a.targets, a.looking...)
		if d := T(traverse.Get(t, a.farTargets)); d < a.limit {
			a.limit = d
			a.relax(false)
		}
		t.Do(cur, a.refill...)
	}
}

// parents finds the parents of all vertices that were reached.
func (a *attempt[T]) parents(sources []uint32) *device.Buffer[uint32] {
	return run.Choose(a.t.Placed(), run.Ways[func(*attempt[T], []uint32) *device.Buffer[uint32]]{
		Host: (*attempt[T]).parentsOnOne, GPU: (*attempt[T]).parentsOnOne, Shards: (*attempt[T]).parentsOverShards})(a, sources)
}

// parentsOnOne is parents on the host or on one GPU.
func (a *attempt[T]) parentsOnOne(sources []uint32) *device.Buffer[uint32] {
	t := a.t
	x := traverse.Kept(t, func() *lineage {
		return &lineage{parent: traverse.Array(t, graph.NoVertex), round: traverse.Uninitialized[int32](t)}
	})
	if t.Err() != nil {
		return nil
	}
	for _, v := range sources {
		traverse.Set(t, x.parent, v, v)
	}
	if a.tight == nil {
		a.descend(x)
	}
	t.Do(a.all, a.tight...)
	t.Do(a.all, a.orphan...)
	if traverse.Get(t, a.count) > 0 {
		t.Fill(a.cur)
		t.Repeat(a.cur, a.flat...)
	}
	return x.parent
}

// lineage is what parents are found in.
type lineage struct {
	parent *device.Buffer[uint32]
	round  *device.Buffer[int32]
}

// descend makes the steps that find parents.
func (a *attempt[T]) descend(x *lineage) {
	var tight advance.Visitor
	var flat advance.Functor
	if a.wide != nil {
		d := functor64(a.dist)
		tight, flat = functors.NewTightWide(d, a.wide, x.parent), functors.NewFlatWide(d, a.wide, x.parent, x.round)
	} else {
		tight, flat = functors.NewTight(a.dist, x.parent), functors.NewFlat(a.dist, x.parent, x.round)
	}
	a.tight = []operators.Step{advance.VisitAll(tight)}
	a.orphan = []operators.Step{foreach.All(functors.NewOrphans(a.dist, x.parent, x.round), a.count)}
	a.flat = []operators.Step{advance.Push(flat), filter.Unique()}
}

// units is how many workers a host has. Device.Info also asks the system for memory, which takes as long as a
// small search.
func units(p *graph.Placed) int {
	if d, ok := p.Device().(interface{ Workers() int }); ok {
		return d.Workers()
	}
	return p.Device().Info().Units
}
