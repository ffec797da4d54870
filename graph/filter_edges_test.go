package graph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestFilterEdges compares the edges of filtered random graphs with the rows that meet the condition.
func TestFilterEdges(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(testlong.Rounds(60, 1000)) {
		rng := rand.New(rand.NewPCG(seed, 46))
		o := randomColumnOptions(rng)
		n := 1 + rng.IntN(200)
		if seed%20 == 0 {
			n = 3 * filterBlock
		}
		rows := append(randomRows(rng, n, 2+rng.IntN(30)), columnRow{src: 0, dst: 1, kind: "kkk"})
		g := withRows(t, rng, rows, o)
		if seed%7 == 0 {
			var err error
			if g, err = g.Reorder(ctx, ReorderOptions{Order: Order(1 + rng.IntN(2))}); err != nil {
				t.Fatal(err)
			}
		}
		c, err := g.EdgeColumn("u32")
		if err != nil {
			t.Fatal(err)
		}
		values, mask := c.Values.([]uint32), rng.Uint32N(32)
		kept, err := g.FilterEdges(ctx, func(first uint64, chosen []bool) error {
			for i := range chosen {
				chosen[i] = mask>>values[first+uint64(i)]&1 != 0
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(naiveEdges(rows, o), func(s string) bool {
			x, err := strconv.Atoi(strings.Fields(s)[5])
			if err != nil {
				t.Fatal(err)
			}
			return mask>>x&1 == 0
		})
		sameEdges(t, fmt.Sprintf("seed %d, %+v", seed, o), kept, want)
		if kept.NumVertices() != g.NumVertices() || kept.Out().Check() != nil || kept.WeightType() != g.WeightType() || kept.Stats() != g.Stats() {
			t.Fatalf("seed %d: %d vertices, %v, %v, %+v", seed, kept.NumVertices(), kept.Out().Check(), kept.WeightType(), kept.Stats())
		}
		if !o.Directed {
			if err := kept.Out().CheckSymmetric(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
}

// TestFilterEdgesErrors passes on what goes wrong.
func TestFilterEdgesErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := NewBuilder(Options{})
	if err := b.Add(Batch{Type: Int64, Src: []int64{0, 1, 2}, Dst: []int64{1, 2, 3}}); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if _, err := g.FilterEdges(ctx, func(uint64, []bool) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	for e := range g.Out().Targets {
		_, err := g.FilterEdges(ctx, func(first uint64, chosen []bool) error {
			chosen[uint64(e)-first] = true
			return nil
		})
		if !errors.Is(err, ErrMalformed) {
			t.Errorf("entry %d alone: %v", e, err)
		}
	}
	none, err := g.FilterEdges(ctx, func(uint64, []bool) error { return nil })
	if err != nil || none.NumEdges() != 0 || none.NumVertices() != 4 {
		t.Error(none.NumEdges(), err)
	}
	if _, err := none.FilterEdges(ctx, func(uint64, []bool) error { return broken }); err != nil {
		t.Errorf("a graph without edges: %v", err)
	}
	if _, err := (*Graph)(nil).FilterEdges(ctx, nil); !errors.Is(err, ErrNoGraph) {
		t.Error(err)
	}
	if _, err := g.FilterEdges(ctx, nil); !errors.Is(err, ErrOptions) {
		t.Error(err)
	}
	cancel()
	if _, err := g.FilterEdges(ctx, func(uint64, []bool) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
