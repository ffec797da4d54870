// This file holds the order of vertices, and the rows in it.

package kclique

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/calls/panics"
)

// oriented is an undirected simple graph whose vertices are ranked in an order of degeneracy. The row of a rank has the neighbors of higher rank,
// ascending. No row is longer than the degeneracy.
type oriented struct {
	offsets []uint64
	targets []uint32
	order   []uint32 // the vertex of each rank
}

func (o *oriented) row(rank uint32) []uint32 { return o.targets[o.offsets[rank]:o.offsets[rank+1]] }

// orient ranks the vertices. The error is the context's.
func orient(ctx context.Context, c *graph.CSR, workers int) (*oriented, error) {
	n := c.NumVertices()
	order, rank, err := degeneracyOrder(ctx, c)
	if err != nil {
		return nil, err
	}
	o := &oriented{offsets: make([]uint64, n+1), order: order}
	if err := each(ctx, workers, n, func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			k := uint64(0)
			for _, w := range c.Neighbors(order[r]) {
				if rank[w] > uint32(r) {
					k++
				}
			}
			o.offsets[r+1] = k
		}
	}); err != nil {
		return nil, err
	}
	for r := range n {
		o.offsets[r+1] += o.offsets[r]
	}
	o.targets = make([]uint32, o.offsets[n])
	return o, each(ctx, workers, n, func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			row := o.row(uint32(r))[:0]
			for _, w := range c.Neighbors(order[r]) {
				if rank[w] > uint32(r) {
					row = append(row, rank[w])
				}
			}
			slices.Sort(row)
		}
	})
}

// each calls do for ranges of n items on all workers. The error is the context's.
func each(ctx context.Context, workers, n int, do func(worker, lo, hi int)) error {
	var next atomic.Int64
	var wg panics.Group
	for w := range min(workers, (n+verticesAtOnce-1)/verticesAtOnce) {
		wg.Go(func() {
			for ctx.Err() == nil {
				lo := int(next.Add(verticesAtOnce)) - verticesAtOnce
				if lo >= n {
					return
				}
				do(w, lo, min(lo+verticesAtOnce, n))
			}
		})
	}
	if err := wg.Err(); err != nil {
		return err
	}
	return ctx.Err()
}

// degeneracyOrder removes a vertex with the fewest neighbors left again and again. An array has the vertices in order of the neighbors that they have left:
// one that loses a neighbor changes places with the first of its kind, and becomes the last of the kind before.
func degeneracyOrder(ctx context.Context, c *graph.CSR) (order, rank []uint32, err error) {
	n := c.NumVertices()
	degree, most := make([]uint32, n), uint32(0)
	for v := range degree {
		degree[v] = uint32(c.Degree(uint32(v)))
		most = max(most, degree[v])
	}
	first := make([]uint32, most+2) // of each number of neighbors
	for _, d := range degree {
		first[d+1]++
	}
	for d := range most + 1 {
		first[d+1] += first[d]
	}
	order, rank = make([]uint32, n), make([]uint32, n)
	at := slices.Clone(first)
	for v, d := range degree {
		order[at[d]], rank[v] = uint32(v), at[d]
		at[d]++
	}
	err = looks.Pieces(ctx, n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			v := order[i]
			d := degree[v]
			first[d] = uint32(i) + 1
			for _, u := range c.Neighbors(v) {
				k := degree[u]
				if k <= d { // it was removed, or stays in the core of v
					continue
				}
				// As v had the fewest neighbors, place i and those before have no vertex of k neighbors.
				to := max(first[k], uint32(i)+1)
				w := order[to]
				from := rank[u]
				order[to], order[from] = u, w
				rank[u], rank[w] = to, from
				first[k] = to + 1
				degree[u]--
			}
		}
	})
	return order, rank, err
}
