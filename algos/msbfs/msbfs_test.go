package msbfs_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testgraph"
	"github.com/foray-graph/foray/internal/testlong"
)

// check searches from some sources, and compares with plain searches.
func check(t *testing.T, g *graph.Graph, workers, sources int, seed uint64) {
	t.Helper()
	p, err := g.On(host.New(workers))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Free()
	n := g.NumVertices()
	r := rand.New(rand.NewPCG(seed, 3))
	var from []uint32
	var pairs []msbfs.Pair
	for range sources {
		if n > 0 {
			from = append(from, uint32(r.IntN(n)))
			pairs = append(pairs, msbfs.Pair{From: uint32(r.IntN(n)), To: uint32(r.IntN(n))})
		}
	}
	got, err := msbfs.Run(t.Context(), p, from, msbfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := msbfs.Sequential(g, from)
	for i := range want {
		if !slices.Equal(got.Counts[i], want[i]) {
			t.Fatalf("%d vertices, %d workers, source %d, %d of %d: %.300v, want %.300v", n, workers, from[i], i, sources, fmt.Sprint(got.Counts[i]), fmt.Sprint(want[i]))
		}
	}
	distances, err := msbfs.Reach(t.Context(), p, pairs, msbfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, pair := range pairs {
		if want := msbfs.Distances(g, pair.From)[pair.To]; distances[i] != want {
			t.Fatalf("%d vertices, %d workers, pair %v: %d, want %d", n, workers, pair, distances[i], want)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, c := range append(testgraph.All(), testgraph.Tiny()...) {
		t.Run(c.Name+" "+c.Kind.String(), func(t *testing.T) {
			for i, workers := range []int{1, 2, 3, 7} {
				check(t, c.Graph(uint64(workers)), workers, []int{1, 130, 64, 63}[i], uint64(i))
			}
		})
	}
}

// TestRandom searches small graphs of every order.
func TestRandom(t *testing.T) {
	for seed := range uint64(testlong.Of(1500, 40000)) {
		r := rand.New(rand.NewPCG(seed, 5))
		check(t, random(t, r), 1+r.IntN(3), 1+r.IntN(70), seed)
	}
}

func random(t *testing.T, r *rand.Rand) *graph.Graph {
	n := 1 + r.IntN(60)
	var src, dst []int64
	for range 1 + r.IntN(3*n) {
		src, dst = append(src, int64(r.IntN(n))*7-50), append(dst, int64(r.IntN(n))*7-50)
	}
	b := graph.NewBuilder(graph.Options{Directed: r.IntN(2) == 0, Reverse: r.IntN(2) == 0, Order: []graph.Order{graph.OrderDegree, graph.OrderGiven, graph.OrderAuto}[r.IntN(3)]})
	if err := graph.AddInts(b, src, dst, nil); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return g
}
