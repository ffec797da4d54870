package pagerank_test

import (
	"errors"
	"math"
	"testing"

	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
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
		got, err := r.Ranks.Slice()
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

// TestHighDamping: float32 rounds in a thousand rounds at a damping of 0.999.
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

// TestWideWeights shares out by weights that float32 doesn't hold, on any number of workers.
func TestWideWeights(t *testing.T) {
	for name, b := range map[string]graph.Batch{
		"tiny":  {FloatWeights: []float64{3e-46, 1e-46, 1e-46, 1e-46}},
		"least": {FloatWeights: []float64{15e-324, 5e-324, 5e-324, 5e-324}},
		"huge":  {FloatWeights: []float64{1.5e308, 0.5e308, 0.5e308, 0.5e308}},
		"long":  {IntWeights: []int64{3<<59 + 3, 1<<59 + 1, 1<<59 + 1, 1<<59 + 1}},
	} {
		b.Type, b.Src, b.Dst = graph.Int64, []int64{1, 1, 2, 3}, []int64{2, 3, 1, 1}
		for _, directed := range []bool{true, false} {
			x := graph.NewBuilder(graph.Options{Directed: directed, Reverse: true, Weights: true})
			if err := x.Add(b); err != nil {
				t.Fatal(err)
			}
			g, err := x.Build(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, workers := range []int{1, 3} {
				p, err := g.On(host.New(workers))
				if err != nil {
					t.Fatal(err)
				}
				o := pagerank.Options{Weighted: true, Tolerance: 1e-10, Iterations: 1000}
				r, err := pagerank.Run(t.Context(), p, o)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if err := pagerank.Validate(g, r, o); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				got, err := r.Ranks.Slice()
				if err != nil {
					t.Fatal(err)
				}
				// As of weights 3, 1, 1 and 1, which float32 holds.
				plain := testgraph.Placed(graph.Options{Directed: directed, Reverse: true, Weights: true}, b.Src, b.Dst, 3, 1, 1, 1)
				want, _, err := pagerank.Sequential(plain.Graph(), o)
				if err != nil {
					t.Fatal(err)
				}
				for v, x := range want {
					if !(math.Abs(got[v]-x) < 1e-8) {
						t.Errorf("%s, directed %v: vertex %d has %v, want %v", name, directed, v, got[v], x)
					}
				}
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
	for _, w := range []float64{-1e-50, math.Inf(1), math.NaN()} {
		x := graph.NewBuilder(graph.Options{Weights: true})
		if err := x.Add(graph.Batch{Type: graph.Int64, Src: []int64{1, 2}, Dst: []int64{2, 3}, FloatWeights: []float64{w, 0.1}}); err != nil {
			t.Fatal(err)
		}
		g, err := x.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.On(host.New(1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pagerank.Run(t.Context(), p, pagerank.Options{Weighted: true}); !errors.Is(err, graph.ErrWeights) {
			t.Errorf("%v: %v", w, err)
		}
	}
}
