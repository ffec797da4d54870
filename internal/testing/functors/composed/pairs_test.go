package composed_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
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

// TestPairedRows: functors find the same edges, with their weights, in rows that are stored together with
// their weights, and use the indices of edges if they read those.
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
			weight := traverse.ArrayN[float32](x, int(g.NumDirectedEdges()), -1)
			x.Do(x.From(some...), advance.Push(composed.NewNote(weight)), filter.Unique())
			notes[j] = slices.Clone(weight.Host())
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			if err := p.Close(); err != nil {
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

// TestPairedWide is TestPairedRows of weights that float32 doesn't hold, and of a functor's own.
func TestPairedWide(t *testing.T) {
	defer func(n uint64) { tuning.PairsAfter = n }(tuning.PairsAfter)
	r := rand.New(rand.NewPCG(25, 12))
	for i := range 300 {
		c := shortRows(r).Out()
		weights := make([]float64, c.NumEdges())
		for e := range weights {
			weights[e] = r.Float64()
		}
		g, err := graph.FromCSR(graph.CSR{Offsets: c.Offsets, Targets: c.Targets, Weights: c.Weights, FloatWeights: weights}, graph.CSROptions{Directed: true})
		if err != nil {
			t.Fatal(err)
		}
		source := uint32(r.IntN(g.NumVertices()))
		var dists, others, notes [2][]float64
		for j, after := range []uint64{0, 1 << 30} {
			tuning.PairsAfter = after
			p, err := g.On(host.New(1 + r.IntN(4)))
			if err != nil {
				t.Fatal(err)
			}
			x := traverse.New(context.Background(), p)
			wide, err := p.State().FloatWeights()
			if err != nil {
				t.Fatal(err)
			}
			own := traverse.ArrayN[float64](x, int(g.NumDirectedEdges()), 1)
			search := func(weight *device.Buffer[float64]) []float64 {
				dist := traverse.Array[float64](x, 1e9)
				traverse.Set(x, dist, source, 0)
				x.Repeat(x.From(source), advance.Push(composed.NewRelaxWide(dist, weight, 1e9)), filter.Unique())
				return slices.Clone(dist.Host())
			}
			dists[j], others[j] = search(wide), search(own)
			note := traverse.ArrayN[float64](x, int(g.NumDirectedEdges()), -1)
			x.Do(x.From(source), advance.Push(composed.NewNoteWide(wide, note)), filter.Unique())
			notes[j] = slices.Clone(note.Host())
			x.Do(x.From(source), advance.Push(composed.NewNoteWide(own, wide)), filter.Unique())
			if g.NumDirectedEdges() > 0 && !errors.Is(x.Err(), graph.ErrOptions) {
				t.Fatalf("graph %d: weights of the graph were written: %v", i, x.Err())
			}
			if err := x.Close(); g.NumDirectedEdges() == 0 && err != nil {
				t.Fatal(err)
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if want := dijkstra(g, source); !slices.Equal(dists[0], want) || !slices.Equal(dists[1], want) {
			t.Fatalf("graph %d: distances %v and %v, want %v", i, dists[0], dists[1], want)
		}
		if !slices.Equal(others[0], others[1]) {
			t.Fatalf("graph %d: distances by weights of the functor's own %v, want %v", i, others[0], others[1])
		}
		if !slices.Equal(notes[0], notes[1]) {
			t.Fatalf("graph %d: weights of edges %v, want %v", i, notes[0], notes[1])
		}
	}
}

// dijkstra returns the distances of a small graph, 1e9 for unreached vertices.
func dijkstra(g *graph.Graph, source uint32) []float64 {
	c, n := g.Out(), g.NumVertices()
	dist, done := make([]float64, n), make([]bool, n)
	for v := range dist {
		dist[v] = 1e9
	}
	dist[source] = 0
	for range n {
		next := -1
		for v := range n {
			if !done[v] && dist[v] < 1e9 && (next < 0 || dist[v] < dist[next]) {
				next = v
			}
		}
		if next < 0 {
			break
		}
		done[next] = true
		for e := c.Offsets[next]; e < c.Offsets[next+1]; e++ {
			dist[c.Targets[e]] = min(dist[c.Targets[e]], dist[next]+c.FloatWeights[e])
		}
	}
	return dist
}
