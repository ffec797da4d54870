// This file compares colors with their definition.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/algos/color"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/random"
)

// colorsOf gives vertices the smallest color that none of their neighbors has yet. The model numbers them by their ids.
func colorsOf(m *model, o color.Options) (colors []int, count int) {
	near, order := m.near(), make([]int, m.n)
	for v := range order {
		colors, order[v] = append(colors, -1), v
	}
	slices.SortFunc(order, func(v, w int) int {
		x, y := random.Uint64(o.Seed, uint64(v), 0), random.Uint64(o.Seed, uint64(w), 0)
		if !o.LargestFirst {
			return cmp.Or(cmp.Compare(y, x), cmp.Compare(w, v))
		}
		return cmp.Or(cmp.Compare(len(near[w]), len(near[v])), cmp.Compare(y>>32, x>>32), cmp.Compare(w, v))
	})
	for _, v := range order {
		for c := 0; colors[v] < 0; c++ {
			if !slices.ContainsFunc(near[v], func(w int) bool { return colors[w] == c }) {
				colors[v], count = c, max(count, c+1)
			}
		}
	}
	return colors, count
}

func checkColors(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, err := c.as(ctx, form{})
	if err != nil {
		return err
	}
	o := color.Options{LargestFirst: one(r, 2), Seed: r.Uint64N(8), Stats: one(r, 4), EachLevel: progress(r)}
	validate := one(r, 8)
	want, count := colorsOf(b.model, o)
	return b.each(r, func(p *graph.Placed) (err error) {
		res, err := color.Run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		found, err := valuesOf(b, res.Color)
		if err != nil {
			return err
		}
		colors := make([]int, len(found))
		for v, x := range found {
			colors[v] = int(x)
		}
		if err := equal("colors", colors, want); err != nil {
			return err
		}
		if res.Colors != count {
			return fmt.Errorf("%d colors, want %d", res.Colors, count)
		}
		if validate {
			return color.Validate(b.graph, res)
		}
		return nil
	})
}
