package pagerank_test

import (
	"testing"

	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// TestRounds: ranks of graphs of all kinds converge in fewer rounds than the oracle's, or in as many.
func TestRounds(t *testing.T) {
	for _, c := range []struct {
		graph     string
		tolerance float64
		most      float64 // part of the oracle's rounds
	}{
		{"kron12", 1e-4, 0.8}, {"kron12", 1e-6, 1}, {"urand12", 1e-4, 0.8}, {"urand12", 1e-6, 0.8}, {"road:60x60", 1e-4, 0.5}, {"road:60x60", 1e-6, 0.5},
		{"smallworld:n=4096", 1e-4, 0.8}, {"smallworld:n=4096", 1e-6, 0.8}, {"grid2d:60x60", 1e-4, 1}, {"grid2d:60x60", 1e-6, 0.7},
		{"star:1000", 1e-6, 0.3}, {"cycle:1000", 1e-6, 1},
	} {
		spec, err := gen.Parse(c.graph)
		if err != nil {
			t.Fatal(err)
		}
		g, err := gen.Build(t.Context(), spec, graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		o := pagerank.Options{Tolerance: c.tolerance, Iterations: 1000}
		r, err := pagerank.Run(t.Context(), testgraph.Place(g, 2), o)
		if err != nil {
			t.Fatal(err)
		}
		_, plain, err := pagerank.Sequential(g, o)
		if err != nil || !r.Converged || float64(r.Iterations) > c.most*float64(plain) {
			t.Errorf("%s to %v: %d rounds, the oracle's %d; converged %v; %v", c.graph, c.tolerance, r.Iterations, plain, r.Converged, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
