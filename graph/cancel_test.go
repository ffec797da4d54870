// This file tests how soon what takes a context ends with it.

package graph_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/testctx"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestCancelSoon cancels each call at random looks at its context. It returns the context's error, workers look at
// most a few times more, and look often enough: a piece of work between two looks is some ten thousand entries, so
// that the work that is done after the end takes a few milliseconds.
func TestCancelSoon(t *testing.T) {
	testlong.Only(t)
	const piece = 15_000 // entries, of some 20 ns each
	build := func(spec string, o graph.Options) *graph.Graph {
		s, err := gen.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		g, err := gen.Build(t.Context(), s, o)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	one, two := build("kron14", graph.Options{}), build("kron14:seed=5", graph.Options{})
	there, other := build("kron14", graph.Options{Directed: true, Reverse: true}), build("kron14:seed=5", graph.Options{Directed: true})
	spec, err := gen.Parse("kron14")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(22, 1))
	for name, call := range map[string]struct {
		entries uint64 // that are written
		do      func(ctx context.Context, workers int) error
	}{
		"Append": {one.NumDirectedEdges() + two.NumDirectedEdges(), func(ctx context.Context, workers int) error {
			_, err := one.Append(ctx, two, graph.AppendOptions{Workers: workers})
			return err
		}},
		"Append, directed": {there.NumEdges() + other.NumEdges(), func(ctx context.Context, workers int) error {
			_, err := there.Append(ctx, other, graph.AppendOptions{Workers: workers})
			return err
		}},
		"Without": {one.NumDirectedEdges() + two.NumDirectedEdges(), func(ctx context.Context, workers int) error {
			_, err := one.RemoveEdges(ctx, two, graph.AppendOptions{Workers: workers})
			return err
		}},
		"Reorder": {one.NumDirectedEdges(), func(ctx context.Context, workers int) error {
			_, err := one.Reorder(ctx, graph.ReorderOptions{Order: graph.OrderGiven, Workers: workers})
			return err
		}},
		"Build": {2 * there.NumEdges(), func(ctx context.Context, workers int) error {
			_, err := gen.Build(ctx, spec, graph.Options{Workers: workers, Directed: true, Reverse: true})
			return err
		}},
	} {
		for _, workers := range []int{1, 3} {
			all := testctx.NewPolled(0)
			if err := call.do(all, workers); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if least := int64(call.entries / piece); all.Polls() < least {
				t.Errorf("%s, %d workers: it looks at its context %d times over %d entries, want %d times at least", name, workers, all.Polls(), call.entries, least)
			}
			for range 20 {
				ctx := testctx.NewPolled(1 + r.Int64N(all.Polls()))
				err := call.do(ctx, workers)
				if err == nil && ctx.Late() == 0 && ctx.Polls() < all.Polls() {
					continue // other workers took other parts: it was never canceled
				}
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %d workers, canceled at look %d of %d: %v", name, workers, ctx.Polls(), all.Polls(), err)
				}
				if ctx.Late() > int64(8*workers) {
					t.Errorf("%s, %d workers: %d more pieces of work after the context was done", name, workers, ctx.Late())
				}
			}
		}
	}
}
