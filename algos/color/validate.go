// This file holds Validate.

package color

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/text"
)

// graph.ErrInvalid: a result that isn't a coloring of its graph.
var errInvalid = text.Named("color: not a valid result", graph.ErrInvalid)

// Validate checks that neighbors have different colors, that each vertex has neighbors of all smaller colors, as a greedy coloring
// leaves them, and that the colors are those from 0 to Colors-1. It takes a few passes over the edges, and 4 to 8 bytes an edge.
//
// The error wraps graph.ErrInvalid; for a nil graph it is graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result) error {
	if g == nil {
		return fmt.Errorf("color: validate: %w", graph.ErrNoGraph)
	}
	if r == nil || r.Color == nil {
		return fmt.Errorf("%w: there are no colors", errInvalid)
	}
	color, err := r.Color.Slice()
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	if len(color) != g.NumVertices() {
		return fmt.Errorf("%w: %d colors, the graph has %d vertices", errInvalid, len(color), g.NumVertices())
	}
	if err := g.Fetch(); err != nil {
		return fmt.Errorf("color: validate: %w", err)
	}
	colors := 0
	for v, row := range oracle.Neighbors(g) {
		colors = max(colors, int(color[v])+1)
		if int(color[v]) > len(row) {
			return fmt.Errorf("%w: vertex %d has the color %d, and only %d neighbors", errInvalid, v, color[v], len(row))
		}
		smaller, met := uint32(0), make([]bool, color[v])
		for _, w := range row {
			if color[w] == color[v] {
				return fmt.Errorf("%w: vertices %d and %d are neighbors, and have the color %d", errInvalid, v, w, color[v])
			}
			if color[w] < color[v] && !met[color[w]] {
				met[color[w]] = true
				smaller++
			}
		}
		if smaller != color[v] {
			return fmt.Errorf("%w: vertex %d has the color %d, though a smaller one is free", errInvalid, v, color[v])
		}
	}
	if colors != r.Colors {
		return fmt.Errorf("%w: there are %d colors, not %d", errInvalid, colors, r.Colors)
	}
	return nil
}
