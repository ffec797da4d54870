package modularity

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/traverse"
)

// TestSteps: steps decide as the loops do, on graphs of all kinds.
func TestSteps(t *testing.T) {
	run := func(p *graph.Placed, leiden bool, o Options, find func(*traverse.Traversal, string, bool, Options) (*found, error)) *found {
		t.Helper()
		a := traverse.Algorithm[Options, *found]{Run: func(t *traverse.Traversal, o Options) (*found, error) { return find(t, "steps", leiden, o) }}
		f, err := traverse.Run(context.Background(), p, a, o.Resolve(), traverse.Options{})
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		return f
	}
	ranked := 0 // graphs in another order than their ids'
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 48))
		n := r.IntN(60)
		if r.IntN(20) == 0 {
			n = 400
		}
		es := []testgraph.Edge{}
		for range r.IntN(5*n + 1) {
			es = append(es, testgraph.Edge{From: r.Uint32N(1 + r.Uint32N(uint32(n))), To: r.Uint32N(uint32(n))})
		}
		kind := []testgraph.Kind{testgraph.Undirected, testgraph.WithReverse}[r.IntN(2)]
		g, o := testgraph.BuildWeighted(n, es, kind, seed), Options{Seed: r.Uint64N(4), Resolution: []float64{0, 0.5, 3}[r.IntN(3)], Levels: true, Weighted: r.IntN(2) == 0}
		if r.IntN(3) == 0 {
			g, o.Weighted = testgraph.Build(n, es, kind), false
		}
		if seed%40 == 7 { // a row that is long on the host, too
			es = es[:0]
			for v := range uint32(6000) {
				es = append(es, testgraph.Edge{From: 0, To: v}, testgraph.Edge{From: v, To: v / 7}, testgraph.Edge{From: v, To: v % 90})
			}
			g = testgraph.BuildWeighted(6000, es, kind, seed)
		}
		if seed%4 == 1 && len(es) > 0 {
			b := graph.NewBuilder(graph.Options{Directed: kind == testgraph.WithReverse, Reverse: true, Order: graph.OrderDegree})
			src, dst := make([]int64, len(es)), make([]int64, len(es))
			for i, e := range es {
				src[i], dst[i] = int64(e.From)*7919%61, int64(e.To)*7919%61
			}
			if err := graph.AddInts(b, src, dst, nil); err != nil {
				t.Fatal(err)
			}
			var err error
			if g, err = b.Build(t.Context()); err != nil {
				t.Fatal(err)
			}
			o.Weighted = false
		}
		if g.IDs().Ranks() != nil {
			ranked++
		}
		p := testgraph.Place(g, []int{1, 3}[seed%2])
		for _, leiden := range []bool{false, true} {
			want, got := run(p, leiden, o, onHost), run(p, leiden, o, onGPU)
			if !slices.Equal(got.label, want.label) || got.value != want.value || got.rounds != want.rounds || len(got.levels) != len(want.levels) {
				t.Fatalf("seed %d, leiden %v, %v, %d vertices, %d edges, %+v: %v of modularity %v, want %v of %v", seed, leiden, kind, n, len(es), o, got.label, got.value, want.label, want.value)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if ranked < 20 {
		t.Errorf("only %d graphs have ranks", ranked)
	}
}
