// This file holds the tests of accumulators that edges bring values to.

package conformance

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// accumulatedSweep sweeps from a vertex until fewer vertices are found than wanted.
func accumulatedSweep(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	n := p.NumVertices()
	source, enough := r.Uint32N(uint32(n)), uint64(1+r.IntN(5))
	depth := traverse.Array[int32](x, -1)
	traverse.Set(x, depth, source, 0)
	found, last := traverse.Scalar[uint64](x, operators.Sum), traverse.Scalar[int64](x, operators.Max)
	least, sources := traverse.Scalar[float64](x, operators.Min), traverse.Scalar[uint64](x, operators.Or)
	x.Repeat(x.From(source), advance.Push(composed.NewSweep(depth, found, last, least, sources)), filter.Unique(), traverse.Below(found, enough))
	g, want := p.Graph().Out(), filled[int32](n, -1)
	want[source] = 0
	count, most, weight, bits := uint64(0), int64(math.MinInt64), math.Inf(1), uint64(0)
	for cur, level := []uint32{source}, int32(1); len(cur) > 0; level++ {
		var next []uint32
		count, most, weight, bits = 0, math.MinInt64, math.Inf(1), 0
		for _, v := range cur {
			for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
				weight, bits = min(weight, float64(g.Weights[e])), bits|1<<(v&63)
				if u := g.Targets[e]; want[u] < 0 {
					want[u] = level
					next = append(next, u)
					most = max(most, int64(u))
				}
			}
		}
		count, cur = uint64(len(next)), next
		if count < enough {
			break
		}
	}
	return errors.Join(is(x, "Found", found, count), is(x, "Last", last, most), is(x, "Least", least, weight), is(x, "Sources", sources, bits),
		same(x, depth, want))
}

// accumulatedSpans visits all edges, twice: each step replaces the previous step's result.
func accumulatedSpans(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	scale := []float64{1, -1, math.NaN(), math.Inf(1), 0}[r.IntN(5)]
	sum, least, most := traverse.Scalar[int64](x, operators.Sum), traverse.Scalar[int64](x, operators.Min), traverse.Scalar[float64](x, operators.Max)
	f, other := composed.NewSpans(traverse.Array(x, scale), sum, least, most), composed.NewSpans(traverse.Array(x, 3.0), sum, least, most)
	switch cur := x.All(); r.IntN(3) {
	case 0:
		x.Do(cur, advance.VisitAll(other), advance.VisitAll(f))
	case 1:
		x.Do(cur, advance.Visit(f))
	default:
		x.Repeat(cur, advance.Visit(other), advance.Visit(f), traverse.MaxRounds(1+r.IntN(3)))
	}
	g := p.Graph().Out()
	total, low, high := int64(0), int64(math.MaxInt64), math.Inf(-1)
	for v := range p.NumVertices() {
		for _, u := range g.Neighbors(uint32(v)) {
			d := int64(u) - int64(v)
			total, low = total+d, min(low, d)
			if s := scale*float64(d) + 0; s > high {
				high = s
			}
		}
	}
	return errors.Join(is(x, "Sum", sum, total), is(x, "Least", least, low), is(x, "Most", most, high))
}

// accumulatedSpread sweeps without weights, which ELL4 rows do on the host, level by
// level and by bits.
func accumulatedSpread(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	n := p.NumVertices()
	source := r.Uint32N(uint32(n))
	depth := traverse.Array[int32](x, -1)
	traverse.Set(x, depth, source, 0)
	looked, found := traverse.Scalar[uint64](x, operators.Sum), traverse.Scalar[uint64](x, operators.Sum)
	f := composed.NewSpread(depth, looked, found)
	push := []operators.Step{advance.Push(f), filter.Unique()}
	if r.IntN(3) == 0 {
		push = []operators.Step{advance.PushBits(f)}
	}
	cur := x.From(source)
	g, seen := p.Graph().Out(), make([]bool, n)
	seen[source] = true
	for now := []uint32{source}; x.Next(cur); {
		x.Do(cur, push...)
		var next []uint32
		edges := uint64(0)
		for _, v := range now {
			for _, u := range g.Neighbors(v) {
				edges++
				if !seen[u] {
					seen[u] = true
					next = append(next, u)
				}
			}
		}
		now = next
		if err := errors.Join(is(x, "Looked", looked, edges), is(x, "Found", found, uint64(len(next)))); err != nil {
			return fmt.Errorf("level %d: %w", x.Level(), err)
		}
	}
	return x.Err()
}

// accumulatedFoster pulls from a vertex.
func accumulatedFoster(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	g := p.Graph()
	if g.Directed() && g.In() == nil {
		return nil
	}
	in := g.In()
	if in == nil {
		in = g.Out()
	}
	n := p.NumVertices()
	source := r.Uint32N(uint32(n))
	parent := traverse.Array[uint32](x, math.MaxUint32)
	asked, most := traverse.Scalar[uint64](x, operators.Sum), traverse.Scalar[int64](x, operators.Max)
	rounds := 1 + r.IntN(4)
	x.Repeat(x.From(source), advance.Pull(composed.NewFoster(parent, asked, most), x.Bits(source)), traverse.MaxRounds(rounds))
	want, seen, cur := filled[uint32](n, math.MaxUint32), make([]bool, n), map[uint32]bool{source: true}
	seen[source] = true
	calls, high := uint64(0), int64(math.MinInt64)
	for ; rounds > 0 && len(cur) > 0; rounds-- {
		next := map[uint32]bool{}
		calls, high = 0, math.MinInt64
		for v := range uint32(n) {
			if seen[v] {
				continue
			}
			for _, u := range in.Neighbors(v) {
				if !cur[u] {
					continue
				}
				calls++
				if u%3 != 1 {
					want[v], next[v] = u, true
					high = max(high, int64(u))
					break
				}
			}
		}
		for v := range next {
			seen[v] = true
		}
		cur = next
	}
	return errors.Join(is(x, "Asked", asked, calls), is(x, "Most", most, high), same(x, parent, want))
}

// accumulatedLater pushes once into a pile, and refills from it, which changes no accumulator.
func accumulatedLater(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	dist := traverse.Array[uint32](x, math.MaxUint32)
	source := r.Uint32N(uint32(p.NumVertices()))
	traverse.Set(x, dist, source, 0)
	most, least := traverse.Scalar[uint64](x, operators.Max), traverse.Scalar[int64](x, operators.Min)
	far, f := x.Pile(), composed.NewLater(dist, 1+r.Uint32N(40), most, least)
	x.Repeat(x.From(source), advance.PushNear(f, far), pile.Refill(far, f), traverse.MaxRounds(1))
	high, low := uint64(0), int64(math.MaxInt64)
	g := p.Graph().Out()
	for e := g.Offsets[source]; e < g.Offsets[source+1]; e++ {
		high, low = max(high, uint64(g.Weights[e])), int64(source)
	}
	return errors.Join(is(x, "Most", most, high), is(x, "Least", least, low))
}
