// This file compares maximal independent sets with their definition.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/algos/mis"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/random"
)

// byPriority returns the vertices by descending random priority. The model numbers them by their ids.
func byPriority(m *model, seed uint64) []int {
	order := make([]int, m.n)
	for v := range order {
		order[v] = v
	}
	priority := func(v int) uint64 { return random.Uint64(seed, uint64(v), 0)&^math.MaxUint32 | uint64(v) }
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(priority(b), priority(a)) })
	return order
}

func checkSets(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, err := c.as(ctx, form{})
	if err != nil {
		return err
	}
	o := mis.Options{Seed: r.Uint64N(8), Stats: one(r, 4), EachLevel: progress(r)}
	validate, near, want, size := one(r, 8), b.model.near(), make([]uint32, b.n), 0
	for _, v := range byPriority(b.model, o.Seed) {
		if !slices.ContainsFunc(near[v], func(w int) bool { return want[w] == 1 }) {
			want[v] = 1
			size++
		}
	}
	return b.each(r, func(p *graph.Placed) (err error) {
		res, err := mis.Run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		member, err := valuesOf(b, res.Member)
		if err != nil {
			return err
		}
		if err := equal("members", member, want); err != nil {
			return err
		}
		if res.Size != size {
			return fmt.Errorf("%d members, want %d", res.Size, size)
		}
		if validate {
			return mis.Validate(b.graph, res)
		}
		return nil
	})
}
