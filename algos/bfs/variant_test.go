// This file tests variants of the search that other packages define.

package bfs_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// TestVariants searches with directions chosen at random, and without a rule.
func TestVariants(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	random := bfs.Variant{Name: "random", Pulls: func(*bfs.Turn) bool { return r.IntN(2) == 0 }}
	g := testgraph.Uniform(2_000, 4, testgraph.WithReverse).Graph(3)
	for _, workers := range []int{1, 3} {
		p := testgraph.Place(g, workers)
		for range 20 {
			source := r.Uint32N(uint32(g.NumVertices()))
			res, err := bfs.Run(context.Background(), p, source, bfs.Options{Outputs: bfs.Depths | bfs.Parents, Variant: &random})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(testgraph.Array(res.Depths()), oracle.Depths(g.Out(), source)) || res.Algorithm != "random" {
				t.Errorf("%d workers, from %d: wrong depths, or algorithm %q", workers, source, res.Algorithm)
			}
			if err := bfs.Validate(g, res); err != nil {
				t.Error(err)
			}
			res.Close()
		}
		none := bfs.Variant{Name: "none"}
		if _, err := bfs.Run(context.Background(), p, 0, bfs.Options{Variant: &none}); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("without a rule: %v", err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
