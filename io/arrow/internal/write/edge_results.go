// This file writes what was found of every edge.

package write

import (
	"fmt"
	"slices"

	"github.com/foray-graph/foray/graph"
)

// edgeResult is a ResultColumn with a value for each edge of Graph.Out, on its way out.
type edgeResult struct {
	fields []outField // several for vertices whose ids have parts
	// fill makes the columns of a batch those of the edges.
	fill func(to []outColumn, edges []uint64) error
	// missing reports that an edge has no value.
	missing func(edge uint64) bool
}

// edgeResults checks the columns, which come after others.
func edgeResults(g *graph.Graph, columns []ResultColumn, others []outField) ([]edgeResult, error) {
	others = slices.Clone(others)
	all := make([]edgeResult, len(columns))
	for i, c := range columns {
		if err := foundOn(g, c.Of); err != nil {
			return nil, fmt.Errorf("column %.100q: %w", c.Name, err)
		}
		if err := c.wrong(); err != nil {
			return nil, err
		}
		if c.Make != nil {
			values, err := c.Make(g)
			if err != nil {
				return nil, fmt.Errorf("column %.100q: %w", c.Name, err)
			}
			c.Values = values
		}
		of, err := newVertexColumn(g.IDs(), &c, i)
		if err != nil {
			return nil, err
		}
		if n := g.NumDirectedEdges(); uint64(of.values) != n {
			return nil, fmt.Errorf("%w: column %.100q has %d values for the %d edges of Graph.Out; traverse.EdgeArray makes arrays with a value per edge",
				ErrResult, c.Name, of.values, n)
		}
		if err := of.checkNames(others, 0); err != nil {
			return nil, err
		}
		others = append(others, of.fields...)
		all[i] = edgeResultOf(g.IDs(), &c, of.fields)
	}
	return all, nil
}

// edgeResultOf returns the column of a slice, whose type newVertexColumn has checked.
func edgeResultOf(ids *graph.IDs, c *ResultColumn, fields []outField) edgeResult {
	switch values := c.Values.(type) {
	case []int32:
		return edgeResultFrom(ids, c, fields, values)
	case []int64:
		return edgeResultFrom(ids, c, fields, values)
	case []uint32:
		return edgeResultFrom(ids, c, fields, values)
	case []uint64:
		return edgeResultFrom(ids, c, fields, values)
	case []float32:
		return edgeResultFrom(ids, c, fields, values)
	case []float64:
		return edgeResultFrom(ids, c, fields, values)
	}
	return edgeResultFrom(ids, c, fields, c.Values.([]bool))
}

func edgeResultFrom[T value](ids *graph.IDs, c *ResultColumn, fields []outField, values []T) edgeResult {
	var (
		null, _ = nullAs[T](c.Null)
		some    []T
		places  []uint32
	)
	r := edgeResult{fields: fields, missing: func(edge uint64) bool { return c.Null != nil && isNull(values[edge], null) }}
	if vertices, ok := any(values).([]uint32); ok && c.Vertices {
		r.missing = func(edge uint64) bool { return vertices[edge] == graph.NoVertex }
	}
	r.fill = func(to []outColumn, edges []uint64) error { // the edges of a batch are as few as vertices may be
		some = some[:0]
		for _, e := range edges {
			some = append(some, values[e])
		}
		for len(places) < len(edges) {
			places = append(places, uint32(len(places)))
		}
		batch := *c
		batch.Values = some
		v, err := newVertexColumn(ids, &batch, 0)
		if err != nil {
			return err
		}
		for i := range to {
			to[i].reset()
		}
		return v.fill(to, places[:len(edges)])
	}
	return r
}
