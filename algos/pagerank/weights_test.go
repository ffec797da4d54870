package pagerank_test

import (
	"math"
	"testing"

	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testgraph"
)

// TestFarWeights has weights whose shares don't fit a float32.
func TestFarWeights(t *testing.T) {
	for name, w := range map[string][]float32{"large": {3e38, 3e38, 1, 1}, "small": {1e-45, 1e-45, 1, 1}, "both": {1e-45, 3e38, 3e38, 1}} {
		p := testgraph.Placed(graph.Options{Directed: true, Reverse: true, Weights: true}, []int64{1, 1, 2, 3}, []int64{2, 3, 1, 1}, w...)
		o := pagerank.Options{Weighted: true}
		r, err := pagerank.Run(t.Context(), p, o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := pagerank.Validate(p.Graph(), r, o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got, err := r.Ranks.All()
		want, _, werr := pagerank.Sequential(p.Graph(), pagerank.Options{Weighted: true, Tolerance: 1e-12, Iterations: 1000})
		if err != nil || werr != nil {
			t.Fatal(err, werr)
		}
		for v, x := range want {
			if !(math.Abs(got[v]-x) < 1e-5) {
				t.Errorf("%s: vertex %d has %v, want %v", name, v, got[v], x)
			}
		}
	}
}

// TestHeavy has weights of which a share is so small a part of a rank that both together in a sum lose the share,
// and runs that end in any round.
func TestHeavy(t *testing.T) {
	for _, w := range []float32{1e-20, 1, 1e18, 1e20, 1e30} {
		from, to, weights := []int64{1}, []int64{9}, []float32{w} // two cliques of which one has a vertex more
		for _, c := range [][]int64{{1, 2, 3, 4, 5, 6, 7, 8}, {11, 12, 13, 14, 15, 16, 17}} {
			for i, u := range c {
				for _, v := range c[:i] {
					from, to, weights = append(from, u), append(to, v), append(weights, w)
				}
			}
		}
		p := testgraph.Placed(graph.Options{Weights: true}, from, to, weights...)
		for rounds := range 12 {
			for _, tolerance := range []float64{0, 1e-3, 1e-12} {
				o := pagerank.Options{Damping: 0.999, Weighted: true, Iterations: rounds + 1, Tolerance: tolerance}
				r, err := pagerank.Run(t.Context(), p, o)
				if err != nil {
					t.Fatal(err)
				}
				if err := pagerank.Validate(p.Graph(), r, o); err != nil {
					t.Errorf("weights of %v, %d rounds to %v: %v", w, rounds+1, tolerance, err)
				}
			}
		}
	}
}

// TestHighDamping: rounding of float32 goes on for a thousand rounds at a damping of 0.999.
func TestHighDamping(t *testing.T) {
	p := testgraph.Placed(graph.Options{Directed: true, Reverse: true}, []int64{1, 2, 3, 3}, []int64{2, 1, 1, 4})
	for _, tolerance := range []float64{1e-4, 1e-5, 1e-6} {
		o := pagerank.Options{Damping: 0.999, Tolerance: tolerance, Iterations: 50000}
		r, err := pagerank.Run(t.Context(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := pagerank.Validate(p.Graph(), r, o); err != nil || !r.Converged {
			t.Errorf("to %v: converged %v after %d rounds; %v", tolerance, r.Converged, r.Iterations, err)
		}
	}
}
