// This file holds the columns of results that have rows of edges.

package duckdb

import "github.com/foray-graph/foray/graph"

// edgeRows are edges of a graph, each once.
type edgeRows struct {
	g        *graph.Graph
	src, dst []uint32
	at       []uint64 // their entries in the rows of the graph, which have the values
}

// edgesOf returns the edges that keep accepts. An undirected one has its values in the direction from the larger to the
// smaller vertex.
func edgesOf(g *graph.Graph, keep func(at uint64) bool) *edgeRows {
	e, c := &edgeRows{g: g}, g.Out()
	for v := range uint32(g.NumVertices()) {
		for at := c.Offsets[v]; at < c.Offsets[v+1]; at++ {
			from, to := v, c.Targets[at]
			if !g.Directed() {
				from, to = to, from
			}
			if (g.Directed() || from <= to) && keep(at) {
				e.src, e.dst, e.at = append(e.src, from), append(e.dst, to), append(e.at, at)
			}
		}
	}
	return e
}

// ends returns the first two columns.
func (e *edgeRows) ends() []found {
	ids := e.g.IDs()
	return []found{vertices(ids, e.src, nil), vertices(ids, e.dst, nil)}
}

// weights returns the column of weights.
func (e *edgeRows) weights() found {
	c := e.g.Out()
	if e.g.WeightType() == graph.WeightsInt64 {
		all := make([]int64, len(e.at))
		for i, at := range e.at {
			all[i] = c.IntWeight(at)
		}
		return cells(all, nil, never)
	}
	all := make([]float64, len(e.at))
	for i, at := range e.at {
		all[i] = c.FloatWeight(at)
	}
	return cells(all, nil, never)
}

// at returns the values of the edges.
func at[T any](e *edgeRows, values []T) []T {
	all := make([]T, len(e.at))
	for i, at := range e.at {
		all[i] = values[at]
	}
	return all
}
