// This file tests how often work beside hubs looks at its context.

package rules

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testctx"
)

// TestCanceledHubs: where few vertices have long rows, what is worked out before an algorithm begins looks at its
// context after so many entries, not after so many vertices.
func TestCanceledHubs(t *testing.T) {
	const n, edges = 600, 400_000
	build := func(o graph.Options) *graph.Graph {
		r := rand.New(rand.NewPCG(22, 7))
		src, dst, weights := make([]int64, edges), make([]int64, edges), make([]float64, edges)
		for i := range src {
			src[i], dst[i], weights[i] = r.Int64N(n), r.Int64N(n), r.Float64()
		}
		b := graph.NewBuilder(o)
		if err := b.Add(graph.Batch{Type: graph.Int64, Src: src, Dst: dst, FloatWeights: weights}); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	there := build(graph.Options{Directed: true, Reverse: true, Weights: true, KeepDuplicates: true})
	both := build(graph.Options{Weights: true, WeightType: graph.WeightsFloat32})
	for _, c := range []struct {
		name   string
		g      *graph.Graph
		passes uint64 // over the entries
		do     func(ctx context.Context, p *graph.Placed) error
	}{
		{"kcore.Prepare", there, 4, kcore.Prepare},
		{"triangles.Prepare", there, 4, triangles.Prepare},
		{"triangles.Prepare, undirected", both, 1, triangles.Prepare},
		{"pagerank.Run", there, 2, func(ctx context.Context, p *graph.Placed) error {
			r, err := pagerank.Run(ctx, p, pagerank.Options{Weighted: true, Iterations: 1, Tolerance: -1})
			return errors.Join(err, r.Close())
		}},
		{"sssp.Prepare", both, 2, func(ctx context.Context, p *graph.Placed) error {
			_, err := sssp.Prepare(ctx, p)
			return err
		}},
	} {
		run := func(ctx context.Context) error {
			p, err := c.g.On(host.New(2))
			if err != nil {
				t.Fatal(err)
			}
			return errors.Join(c.do(ctx, p), p.Close())
		}
		all := testctx.NewPolled(0)
		if err := run(all); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if least := int64(c.passes * c.g.NumDirectedEdges() >> 16); all.Polls() < least {
			t.Errorf("%s: %d looks at the context for %d entries, want %d at least", c.name, all.Polls(), c.g.NumDirectedEdges(), least)
		}
		for at := int64(1); at < all.Polls()-4; at += 1 + all.Polls()/8 {
			ctx := testctx.NewPolled(at)
			if err := run(ctx); !errors.Is(err, context.Canceled) || ctx.Late() > 32 {
				t.Errorf("%s, ended at look %d of %d: %v, and %d looks more", c.name, at, all.Polls(), err, ctx.Late())
			}
		}
	}
}
