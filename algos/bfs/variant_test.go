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
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// TestVariants searches with directions chosen at random, and without a loop.
func TestVariants(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	random := bfs.Variant{Name: "random", Loop: func(l *bfs.Loop) error {
		for l.Next() {
			step := l.Push
			if r.IntN(2) == 0 {
				step = l.Pull
			}
			if _, err := step(); err != nil {
				return err
			}
		}
		return l.Err()
	}}
	g := testgraph.Uniform(2_000, 4, testgraph.WithReverse).Graph(3)
	for _, workers := range []int{1, 3} {
		p := testgraph.Place(g, workers)
		for range 20 {
			source := r.Uint32N(uint32(g.NumVertices()))
			res, err := random.Run(context.Background(), p, []uint32{source}, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(testgraph.Array(res.Depths()), bfs.Sequential(g.Out(), source)) || res.Algorithm != "random" {
				t.Errorf("%d workers, from %d: wrong depths, or algorithm %q", workers, source, res.Algorithm)
			}
			if err := bfs.Validate(g, res); err != nil {
				t.Error(err)
			}
			res.Close()
		}
		none := bfs.Variant{Name: "none"}
		if _, err := none.Run(context.Background(), p, []uint32{0}, bfs.Options{}); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("without a loop: %v", err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
