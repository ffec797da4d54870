package sssp_test

import (
	"context"
	"errors"
	"testing"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/testctx"
)

// TestPrepareCanceled: Prepare looks at its context after some thousand edges, and once that is done does
// hardly anything more.
func TestPrepareCanceled(t *testing.T) {
	spec, err := gen.Parse("kron14:weights=1:255")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.Build(t.Context(), spec, graph.Options{Weights: true})
	if err != nil {
		t.Fatal(err)
	}
	prepare := func(at int64) *testctx.Polled {
		p, err := g.On(host.New(1))
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		ctx := testctx.NewPolled(at)
		says, err := sssp.Prepare(ctx, p)
		switch {
		case at == 0 && (err != nil || !says.ByWeight):
			t.Fatal(says, err)
		case at > 0 && !errors.Is(err, context.Canceled):
			t.Fatalf("canceled at look %d: %v", at, err)
		}
		return ctx
	}
	whole := prepare(0).Polls()
	if want := int64(3 * g.NumDirectedEdges() >> 15); whole < want { // three passes over the edges
		t.Errorf("it looks %d times at its context, want %d", whole, want)
	}
	for at := int64(1); at < whole-2; at += 1 + whole/20 {
		if late := prepare(at).Late(); late > 3*int64(g.NumVertices())>>10+8 { // a look for each range of vertices
			t.Errorf("canceled at look %d of %d: %d looks later", at, whole, late)
		}
	}
}
