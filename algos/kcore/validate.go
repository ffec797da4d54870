// This file holds Validate.

package kcore

import (
	"fmt"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
)

// Validate checks properties that core numbers must have:
//
//  1. They aren't too large: every vertex v has at least Core[v] neighbors whose core number is at least
//     Core[v], so these form a core.
//  2. They aren't too small: if vertices are peeled one after the other, by ascending core numbers, and
//     within one number as early as possible, each has at most Core[v] neighbors left when it is peeled.
//     Then no subgraph in which all have more neighbors can contain it: the first of its vertices to be
//     peeled would have too many.
//
// It also checks the degeneracy. It runs on one goroutine, and takes a few passes over the edges, 4 to 8
// bytes an edge and 20 a vertex.
//
// The error wraps graph.ErrInvalid for a result that isn't the graph's, is nil or was closed. For a nil
// graph it is graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result) error {
	switch {
	case g == nil:
		return fmt.Errorf("kcore: validate: %w", graph.ErrNoGraph)
	case r == nil:
		return invalid("it is nil")
	}
	core, err := r.Core.Slice()
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	if len(core) != g.NumVertices() {
		return invalid("%d core numbers for %d vertices", len(core), g.NumVertices())
	}
	most := uint32(0)
	near := oracle.Neighbors(g)
	left := make([]uint32, len(core)) // neighbors that haven't left
	for v, row := range near {
		most = max(most, core[v])
		left[v] = uint32(len(row))
		inside := uint32(0)
		for _, w := range row {
			if core[w] >= core[v] {
				inside++
			}
		}
		if inside < core[v] {
			return invalid("vertex %d: core number %d, but %d neighbors in that core", v, core[v], inside)
		}
	}
	if r.Degeneracy != most {
		return invalid("degeneracy %d, but the largest core number is %d", r.Degeneracy, most)
	}
	order := make([]uint32, len(core))
	for v := range order {
		order[v] = uint32(v)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return int(core[a]) - int(core[b]) })
	gone := make([]bool, len(core))
	var ready []uint32
	for len(order) > 0 {
		k := core[order[0]]
		end := 0
		for end < len(order) && core[order[end]] == k {
			if v := order[end]; left[v] <= k {
				ready = append(ready, v)
				gone[v] = true
			}
			end++
		}
		for len(ready) > 0 {
			v := ready[len(ready)-1]
			ready = ready[:len(ready)-1]
			for _, w := range near[v] {
				if left[w]--; core[w] == k && !gone[w] && left[w] <= k {
					ready = append(ready, w)
					gone[w] = true
				}
			}
		}
		for _, v := range order[:end] {
			if !gone[v] {
				return invalid("vertex %d: core number %d, but it is in a core of more", v, k)
			}
		}
		order = order[end:]
	}
	return nil
}
