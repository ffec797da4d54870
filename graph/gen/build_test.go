// This file holds the tests of Build: what it refuses, its panics, and that no vertex is missing.

package gen

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/panics"
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

func TestMisuse(t *testing.T) {
	ctx, nothing := context.Background(), func(int, []uint32, []uint32) error { return nil }
	g, err := Parse("path:10")
	if err != nil {
		t.Fatal(err)
	}
	_, build := Build(ctx, nil, graph.Options{})
	for _, err := range []error{build, Edges(ctx, nil, 0, nothing), Edges(ctx, g, 0, nil), Ordered(ctx, nil, 0, nothing), Ordered(ctx, g, 0, nil)} {
		if !errors.Is(err, graph.ErrOptions) || !strings.HasPrefix(err.Error(), "gen: ") {
			t.Error(err)
		}
	}
	for _, spec := range []string{"kron99", strings.Repeat("a", 1e5), "path:" + strings.Repeat("b", 1e5)} {
		if _, err := Parse(spec); !errors.Is(err, ErrSpec) || !strings.HasPrefix(err.Error(), "gen: ") || strings.Count(err.Error(), "gen: ") > 1 || len(err.Error()) > 1000 {
			t.Errorf("%.20s: %.200v", spec, err)
		}
	}
}

// loud is a generator whose last block panics.
type loud struct{ Generator }

func (l loud) Block(b int, src, dst []uint32) int {
	if b == l.Blocks()-1 {
		panic("loud")
	}
	return l.Generator.Block(b, src, dst)
}

// TestPanics: a panic of a worker is an error, in whatever order blocks come.
func TestPanics(t *testing.T) {
	g, err := newRMAT(16, rmatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 7} {
		for name, edges := range map[string]func(context.Context, Generator, int, func(int, []uint32, []uint32) error) error{"Edges": Edges, "Ordered": Ordered} {
			err := edges(context.Background(), loud{g}, workers, func(int, []uint32, []uint32) error { return nil })
			var p *panics.Error
			if !errors.As(err, &p) || p.Value != "loud" {
				t.Errorf("%s, %d workers: %v", name, workers, err)
			}
		}
	}
}
