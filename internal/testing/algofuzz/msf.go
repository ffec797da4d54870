// This file compares spanning forests with their definition.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/algos/msf"
	"github.com/foray-graph/foray/graph"
)

// forestOf returns how many edges from one vertex to another of one weight the forest has: edges are taken in order, unless
// their ends have the same label.
func forestOf(m *model, o msf.Options) map[edge]int {
	edges, label, forest := slices.Clone(m.edges), make([]int, m.n), map[edge]int{}
	for v := range label {
		label[v] = v
	}
	for i := range edges {
		e := &edges[i]
		if !m.directed {
			e.from, e.to = min(e.from, e.to), max(e.from, e.to)
		}
		if e.weight += 0; o.Unweighted { // -0 becomes 0, which it is equal to
			e.weight = 0
		}
	}
	slices.SortFunc(edges, func(a, b edge) int {
		weights := cmp.Compare(a.weight, b.weight)
		if o.Maximum {
			weights = -weights
		}
		return cmp.Or(weights, cmp.Compare(min(a.from, a.to), min(b.from, b.to)), cmp.Compare(max(a.from, a.to), max(b.from, b.to)), cmp.Compare(a.from, b.from))
	})
	for _, e := range edges {
		if a, b := label[e.from], label[e.to]; a != b {
			forest[e]++
			for v := range label {
				if label[v] == b {
					label[v] = a
				}
			}
		}
	}
	return forest
}

func checkForests(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, err := c.as(ctx, form{weights: true})
	if err != nil {
		return err
	}
	o := msf.Options{Maximum: one(r, 2), Unweighted: one(r, 3), Stats: one(r, 4), EachLevel: progress(r)}
	validate, want := one(r, 8), forestOf(b.model, o)
	return b.each(r, func(p *graph.Placed) (err error) {
		res, err := msf.Run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		tree, err := res.Tree.Slice()
		if err != nil {
			return err
		}
		got, found, csr := map[edge]int{}, 0, b.graph.Out()
		for v := range uint32(b.n) {
			for at := csr.Offsets[v]; at < csr.Offsets[v+1]; at++ {
				if tree[at] == graph.NoVertex {
					continue
				}
				e := edge{from: b.number[v], to: b.number[csr.Targets[at]]}
				if !b.directed {
					e.from, e.to = min(e.from, e.to), max(e.from, e.to)
				}
				if !o.Unweighted {
					e.weight = csr.Weights[at] + 0
				}
				got[e]++
				found++
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || found != res.Edges || res.Trees != b.n-found {
			return fmt.Errorf("%+v: edges %v, %d in %d trees, want %v", o, got, res.Edges, res.Trees, want)
		}
		if validate {
			return msf.Validate(b.graph, res, o)
		}
		return nil
	})
}
