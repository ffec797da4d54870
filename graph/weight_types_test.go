package graph_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// weightedEdge is an edge whose weight is an int64 or a float64.
type weightedEdge struct {
	u, v   int64
	weight any
	id     uint64
}

// exactly returns a weight as a number of any precision; NaN is heavier than all.
func exactly(w any) *big.Float {
	x := new(big.Float).SetPrec(2000)
	switch w := w.(type) {
	case int64:
		return x.SetInt64(w)
	case float64:
		if w != w {
			return x.SetMantExp(big.NewFloat(1), 100000)
		}
		return x.SetFloat64(w)
	}
	panic("neither")
}

func (a weightedEdge) compare(b weightedEdge) int {
	return cmp.Or(cmp.Compare(a.u, b.u), cmp.Compare(a.v, b.v), exactly(a.weight).Cmp(exactly(b.weight)), cmp.Compare(a.id, b.id))
}

// drawWeight draws weights that are near to each other in float32, and others.
func drawWeight(r *rand.Rand, kind int) any {
	ints := []int64{0, 1, 7, 1 << 24, 1<<24 + 1, 1<<24 + 2, 1<<53 + 1, 1<<53 + 2, 1<<53 - 1, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, -1, -1<<24 - 1}
	floats := []float64{0, 0.1, 0.2, 0.5, 1, 1e-50, 1e-60, 5e-324, 1e300, 1e301, math.Inf(1), 1 << 24, 1<<24 + 1, -0.1, -1e-50, 16777217.5}
	switch kind {
	case 0:
		return ints[r.IntN(len(ints))]
	case 1:
		return floats[r.IntN(len(floats))]
	case 2: // those that a float64 has
		if r.IntN(2) == 0 {
			return ints[r.IntN(6)]
		}
		return floats[r.IntN(len(floats))]
	}
	return int64(r.IntN(100))
}

// batchOf makes a batch of edges whose weights have one type.
func batchOf(es []weightedEdge, ids bool) graph.Batch {
	b := graph.Batch{Type: graph.Int64}
	for _, e := range es {
		b.Src, b.Dst = append(b.Src, e.u), append(b.Dst, e.v)
		switch w := e.weight.(type) {
		case int64:
			b.IntWeights = append(b.IntWeights, w)
		case float64:
			b.FloatWeights = append(b.FloatWeights, w)
		}
		if ids {
			b.EdgeIDs = append(b.EdgeIDs, e.id)
		}
	}
	return b
}

// edgesOf returns the edges of a graph, those of undirected ones once, in order.
func edgesOf(g *graph.Graph, c *graph.CSR) (es []weightedEdge) {
	for u := range uint32(c.NumVertices()) {
		for e := c.Offsets[u]; e < c.Offsets[u+1]; e++ {
			x := weightedEdge{u: g.IDs().Int(u), v: g.IDs().Int(c.Targets[e])}
			if !g.Directed() && x.u > x.v {
				continue
			}
			if g.WeightType() == graph.WeightsInt64 {
				x.weight = c.IntWeight(e)
			} else {
				x.weight = c.FloatWeight(e)
			}
			if c.EdgeIDs != nil {
				x.id = c.EdgeIDs[e]
			}
			es = append(es, x)
		}
	}
	slices.SortFunc(es, weightedEdge.compare)
	return es
}

// wantEdges is what a graph of edges has, worked out naively.
func wantEdges(es []weightedEdge, o graph.Options) (want []weightedEdge) {
	floats := slices.ContainsFunc(es, func(e weightedEdge) bool { _, is := e.weight.(float64); return is })
	for _, e := range es {
		if e.u == e.v && !o.KeepSelfLoops {
			continue
		}
		if !o.Directed {
			e.u, e.v = min(e.u, e.v), max(e.u, e.v)
		}
		if w, is := e.weight.(int64); is && floats {
			e.weight = float64(w)
		}
		if !o.EdgeIDs {
			e.id = 0
		}
		want = append(want, e)
	}
	slices.SortFunc(want, weightedEdge.compare)
	if !o.KeepDuplicates {
		want = slices.CompactFunc(want, func(a, b weightedEdge) bool { return a.u == b.u && a.v == b.v })
	}
	return want
}

func sameWeightedEdges(t *testing.T, what string, got, want []weightedEdge) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d edges, want %d: %v, want %v", what, len(got), len(want), got, want)
	}
	for i := range got {
		if got[i].compare(want[i]) != 0 || fmt.Sprintf("%T", got[i].weight) != fmt.Sprintf("%T", want[i].weight) {
			t.Fatalf("%s: edge %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// TestWeightTypes builds graphs of weights of all types, and changes them in all ways.
func TestWeightTypes(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 41))
		coin := func() bool { return r.IntN(2) == 0 }
		kind := r.IntN(4)
		o := graph.Options{Directed: coin(), KeepSelfLoops: coin(), KeepDuplicates: coin(), Weights: true, EdgeIDs: coin(), Workers: 1 + r.IntN(3),
			Order: graph.Order(r.IntN(3))}
		o.Reverse = o.Directed && coin()
		n, far := 2+r.IntN(8), int64(1)
		if coin() {
			far = 1 << 40 // ids that go through the table
		}
		draw := func(m int) (es []weightedEdge) {
			for range m {
				es = append(es, weightedEdge{far * int64(r.IntN(n)), far * int64(r.IntN(n)), drawWeight(r, kind), r.Uint64N(4)})
			}
			return es
		}
		// Batches of one type each.
		batches := func(es []weightedEdge) (all []graph.Batch) {
			for len(es) > 0 {
				k := 1
				for k < len(es) && r.IntN(10) > 0 && fmt.Sprintf("%T", es[k].weight) == fmt.Sprintf("%T", es[0].weight) {
					k++
				}
				all = append(all, batchOf(es[:k], o.EdgeIDs))
				es = es[k:]
			}
			return all
		}
		build := func(es []weightedEdge) *graph.Graph {
			b := graph.NewBuilder(o)
			for _, x := range batches(es) {
				if err := b.Add(x); err != nil {
					t.Fatal(err)
				}
			}
			g, err := b.Build(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		es := draw(1 + r.IntN(40))
		what := fmt.Sprintf("seed %d", seed)
		g := build(es)
		sameWeightedEdges(t, what, edgesOf(g, g.Out()), wantEdges(es, o))
		if err := g.Out().Check(); err != nil {
			t.Fatal(err)
		}
		if o.Reverse {
			turned := g.In().Transpose()
			sameWeightedEdges(t, what+", reverse", edgesOf(g, &turned), wantEdges(es, o))
		}
		two, err := graph.TwoPass(ctx, o, func(_ context.Context, yield func(graph.Batch) error) error {
			for _, x := range batches(es) {
				if err := yield(x); err != nil {
					return err
				}
			}
			return nil
		})
		switch {
		case err == nil:
			sameWeightedEdges(t, what+", two passes", edgesOf(two, two.Out()), wantEdges(es, o))
		case !errors.Is(err, graph.ErrOptions) || !o.EdgeIDs:
			t.Fatal(err)
		}
		moved, err := g.Reorder(ctx, graph.ReorderOptions{Order: graph.Order(1 + r.IntN(2))})
		if err != nil {
			t.Fatal(err)
		}
		sameWeightedEdges(t, what+", reordered", edgesOf(moved, moved.Out()), wantEdges(es, o))
		var some []uint32
		for v := range uint32(g.NumVertices()) {
			if coin() {
				some = append(some, v)
			}
		}
		part, err := g.InducedSubgraph(some)
		if err != nil {
			t.Fatal(err)
		}
		inside := slices.DeleteFunc(slices.Clone(wantEdges(es, o)), func(e weightedEdge) bool {
			u, _ := g.Vertex(e.u)
			v, _ := g.Vertex(e.v)
			return !slices.Contains(some, u) || !slices.Contains(some, v)
		})
		sameWeightedEdges(t, what+", induced", edgesOf(part, part.Out()), inside)
		if !o.KeepDuplicates {
			more := draw(1 + r.IntN(20))
			grown, err := g.Append(ctx, build(more), graph.AppendOptions{})
			if err != nil {
				t.Fatal(err)
			}
			sameWeightedEdges(t, what+", appended", edgesOf(grown, grown.Out()), wantEdges(append(slices.Clone(es), more...), o))
		}
	}
}

// TestWeightType checks the types of weights, and weights that no type can represent.
func TestWeightType(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		asked graph.WeightType
		b     graph.Batch
		want  graph.WeightType
		err   error
	}{
		{graph.WeightsAuto, graph.Batch{Weights: []float32{1}}, graph.WeightsFloat64, nil},
		{graph.WeightsAuto, graph.Batch{IntWeights: []int64{1}}, graph.WeightsInt64, nil},
		{graph.WeightsAuto, graph.Batch{FloatWeights: []float64{1}}, graph.WeightsFloat64, nil},
		{graph.WeightsFloat32, graph.Batch{IntWeights: []int64{1<<24 + 1}}, graph.WeightsFloat32, nil},
		{graph.WeightsFloat64, graph.Batch{IntWeights: []int64{1<<24 + 1}}, graph.WeightsFloat64, nil},
		{graph.WeightsInt64, graph.Batch{Weights: []float32{2}}, graph.WeightsInt64, nil},
		{graph.WeightsInt64, graph.Batch{Weights: []float32{2.5}}, 0, graph.ErrWeights},
		{graph.WeightsInt64, graph.Batch{FloatWeights: []float64{1e300}}, 0, graph.ErrWeights},
		{graph.WeightsFloat32, graph.Batch{FloatWeights: []float64{1e300}}, 0, graph.ErrWeights},
		{9, graph.Batch{Weights: []float32{2}}, 0, graph.ErrOptions},
		{graph.WeightsAuto, graph.Batch{Weights: []float32{2}, IntWeights: []int64{2}}, 0, graph.ErrMalformed},
		{graph.WeightsAuto, graph.Batch{FloatWeights: []float64{2, 3}}, 0, graph.ErrMalformed},
	} {
		b := graph.NewBuilder(graph.Options{Weights: true, WeightType: c.asked})
		c.b.Type, c.b.Src, c.b.Dst = graph.Int64, []int64{1}, []int64{2}
		err := b.Add(c.b)
		if !errors.Is(err, c.err) || err != nil && c.err == nil {
			t.Errorf("%+v: %v, want %v", c, err, c.err)
		}
		if err != nil {
			continue
		}
		g, err := b.Build(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.WeightType(); got != c.want || g.State().ExactWeights() != (c.want == graph.WeightsFloat32 || g.Out().FloatWeight(0) <= 1<<24) {
			t.Errorf("%+v: weights are %v", c, got)
		}
	}
}
