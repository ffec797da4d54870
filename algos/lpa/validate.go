// This file holds Validate.

package lpa

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/text"
)

// graph.ErrInvalid: a result that isn't what label propagation leaves.
var errInvalid = text.Named("lpa: not a valid result", graph.ErrInvalid)

// Validate checks a result: labels propagate in one way only, so it does as many rounds again, by
// the definition, which takes much longer than Run. It also checks that no vertex has a label from
// outside its component, which needs no rounds.
//
// The error wraps graph.ErrInvalid; for a nil graph it is graph.ErrNoGraph.
func Validate(g *graph.Graph, r *Result) error {
	if g == nil {
		return fmt.Errorf("lpa: validate: %w", graph.ErrNoGraph)
	}
	if r == nil || r.Labels == nil {
		return fmt.Errorf("%w: there are no labels", errInvalid)
	}
	labels, err := r.Labels.Slice()
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	if len(labels) != g.NumVertices() {
		return fmt.Errorf("%w: %d labels, the graph has %d vertices", errInvalid, len(labels), g.NumVertices())
	}
	if len(labels) == 0 {
		return nil
	}
	if r.Iterations < 1 {
		return fmt.Errorf("%w: %d rounds; there is one at least", errInvalid, r.Iterations)
	}
	component, used := components(g), map[uint32]bool{}
	for v, x := range labels {
		if int(x) >= len(labels) {
			return fmt.Errorf("%w: vertex %d has the label %d, which is no vertex", errInvalid, v, x)
		}
		if component[x] != component[v] {
			return fmt.Errorf("%w: vertex %d has the label of vertex %d, which is in another component", errInvalid, v, x)
		}
		used[x] = true
	}
	if len(used) != r.Communities {
		return fmt.Errorf("%w: there are %d labels, not %d", errInvalid, len(used), r.Communities)
	}
	want := oracle.Labels(g, r.Iterations)
	for v, x := range labels {
		if x != want[v] {
			return fmt.Errorf("%w: vertex %d has the label of vertex %d; after %d rounds it is that of %d", errInvalid, v, x, r.Iterations, want[v])
		}
	}
	return nil
}

// components returns a number for each vertex, the same within a weakly connected component.
func components(g *graph.Graph) []uint32 {
	root := make([]uint32, g.NumVertices())
	for v := range root {
		root[v] = uint32(v)
	}
	find := func(v uint32) uint32 {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	for v := range root {
		for _, u := range g.Out().Neighbors(uint32(v)) {
			root[find(uint32(v))] = find(u)
		}
	}
	for v := range root {
		root[v] = find(uint32(v))
	}
	return root
}
