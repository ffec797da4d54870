// This file holds the tests of Build: what it refuses, and that no vertex is missing.

package gen

import (
	"context"
	"errors"
	"testing"

	"github.com/foray-graph/foray/graph"
)

func TestBuildRefuses(t *testing.T) {
	if _, err := Build(background, parse(t, "path:10"), graph.Options{Weights: true}); !errors.Is(err, errNoWeights) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := Build(ctx, parse(t, "kron31"), graph.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestBuildHasAllVertices: the graph has the generator's number of vertices,
// isolated ones at the end included.
func TestBuildHasAllVertices(t *testing.T) {
	short := 0
	for _, spec := range []string{"kron6", "kron10", "kron:scale=12,seed=5", "kron:scale=9,edgefactor=1", "urand:n=500,edgefactor=1", "road:30x20", "star:17"} {
		g := parse(t, spec)
		last := uint32(0)
		if err := Edges(background, g, 1, func(_ int, src, dst []uint32) error {
			for i := range src {
				last = max(last, src[i], dst[i])
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if uint64(last)+1 < g.NumVertices() {
			short++
		}
		for _, order := range []graph.Order{graph.OrderGiven, graph.OrderDegree} {
			built, err := Build(background, g, graph.Options{Order: order, Vertices: 3})
			if err != nil {
				t.Fatal(err)
			}
			if uint64(built.NumVertices()) != g.NumVertices() {
				t.Errorf("%s: %d vertices, want %d", g.Name(), built.NumVertices(), g.NumVertices())
			}
		}
	}
	if short == 0 {
		t.Error("none of the graphs ends with an isolated vertex; add one that does")
	}
}
