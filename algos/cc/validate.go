// This file holds the oracles and the check of a result.

package cc

import (
	"cmp"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
)

// sizes counts the vertices of components.
func sizes(labels []uint32, ids *graph.IDs) (list []Size) {
	count := make([]int, len(labels))
	for _, c := range labels {
		count[c]++
	}
	for c, n := range count {
		if n > 0 {
			list = append(list, Size{uint32(c), n})
		}
	}
	slices.SortFunc(list, func(a, b Size) int {
		return cmp.Or(cmp.Compare(b.Vertices, a.Vertices), cmp.Compare(ids.Rank(a.Component), ids.Rank(b.Component)))
	})
	return list
}

// Validate checks a result: labels are the smallest ids of their components, no edge leads from
// one component to another, the vertices of each can be reached from one another, and there are
// as many as the result says. Strongly connected components are found again, by
// Tarjan's search. It takes one goroutine. The error is graph.ErrInvalid, or
// that of the values.
func Validate(g *graph.Graph, r *Result) error {
	if g == nil {
		return graph.ErrNoGraph
	}
	if r == nil {
		return invalid("it is nil")
	}
	labels, err := r.Component.Slice()
	if err != nil {
		return err
	}
	if len(labels) != g.NumVertices() {
		return invalid("%d labels for %d vertices", len(labels), g.NumVertices())
	}
	ids, count := g.IDs(), 0
	for v, c := range labels {
		switch {
		case int(c) >= len(labels):
			return invalid("vertex %s has the label %d, which is no vertex", ids.Format(uint32(v)), c)
		case labels[c] != c:
			return invalid("vertex %s has the label %s, whose own label is %s", ids.Format(uint32(v)), ids.Format(c), ids.Format(labels[c]))
		case ids.Rank(c) > ids.Rank(uint32(v)):
			return invalid("vertex %s has the label %s, which is larger", ids.Format(uint32(v)), ids.Format(c))
		case int(c) == v:
			count++
		}
	}
	if count != r.Components {
		return invalid("%d components, the result says %d", count, r.Components)
	}
	if r.strong {
		for v, want := range oracle.StrongComponents(g) {
			if labels[v] != want {
				return invalid("vertex %s has the label %s, of its strongly connected component it is %s", ids.Format(uint32(v)), ids.Format(labels[v]), ids.Format(want))
			}
		}
		return nil
	}
	return weaklyJoined(g, labels, count)
}

// weaklyJoined checks that components are what edges join: none leads out of one, and joining
// their ends leaves no more components than there are labels.
func weaklyJoined(g *graph.Graph, labels []uint32, count int) error {
	for v := range labels {
		for _, w := range g.Out().Neighbors(uint32(v)) {
			if labels[w] != labels[v] {
				return invalid("an edge leads from %s, of component %s, to %s, of %s", g.IDs().Format(uint32(v)), g.IDs().Format(labels[v]), g.IDs().Format(w), g.IDs().Format(labels[w]))
			}
		}
	}
	joined := 0
	for v, c := range oracle.Components(g) {
		if int(c) == v {
			joined++
		}
	}
	if joined != count {
		return invalid("%d labels for %d components", count, joined)
	}
	return nil
}
