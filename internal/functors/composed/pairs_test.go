package composed_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/functors/composed"
	"github.com/foray-graph/foray/internal/testgraph"
	"github.com/foray-graph/foray/internal/tuning"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

// shortRows is a random graph of low degree: isolated vertices, loops, edges that are there more than
// once, and some rows of up to 16 edges.
func shortRows(r *rand.Rand) *graph.Graph {
	n := 1 + r.IntN(200)
	var es []testgraph.Edge
	for v := range n {
		d := r.IntN(5)
		if r.IntN(20) == 0 {
			d = 16 - r.IntN(16)
		}
		for range d {
			es = append(es, testgraph.Edge{From: uint32(v), To: uint32(r.IntN(n))})
		}
	}
	return testgraph.BuildWeighted(n, es, testgraph.Directed, r.Uint64())
}

// TestPairedRows: functors find the same edges, with their weights, in rows that lie with their weights
// side by side, and edges by their indices where they look at those.
func TestPairedRows(t *testing.T) {
	defer func(n uint64) { tuning.PairsAfter = n }(tuning.PairsAfter)
	r := rand.New(rand.NewPCG(25, 11))
	for i := range 300 {
		g := shortRows(r)
		n := g.NumVertices()
		source := uint32(r.IntN(n))
		some := make([]uint32, 0, n)
		for v := range n {
			if r.IntN(3) == 0 {
				some = append(some, uint32(v))
			}
		}
		var dists, notes [2][]float32
		for j, after := range []uint64{0, 1 << 30} {
			tuning.PairsAfter = after
			p, err := g.On(host.New(1 + r.IntN(4)))
			if err != nil {
				t.Fatal(err)
			}
			x := traverse.New(context.Background(), p)
			dist := traverse.Array[float32](x, 1e9)
			traverse.Set(x, dist, source, 0)
			x.Repeat(x.From(source), advance.Push(composed.NewRelax(dist, 1e9)), filter.Unique())
			dists[j] = slices.Clone(dist.Host())
			weight := traverse.Entries[float32](x, int(g.NumDirectedEdges()), -1)
			x.Do(x.From(some...), advance.Push(composed.NewNote(weight)), filter.Unique())
			notes[j] = slices.Clone(weight.Host())
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			if err := p.Free(); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(dists[0], dists[1]) {
			t.Fatalf("graph %d: distances %v, want %v", i, dists[0], dists[1])
		}
		if !slices.Equal(notes[0], notes[1]) {
			t.Fatalf("graph %d: weights of edges %v, want %v", i, notes[0], notes[1])
		}
	}
}
