// This file checks random walks.

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/algos/walks"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
)

func checkWalks(ctx context.Context, c *graphCase, r *rand.Rand) error {
	o := walks.Options{Count: 1 + r.IntN(2), Length: 1 + r.IntN(8), Seed: r.Uint64N(8), Weighted: one(r, 2), EachLevel: progress(r)}
	b, err := c.as(ctx, form{weights: o.Weighted, finite: true})
	if err != nil {
		return err
	}
	if one(r, 2) {
		o.P, o.Q = []float64{0.25, 1, 4, 1e6}[r.IntN(4)], []float64{0.25, 1, 4, 1e6}[r.IntN(4)]
	}
	want := oracle.Walks(b.graph, oracle.WalkOptions{Count: o.Count, Length: o.Length, Seed: o.Seed, Weighted: o.Weighted, P: o.P, Q: o.Q})
	return b.each(r, func(p *graph.Placed) error {
		at := 0
		for batch, err := range walks.Each(ctx, p, o) {
			if errors.Is(err, graph.ErrMalformed) && (o.P != 1 || o.Q != 1) { // rows that don't ascend
				return nil
			}
			if err == nil {
				err = walks.Validate(b.graph, batch, o)
			}
			if err != nil {
				return err
			}
			for k := range batch.Starts {
				got := batch.Vertices[batch.Offsets[k]:batch.Offsets[k+1]]
				if at == len(want) || !slices.Equal(got, want[at]) {
					return fmt.Errorf("walk %d of %d is %v", at, len(want), got)
				}
				if err := b.follows(got); err != nil {
					return fmt.Errorf("walk %d: %w", at, err)
				}
				at++
			}
		}
		if at != len(want) {
			return fmt.Errorf("%d walks, want %d", at, len(want))
		}
		return nil
	})
}

// follows returns an error for a walk with a step that is no edge of the model.
func (b *built) follows(walk []uint32) error {
	for i := range max(len(walk), 1) - 1 {
		to := b.number[walk[i+1]]
		if !slices.ContainsFunc(b.out[b.number[walk[i]]], func(e edge) bool { return e.to == to }) {
			return fmt.Errorf("step %d is no edge", i)
		}
	}
	return nil
}
