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
