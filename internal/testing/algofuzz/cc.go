// This file compares components with their definition.

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/graph"
)

// weakOf labels every vertex with the least of those that a path joins it with, whichever way edges lead.
func weakOf(m *model) []int {
	label, near := make([]int, m.n), m.near()
	for v := range label {
		label[v] = -1
	}
	for v := range label {
		if label[v] >= 0 {
			continue
		}
		label[v] = v
		for stack := []int{v}; len(stack) > 0; {
			u := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, w := range near[u] {
				if label[w] < 0 {
					label[w] = v
					stack = append(stack, w)
				}
			}
		}
	}
	return label
}

// strongOf labels every vertex with the least of those that it reaches and that reach it. Vertices of
// other components can be left out: no path within one leads through them.
func strongOf(m *model) []int {
	label := make([]int, m.n)
	for v := range label {
		label[v] = -1
	}
	reach := func(v int, rows [][]edge, end func(edge) int) []bool {
		seen := make([]bool, m.n)
		seen[v] = true
		for stack := []int{v}; len(stack) > 0; {
			u := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, e := range rows[u] {
				if w := end(e); !seen[w] && label[w] < 0 {
					seen[w] = true
					stack = append(stack, w)
				}
			}
		}
		return seen
	}
	for v := range label {
		if label[v] >= 0 {
			continue
		}
		ahead, behind := reach(v, m.out, func(e edge) int { return e.to }), reach(v, m.in, func(e edge) int { return e.from })
		for w := range label {
			if ahead[w] && behind[w] {
				label[w] = v
			}
		}
	}
	return label
}

func checkComponents(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, err := c.as(ctx, form{})
	if err != nil {
		return err
	}
	prepare, validate, o := one(r, 4), one(r, 8), cc.Options{Stats: one(r, 4), EachLevel: progress(r)}
	run := func(find func(context.Context, *graph.Placed, cc.Options) (*cc.Result, error), b *built, want []int, strong bool) error {
		return b.each(r, func(p *graph.Placed) error {
			if prepare {
				if err := cc.Prepare(ctx, p); err != nil {
					return err
				}
			}
			res, err := find(ctx, p, o)
			if err != nil {
				return err
			}
			err = sameComponents(b, res, want, strong)
			if err == nil && validate {
				err = cc.Validate(b.graph, res)
			}
			return errors.Join(err, res.Close())
		})
	}
	if err := run(cc.Run, b, weakOf(b.model), false); err != nil {
		return fmt.Errorf("weak: %w", err)
	}
	if c.directed && !c.reverse {
		p, err := b.on(1)
		if err != nil {
			return err
		}
		_, err = cc.Strong(ctx, p, o)
		if err := refused(err, graph.ErrNoReverse, "strong"); err != nil {
			return err
		}
	}
	if b, err = c.as(ctx, form{reverse: true}); err != nil {
		return err
	}
	if err := run(cc.Strong, b, strongOf(b.model), true); err != nil {
		return fmt.Errorf("strong: %w", err)
	}
	return nil
}

// sameComponents compares components, their number and their sizes.
func sameComponents(b *built, res *cc.Result, want []int, strong bool) error {
	got, err := verticesOf(b, res.Component)
	if err != nil {
		return err
	}
	if err := equal("components", got, want); err != nil {
		return err
	}
	size := make([]int, b.n)
	count := 0
	for _, label := range want {
		if size[label]++; size[label] == 1 {
			count++
		}
	}
	if res.Components != count || res.Strong() != strong {
		return fmt.Errorf("%d components, strong %v; want %d", res.Components, res.Strong(), count)
	}
	list, err := res.Sizes()
	if err != nil {
		return err
	}
	for i, s := range list {
		label := b.number[s.Component]
		if s.Vertices != size[label] || i > 0 && (s.Vertices > list[i-1].Vertices || s.Vertices == list[i-1].Vertices && label < b.number[list[i-1].Component]) {
			return fmt.Errorf("component %d of %d vertices comes as number %d of %v, it has %d", label, s.Vertices, i, list, size[label])
		}
	}
	if len(list) != count {
		return fmt.Errorf("%d sizes of %d components", len(list), count)
	}
	return nil
}
