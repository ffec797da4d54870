// This file reads the communities that a run begins with.

package modularity

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/looks"
)

// initialOf returns, for each vertex, the vertex of the least rank with its value in a column, or nil without a column.
func initialOf(ctx context.Context, p *graph.Placed, name string) ([]uint32, error) {
	if name == "" {
		return nil, nil
	}
	c, err := p.Graph().VertexColumn(name)
	if err != nil {
		return nil, fmt.Errorf("Options.Initial: %w", err)
	}
	label, ranks := make([]uint32, p.NumVertices()), p.Graph().IDs().Ranks()
	rank := func(v int) uint32 {
		if ranks == nil {
			return uint32(v)
		}
		return ranks[v]
	}
	switch values := c.Values.(type) {
	case []int32:
		err = same(ctx, values, none, label, rank)
	case []uint32:
		err = same(ctx, values, graph.NoCode, label, rank)
	case []int64:
		err = same(ctx, values, none, label, rank)
	case []uint64:
		err = same(ctx, values, none, label, rank)
	default:
		err = fmt.Errorf("%w: Options.Initial: the column %.100q has values of type %T; want integers or strings", graph.ErrOptions, name, values)
	}
	return label, err
}

// same gives vertices with the same value the same label. Vertices without a value, which is a string's code, are alone.
func same[T int32 | uint32 | int64 | uint64](ctx context.Context, values []T, missing uint32, label []uint32, rank func(int) uint32) error {
	least := map[T]uint32{}
	none, has := T(missing), int64(T(missing)) == int64(missing)
	return looks.Pieces(ctx, len(values), func(lo, hi int) {
		for v := lo; v < hi; v++ {
			if x := values[v]; !has || x != none {
				if u, ok := least[x]; !ok || rank(v) < rank(int(u)) {
					least[x] = uint32(v)
				}
			}
		}
		if hi < len(values) {
			return
		}
		for v, x := range values {
			if u, ok := least[x]; ok {
				label[v] = u
			} else {
				label[v] = uint32(v)
			}
		}
	})
}
