// Package undirected is what algorithms share that run on the simple graph of a placed graph, whose vertices may have
// another order.
package undirected

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/layout/simple"
	"github.com/foray-graph/foray/traverse"
)

// Graph is a placed graph and its simple graph.
type Graph struct {
	*simple.Graph
	of *graph.Placed
}

// Of returns the simple graph, which is made once. It doesn't hold the placed graph afterwards.
func Of(ctx context.Context, name string, p *graph.Placed) (*Graph, error) {
	if err := callctx.Check(ctx, name); err != nil {
		return nil, err
	}
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	release, err := p.Hold()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer release()
	x, err := simple.Of(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Graph{x, p}, nil
}

// Ranks returns, for each vertex of the simple graph, the rank of its external id.
func (x *Graph) Ranks(t *traverse.Traversal) *device.Buffer[uint32] {
	ids := x.of.Graph().IDs().Ranks()
	switch {
	case x.Order == nil && ids == nil:
		return traverse.VertexIDs(t)
	case x.Order == nil:
		return traverse.Ranks(t)
	}
	ranks := make([]uint32, len(x.Order))
	for v, u := range x.Order {
		if ranks[v] = u; ids != nil {
			ranks[v] = ids[u]
		}
	}
	return traverse.FromSlice(t, ranks)
}

// Back makes values of the simple graph's vertices values of the placed graph's. It closes those that it is given.
func (x *Graph) Back(ctx context.Context, name string, of *traverse.Values[uint32]) (*traverse.Values[uint32], error) {
	if x.Order == nil {
		return of, nil
	}
	values, err := of.Slice()
	if err == nil {
		values = simple.Moved(x.Graph, values)
	}
	if err = errors.Join(err, of.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a := traverse.Algorithm[[]uint32, *traverse.Values[uint32]]{Name: name, Memory: traverse.Memory{Arrays: []int{4}},
		Run: func(t *traverse.Traversal, values []uint32) (*traverse.Values[uint32], error) {
			return traverse.Result(t, traverse.FromSlice(t, values))
		}}
	to, err := traverse.Run(ctx, x.of, a, values, traverse.Options{})
	if err == nil {
		to.Stats = of.Stats
	}
	return to, err
}

// EdgesBack makes values of the simple graph's edges, which are in the direction from the larger to the smaller vertex, values
// of the placed graph's edges: each gets that of the edge between its ends, as far as an entry has a value. Others
// get missing. If that is graph.NoVertex, the values are vertices, and become vertices of the placed graph. It closes those that it is given.
func (x *Graph) EdgesBack(ctx context.Context, name string, of *traverse.EdgeValues[uint32], missing uint32) (*traverse.EdgeValues[uint32], error) {
	if x.Order == nil {
		return of, nil
	}
	values, err := of.Slice()
	if err == nil {
		values, err = x.moveEdges(ctx, values, missing)
	}
	if err = errors.Join(err, of.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a := traverse.Algorithm[[]uint32, *traverse.EdgeValues[uint32]]{Name: name, Memory: traverse.Memory{EdgeArrays: []int{4}, Frontiers: -1},
		Run: func(t *traverse.Traversal, values []uint32) (*traverse.EdgeValues[uint32], error) {
			to := traverse.EdgeArray[uint32](t, 0)
			if err := t.Sync(); err != nil {
				return nil, err
			}
			if len(values) > 0 {
				if err := to.Write(x.of.Device(), 0, values); err != nil {
					return nil, err
				}
			}
			return traverse.EdgeResult(t, to)
		}}
	return traverse.Run(ctx, x.of, a, values, traverse.Options{})
}

// moveEdges returns values by the edges of the placed graph.
func (x *Graph) moveEdges(ctx context.Context, values []uint32, missing uint32) ([]uint32, error) {
	g, rows := x.of.Graph(), x.Placed.Graph().Out()
	if err := g.Fetch(); err != nil {
		return nil, err
	}
	place := make([]uint32, len(x.Order))
	for v, u := range x.Order {
		place[u] = uint32(v)
	}
	c, to := g.Out(), make([]uint32, g.NumDirectedEdges())
	return to, looks.Rows(ctx, c.Offsets, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
				to[e] = missing
				if v == int(c.Targets[e]) || !g.Directed() && v < int(c.Targets[e]) {
					continue // which has no value
				}
				from, target := place[v], place[c.Targets[e]]
				if from < target {
					from, target = target, from
				}
				at, _ := slices.BinarySearch(rows.Neighbors(from), target)
				if to[e] = values[rows.Offsets[from]+uint64(at)]; missing == graph.NoVertex && to[e] != missing {
					to[e] = x.Order[to[e]]
				}
			}
		}
	})
}
