// This file holds Validate.

package topo

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// graph.ErrInvalid: a result that isn't the levels of its graph.
var errInvalid = text.Named("topo: not a valid result", graph.ErrInvalid)

// Validate checks properties that only the levels have: every edge leads to a higher level, and every vertex above level 0
// has an edge from the level before. Lengths are checked alike: no edge would make a length greater, and
// every length above 0 is the sum of a source's length and the weight of its edge. It takes a pass over the edges, and a
// byte a vertex.
//
// The error wraps graph.ErrInvalid; for a nil graph it is graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result) error {
	if g == nil {
		return fmt.Errorf("topo: validate: %w", graph.ErrNoGraph)
	}
	if r == nil || r.Level == nil {
		return fmt.Errorf("%w: there are no levels", errInvalid)
	}
	level, err := r.Level.Slice()
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	var length []float64
	if r.Length != nil {
		if length, err = r.Length.Slice(); err != nil {
			return fmt.Errorf("%w: %w", errInvalid, err)
		}
	}
	if len(level) != g.NumVertices() || r.Length != nil && len(length) != len(level) {
		return fmt.Errorf("%w: %d levels and %d lengths, the graph has %d vertices", errInvalid, len(level), len(length), g.NumVertices())
	}
	if err := g.Fetch(); err != nil {
		return fmt.Errorf("topo: validate: %w", err)
	}
	const byLevel, byLength = 1, 2
	c, reached, levels := g.Out(), make([]uint8, len(level)), 0
	if length != nil && c.Weights == nil && c.NumEdges() > 0 {
		return fmt.Errorf("%w: there are lengths, but the graph has no weights", errInvalid)
	}
	for v := range level {
		levels = max(levels, int(level[v])+1)
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			w := c.Targets[e]
			if level[v] >= level[w] {
				return fmt.Errorf("%w: an edge leads from vertex %d, level %d, to vertex %d, level %d", errInvalid, v, level[v], w, level[w])
			}
			if level[v]+1 == level[w] {
				reached[w] |= byLevel
			}
			if length == nil {
				continue
			}
			switch x := length[v] + c.FloatWeight(e); {
			case x > length[w]:
				return fmt.Errorf("%w: the heaviest path to vertex %d weighs %v, one by vertex %d weighs %v", errInvalid, w, length[w], v, x)
			case x == length[w]:
				reached[w] |= byLength
			}
		}
	}
	for v, by := range reached {
		if level[v] > 0 && by&byLevel == 0 {
			return fmt.Errorf("%w: vertex %d has level %d, but no edge from the level before", errInvalid, v, level[v])
		}
		if length != nil && length[v] != 0 && by&byLength == 0 {
			return fmt.Errorf("%w: no path to vertex %d weighs %v", errInvalid, v, length[v])
		}
	}
	if levels != r.Levels {
		return fmt.Errorf("%w: there are %d levels, not %d", errInvalid, levels, r.Levels)
	}
	return nil
}
