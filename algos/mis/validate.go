// This file holds Validate.

package mis

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// graph.ErrInvalid: a result that isn't a maximal independent set of its graph.
var errInvalid = text.Named("mis: not a valid result", graph.ErrInvalid)

// Validate checks that no edge joins two members of the set, that each other vertex has a neighbor in the set, and the size. It
// takes a pass over the edges, and a byte a vertex.
//
// The error wraps graph.ErrInvalid; for a nil graph it is graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result) error {
	if g == nil {
		return fmt.Errorf("mis: validate: %w", graph.ErrNoGraph)
	}
	if r == nil || r.Member == nil {
		return fmt.Errorf("%w: there is no set", errInvalid)
	}
	member, err := r.Member.Slice()
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	if len(member) != g.NumVertices() {
		return fmt.Errorf("%w: %d values, the graph has %d vertices", errInvalid, len(member), g.NumVertices())
	}
	if err := g.Fetch(); err != nil {
		return fmt.Errorf("mis: validate: %w", err)
	}
	covered, size := make([]bool, len(member)), 0
	for v, x := range member {
		if x > 1 {
			return fmt.Errorf("%w: vertex %d has %d, which is neither 0 nor 1", errInvalid, v, x)
		}
		size += int(x)
		covered[v] = covered[v] || x == 1
		for _, w := range g.Out().Neighbors(uint32(v)) {
			if int(w) == v {
				continue
			}
			if x == 1 && member[w] == 1 {
				return fmt.Errorf("%w: vertices %d and %d are in the set, but an edge joins them", errInvalid, v, w)
			}
			covered[v] = covered[v] || member[w] == 1
			covered[w] = covered[w] || x == 1
		}
	}
	for v, is := range covered {
		if !is {
			return fmt.Errorf("%w: vertex %d has no neighbor in the set, and isn't in it", errInvalid, v)
		}
	}
	if size != r.Size {
		return fmt.Errorf("%w: %d vertices are in the set, not %d", errInvalid, size, r.Size)
	}
	return nil
}
