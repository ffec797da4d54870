// This file compares core numbers with their definition.

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/graph"
)

// coresOf finds the k-core for one k after the other, by dropping vertices with fewer than k neighbors
// until all are dropped. The core number of a vertex is the largest k whose core it is in.
func coresOf(m *model) []uint32 {
	core, near, in := make([]uint32, m.n), m.near(), make([]bool, m.n)
	for v := range in {
		in[v] = true
	}
	for k := uint32(1); slices.Contains(in, true); k++ {
		for more := true; more; {
			more = false
			for v := range in {
				degree := uint32(0)
				for _, w := range near[v] {
					if in[w] {
						degree++
					}
				}
				if in[v] && degree < k {
					in[v], more = false, true
				}
			}
		}
		for v := range in {
			if in[v] {
				core[v] = k
			}
		}
	}
	return core
}

func checkCores(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, err := c.as(ctx, form{})
	if err != nil {
		return err
	}
	prepare, validate, cut, o := one(r, 4), one(r, 8), one(r, 8), kcore.Options{Stats: one(r, 4), EachLevel: progress(r)}
	want := coresOf(b.model)
	degeneracy := slices.Max(append([]uint32{0}, want...))
	k := r.Uint32N(degeneracy + 2)
	return b.each(r, func(p *graph.Placed) (err error) {
		if prepare {
			if err := kcore.Prepare(ctx, p); err != nil {
				return err
			}
		}
		res, err := kcore.Run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		core, err := valuesOf(b, res.Core)
		if err != nil {
			return err
		}
		if err := equal("core numbers", core, want); err != nil {
			return err
		}
		if res.Degeneracy != degeneracy {
			return fmt.Errorf("degeneracy %d, want %d", res.Degeneracy, degeneracy)
		}
		if cut {
			if err := sameCore(b, res, want, k); err != nil {
				return fmt.Errorf("%d-core: %w", k, err)
			}
		}
		if validate {
			return kcore.Validate(b.graph, res)
		}
		return nil
	})
}

// sameCore compares the k-core with the edges of the model between its vertices.
func sameCore(b *built, res *kcore.Result, core []uint32, k uint32) error {
	g, err := res.Subgraph(k)
	if err != nil {
		return err
	}
	vertices, edges := 0, uint64(0)
	for v := range core {
		if core[v] < k {
			continue
		}
		vertices++
		for _, e := range b.out[v] {
			if core[e.to] >= k {
				edges++
			}
		}
	}
	if g.NumVertices() != vertices || g.NumDirectedEdges() != edges {
		return fmt.Errorf("%d vertices and %d edges, want %d and %d", g.NumVertices(), g.NumDirectedEdges(), vertices, edges)
	}
	return nil
}
