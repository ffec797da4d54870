// This file compares trusses and cliques with their definitions.

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/foray-graph/foray/algos/kclique"
	"github.com/foray-graph/foray/algos/ktruss"
	"github.com/foray-graph/foray/graph"
)

// trussesOf returns the trussness of each edge of a model: for each k it removes edges in fewer than k-2 triangles until none
// is left to remove.
func trussesOf(m *model) map[[2]int]uint32 {
	near, truss := m.near(), map[[2]int]uint32{}
	is := make([]map[int]bool, m.n)
	left := 0
	for v, row := range near {
		is[v] = map[int]bool{}
		for _, u := range row {
			if u != v {
				is[v][u] = true
			}
		}
		left += len(is[v])
	}
	for k := 3; left > 0; k++ {
		for changed := true; changed; {
			changed = false
			for v := range is {
				for u := range is[v] {
					triangles := 0
					for w := range is[v] {
						if is[u][w] {
							triangles++
						}
					}
					if triangles < k-2 {
						delete(is[v], u)
						delete(is[u], v)
						truss[ends(v, u)], changed = uint32(k-1), true
						left -= 2
					}
				}
			}
		}
	}
	return truss
}

func checkTrusses(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, err := c.as(ctx, form{})
	if err != nil {
		return err
	}
	o, validate, want := ktruss.Options{Stats: one(r, 4), EachLevel: progress(r)}, one(r, 8), trussesOf(b.model)
	return b.each(r, func(p *graph.Placed) (err error) {
		res, err := ktruss.Run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		got, err := res.Trussness.Slice()
		if err != nil {
			return err
		}
		csr := b.graph.Out()
		for v := range uint32(b.n) {
			for at := csr.Offsets[v]; at < csr.Offsets[v+1]; at++ {
				u, truss := csr.Targets[at], uint32(0)
				if v != u && (b.directed || v > u) {
					truss = want[ends(b.number[v], b.number[u])]
				}
				if got[at] != truss {
					return fmt.Errorf("the edge from %d to %d has trussness %d, want %d", b.number[v], b.number[u], got[at], truss)
				}
			}
		}
		var edges []uint64
		for _, k := range want {
			for len(edges) <= int(k) {
				edges = append(edges, 0)
			}
			edges[k]++
		}
		if err := equal("edges by trussness", res.Edges, edges); err != nil || !validate {
			return err
		}
		return ktruss.Validate(b.graph, res)
	})
}

// mostCliques is how many cliques a naive loop enumerates.
const mostCliques = 50000

// cliquesOf counts the cliques of k vertices in all and at each vertex, one by one. It returns false if there are too many of up to k.
func cliquesOf(m *model, k int) (counts, at []uint64, ok bool) {
	joined := make([]map[int]bool, m.n)
	for v, row := range m.near() {
		joined[v] = map[int]bool{}
		for _, u := range row {
			joined[v][u] = u != v
		}
	}
	counts, at = make([]uint64, k+1), make([]uint64, m.n)
	left := mostCliques
	var clique []int
	var extend func(from int)
	extend = func(from int) {
		for v := from; v < m.n && left > 0; v++ {
			fits := true
			for _, u := range clique {
				fits = fits && joined[u][v]
			}
			if !fits {
				continue
			}
			left--
			clique = append(clique, v)
			if counts[len(clique)]++; len(clique) < k {
				extend(v + 1)
			} else {
				for _, u := range clique {
					at[u]++
				}
			}
			clique = clique[:len(clique)-1]
		}
	}
	extend(0)
	return counts, at, left > 0
}

func checkCliques(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, err := c.as(ctx, form{})
	if err != nil {
		return err
	}
	k := 1 + r.IntN(6)
	counts, at, ok := cliquesOf(b.model, k)
	if !ok {
		return nil
	}
	o := kclique.Options{K: k, CountOnly: one(r, 3)}
	validate := one(r, 8)
	return b.each(r, func(p *graph.Placed) (err error) {
		res, err := kclique.Run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		if !res.Total.IsUint64() || res.Total.Uint64() != counts[k] {
			return fmt.Errorf("%v cliques of %d vertices, want %d", res.Total, k, counts[k])
		}
		if !o.CountOnly {
			found, err := valuesOf(b, res.Cliques)
			if err != nil {
				return err
			}
			if err := equal("cliques at vertices", found, at); err != nil {
				return err
			}
		}
		if validate {
			if err := kclique.Validate(b.graph, res, o); err != nil {
				return err
			}
		}
		all, err := kclique.Run(ctx, p, kclique.Options{})
		if err != nil {
			return err
		}
		for size, want := range counts {
			got := uint64(0)
			if size < len(all.Counts) {
				got = all.Counts[size].Uint64()
			}
			if got != want {
				return fmt.Errorf("%d cliques of %d vertices among all, want %d", got, size, want)
			}
		}
		return nil
	})
}
