// This file tests the functors written in Go of internal/testing/functors/composed, by
// every engine, against naive loops.

package conformance

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// Composed tests functors written in Go.
func (s Suite) Composed(t *testing.T) {
	for _, test := range []composedTest{
		{"relax", composedRelax}, {"lower", composedLower}, {"hop", composedHop}, {"rank", composedRank}, {"near", composedNear}, {"stages", composedStages},
		{"vertices", composedVertices}, {"arrivals", composedArrivals}, {"bits", composedBits}, {"mixed", composedMixed},
		{"adopt", composedAdopt}, {"cross", composedCross},
		{"generic", composedGeneric}, {"generic reduce", composedGenericReduce},
		{"meet", composedMeet}, {"all kinds", composedAll}, {"zeros", composedZeros},
	} {
		t.Run(test.name, func(t *testing.T) { s.composed(t, test) })
	}
}

type composedTest struct {
	name string
	run  func(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error
}

func (s Suite) composed(t *testing.T, test composedTest) {
	s.shapes(t, 171, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		p = weighted(t, p, r)
		for _, e := range s.engines() {
			for range s.times(2, 1) {
				x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
				err := test.run(p, r, x)
				err = errors.Join(err, x.Close())
				if test.name == "cross" && e == traverse.Persistent && errors.Is(err, step.ErrNotCompiled) {
					err = nil // no kernel has pulls beside other steps
				}
				if err != nil {
					t.Fatalf("%s: %v", e, err)
				}
			}
		}
	})
}

// fixpoint relaxes edges until nothing changes.
func fixpoint[T device.Elem](g *graph.CSR, d []T, over func(d T, edge uint64) T) []T {
	for changed := true; changed; {
		changed = false
		for v := range d {
			for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
				if x := over(d[v], e); x < d[g.Targets[e]] {
					d[g.Targets[e]], changed = x, true
				}
			}
		}
	}
	return d
}

func filled[T any](n int, x T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = x
	}
	return s
}

func same[T device.Elem](x *traverse.Traversal, b *device.Buffer[T], want []T) error {
	res, err := traverse.Result(x, b)
	if err != nil {
		return err
	}
	defer res.Close()
	return compare(res, want)
}

func composedRelax(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	source, most := r.Uint32N(uint32(p.NumVertices())), []float32{1 << 20, 150}[r.IntN(2)]
	inf := float32(math.Inf(1))
	dist := traverse.Array(x, inf)
	traverse.Set(x, dist, source, 0)
	x.Repeat(x.From(source), advance.Push(composed.NewRelax(dist, most)), filter.Unique())
	want := filled(p.NumVertices(), inf)
	want[source] = 0
	g := p.Graph().Out()
	return same(x, dist, fixpoint(g, want, func(d float32, e uint64) float32 {
		if d += g.Weights[e]; d < most {
			return d
		}
		return inf
	}))
}

func composedLower(p *graph.Placed, _ *rand.Rand, x *traverse.Traversal) error {
	label := traverse.VertexIDs(x)
	x.Repeat(x.All(), advance.Push(composed.NewLower(label)), filter.Unique())
	want := make([]uint32, p.NumVertices())
	for v := range want {
		want[v] = uint32(v)
	}
	return same(x, label, fixpoint(p.Graph().Out(), want, func(d uint32, _ uint64) uint32 { return d }))
}

func composedHop(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	source, most, hops := r.Uint32N(uint32(p.NumVertices())), float32(r.IntN(100)), []int{1 + r.IntN(4), 1 << 20}[r.IntN(2)]
	depth := traverse.Array[int32](x, -1)
	traverse.Set(x, depth, source, 0)
	x.Repeat(x.From(source), advance.Push(composed.NewHop(depth, most)), filter.Unique(), traverse.MaxRounds(hops))
	g, want := p.Graph().Out(), filled[int32](p.NumVertices(), -1)
	want[source] = 0
	for cur, level := []uint32{source}, int32(1); len(cur) > 0 && int(level) <= hops; level++ {
		var next []uint32
		for _, v := range cur {
			for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
				if u := g.Targets[e]; g.Weights[e] <= most && want[u] < 0 {
					want[u] = level
					next = append(next, u)
				}
			}
		}
		cur = next
	}
	return same(x, depth, want)
}

func composedRank(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	g := p.Graph()
	if g.In() == nil {
		return nil
	}
	n := p.NumVertices()
	rounds, start := 1+r.IntN(5), 1/float32(n)
	share, next, rank := traverse.Array(x, start), traverse.Array(x, start), traverse.Array(x, start)
	change := traverse.Scalar[float64](x, operators.Sum)
	f := composed.NewRank(share, next, rank, traverse.Degrees(x), 0.85, 0.15/float32(n))
	back := composed.NewRank(next, share, rank, traverse.Degrees(x), 0.85, 0.15/float32(n))
	x.Repeat(x.All(), reduce.In(f, nil), reduce.In(back, change), traverse.MaxRounds(rounds))
	// In float64; float32 results differ by their rounding.
	ranks, shares, last := filled(n, float64(start)), filled(n, float64(start)), 0.0
	for range 2 * rounds {
		last = 0
		sums := make([]float64, n)
		for v := range sums {
			for _, u := range g.In().Neighbors(uint32(v)) {
				sums[v] += shares[u]
			}
		}
		for v, sum := range sums {
			now := 0.15/float64(n) + 0.85*sum
			last += math.Abs(now - ranks[v])
			ranks[v], shares[v] = now, now/float64(max(g.Out().Degree(uint32(v)), 1))
		}
	}
	got := traverse.Get(x, change)
	res, err := traverse.Result(x, rank)
	if err != nil {
		return err
	}
	defer res.Close()
	all, err := res.Slice()
	if err != nil {
		return err
	}
	for v := range all {
		if math.Abs(float64(all[v])-ranks[v]) > 1e-4*(ranks[v]+1/float64(n)) {
			return fmt.Errorf("vertex %d has rank %v, want %v", v, all[v], ranks[v])
		}
	}
	if math.Abs(got-last) > 1e-4 {
		return fmt.Errorf("the ranks changed by %v, want %v", got, last)
	}
	return nil
}

func composedNear(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	source := r.Uint32N(uint32(p.NumVertices()))
	dist := traverse.Array[uint32](x, math.MaxUint32)
	traverse.Set(x, dist, source, 0)
	far, f := x.Pile(), composed.NewNear(dist, 1+r.Uint32N(200))
	x.Repeat(x.From(source), advance.PushNear(f, far), pile.Refill(far, f))
	want := filled[uint32](p.NumVertices(), math.MaxUint32)
	want[source] = 0
	g := p.Graph().Out()
	return same(x, dist, fixpoint(g, want, func(d uint32, e uint64) uint32 {
		if d == math.MaxUint32 {
			return d
		}
		return d + uint32(g.Weights[e])
	}))
}

// composedVertices tests what happens at vertices: a map, a predicate, and reductions.
func composedVertices(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	n, limit := p.NumVertices(), uint32(r.IntN(6))
	value := traverse.Array(x, 3.0)
	cur := x.All()
	for _, how := range []operators.Reduction{operators.Sum, operators.Min, operators.Max} {
		into := traverse.Scalar[float64](x, how)
		x.Do(cur, foreach.All(composed.NewExcess(value, 1), into))
		want := 2 * float64(n)
		if how != operators.Sum {
			want = 2
		}
		if got := traverse.Get(x, into); got != want {
			return fmt.Errorf("reduction %d is %v, want %v; %w", how, got, want, x.Err())
		}
	}
	x.Do(cur, filter.Keep(composed.NewBelow(traverse.Degrees(x), limit)))
	kept := cur.Len()
	x.Do(cur, foreach.Each(composed.NewDouble(value), nil))
	want, below := filled(n, 3.0), 0
	for v := range want {
		if p.Graph().Out().Degree(uint32(v)) < uint64(limit) {
			want[v] = 6
			below++
		}
	}
	if kept != below {
		return fmt.Errorf("%d vertices are kept, want %d; %w", kept, below, x.Err())
	}
	return same(x, value, want)
}

func composedArrivals(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	count, rounds := traverse.Array[uint32](x, 0), 1+r.IntN(3)
	x.Repeat(x.All(), advance.Visit(composed.NewArrivals(count)), traverse.MaxRounds(rounds))
	want := make([]uint32, p.NumVertices())
	for _, t := range p.Graph().Out().Targets {
		want[t] += uint32(rounds)
	}
	return same(x, count, want)
}

func composedBits(p *graph.Placed, _ *rand.Rand, x *traverse.Traversal) error {
	label := traverse.VertexIDs(x)
	x.Repeat(x.All(), advance.PushBits(composed.NewLower(label)))
	want := make([]uint32, p.NumVertices())
	for v := range want {
		want[v] = uint32(v)
	}
	return same(x, label, fixpoint(p.Graph().Out(), want, func(d uint32, _ uint64) uint32 { return d }))
}

// composedMixed has several functors of a kind in one Repeat: the step chooses one at
// run time.
func composedMixed(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	value, other, label := traverse.Array(x, 1.0), traverse.Array(x, 1.0), traverse.VertexIDs(x)
	least, most := traverse.Scalar[float64](x, operators.Min), traverse.Scalar[float64](x, operators.Sum)
	rounds := 1 + r.IntN(3)
	x.Repeat(x.All(), foreach.All(composed.NewDouble(value), nil), advance.Push(composed.NewLower(label)), filter.Unique(),
		foreach.All(composed.NewExcess(value, 1), most), foreach.All(composed.NewExcess(other, 0.5), least),
		foreach.All(composed.NewDouble(other), nil), traverse.MaxRounds(rounds))
	done := float64(int(1) << x.Level())
	if sum, min := traverse.Get(x, most), traverse.Get(x, least); sum != float64(p.NumVertices())*(done-1) || min != done/2-0.5 {
		return fmt.Errorf("sum %v, least %v after %d rounds; %w", sum, min, x.Level(), x.Err())
	}
	return errors.Join(same(x, value, filled(p.NumVertices(), done)), same(x, other, filled(p.NumVertices(), done)))
}

// composedStages is composedNear, one stage at a time: it repeats a single push, and a cluster of
// blocks must detect that the push sorts.
func composedStages(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	source := r.Uint32N(uint32(p.NumVertices()))
	dist := traverse.Array[uint32](x, math.MaxUint32)
	traverse.Set(x, dist, source, 0)
	far, f := x.Pile(), composed.NewNear(dist, 1+r.Uint32N(200))
	for cur := x.From(source); cur.Len() > 0; x.Do(cur, pile.Refill(far, f)) {
		x.Repeat(cur, advance.PushNear(f, far))
	}
	want := filled[uint32](p.NumVertices(), math.MaxUint32)
	want[source] = 0
	g := p.Graph().Out()
	return same(x, dist, fixpoint(g, want, func(d uint32, e uint64) uint32 {
		if d == math.MaxUint32 {
			return d
		}
		return d + uint32(g.Weights[e])
	}))
}
