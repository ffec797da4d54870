// This file tests transposing in steps.

package graph

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestTransposeSteps: rows that are transposed in steps of few entries, and filled group by group, are
// those of the definition. Numbers of vertices and edges are such that there
// are several buckets.
func TestTransposeSteps(t *testing.T) {
	testlong.Only(t)
	r := rand.New(rand.NewPCG(17, 2))
	many := testlong.Of(60_000, 200_000)
	if raced {
		many = 20_000
	}
	for _, k := range []kind{kinds[0], kinds[3]} {
		edges := k.randomEdges(r, 5000, many)
		for _, o := range []Options{
			{Order: OrderDegree},
			{Weights: true, KeepSelfLoops: true, KeepDuplicates: true},
			{Directed: true, Reverse: true, Weights: true},
			{Directed: true, Reverse: true, KeepSelfLoops: true, KeepDuplicates: true},
			{EdgeIDs: true, Weights: true, Order: OrderDegree},
			{Directed: true, EdgeIDs: true},
		} {
			o.Workers = 3
			want := k.naive(o, edges)
			for _, window := range []uint64{1, 100, 30_000} {
				b := NewBuilder(o)
				if err := b.Add(k.batch(edges, o.Weights)); err != nil {
					t.Fatal(err)
				}
				run, err := b.finish(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				run.window, run.frugal = window, window != 100
				g, err := run.graph()
				if err != nil {
					t.Fatal(err)
				}
				k.check(t, g, want, o)
			}
		}
	}
}
