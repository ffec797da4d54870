// This file holds the tests of similarities.

package conformance

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/similar"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// AlgorithmSimilar compares similarities with those of the host, bit by bit, and with the definition.
func (s Suite) AlgorithmSimilar(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 8))
	for i := range s.times(40, 10) {
		n := 2 + r.IntN(200)
		g := testgraph.Random(r, n, 1+r.IntN(12), true)
		o := similar.Options{Measure: similar.Measure(i % 4), K: r.IntN(8)}
		if i%5 == 4 {
			es := []testgraph.Edge{}
			for v := range uint32(n) {
				es = append(es, testgraph.Edge{From: v, To: (v + 1) % uint32(n)}, testgraph.Edge{From: v / 2, To: v})
			}
			o.Measure, o.Weighted = similar.Cosine, true
			g = simpleOf(t, n, es)
		}
		switch vertex := func() uint32 { return r.Uint32N(uint32(g.NumVertices())) }; i % 3 {
		case 1:
			for range 1 + r.IntN(9) {
				o.Sources = append(o.Sources, vertex())
			}
		case 2:
			o.K = 0
			for range 1 + r.IntN(50) {
				o.Pairs = append(o.Pairs, [2]uint32{vertex(), vertex()})
			}
		}
		s.similarTo(t, g, o)
	}
	// A table of several pieces, and the merge of their best.
	es := []testgraph.Edge{}
	for v := uint32(1); v < 5000; v++ {
		es = append(es, testgraph.Edge{From: v % 3, To: v})
	}
	s.similarTo(t, testgraph.Build(5000, es, testgraph.Undirected), similar.Options{Sources: []uint32{5, 6}, K: 4})
}

// simpleOf returns an undirected graph with weights and without loops and duplicates.
func simpleOf(t *testing.T, n int, es []testgraph.Edge) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder(graph.Options{Weights: true})
	var src, dst []int64
	var weights []float32
	for i, e := range es {
		src, dst, weights = append(src, int64(e.From)), append(dst, int64(e.To)), append(weights, float32(i%7))
	}
	if err := graph.AddInts(b, src, dst, weights); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// similarTo compares a run with the host's.
func (s Suite) similarTo(t *testing.T, g *graph.Graph, o similar.Options) {
	t.Helper()
	var tables [2]*similar.Result
	for i, dev := range []device.Device{s.Device, host.New(2)} {
		p, err := g.On(dev)
		if err != nil {
			t.Fatal(err)
		}
		tables[i], err = similar.Run(t.Context(), p, o)
		if err = errors.Join(err, p.Close()); err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
	}
	got, want := tables[0], tables[1]
	if !slices.Equal(got.Vertex, want.Vertex) || !slices.Equal(got.Neighbor, want.Neighbor) || !slices.Equal(got.Score, want.Score) {
		t.Fatalf("%+v: the table differs from the host's", o)
	}
	if err := similar.Validate(g, got, o); err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
}
