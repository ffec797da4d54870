// This file holds the oracles and the check of a result.

package cc

import (
	"cmp"
	"slices"

	"github.com/foray-graph/foray/graph"
)

// Sequential finds weakly connected components on one goroutine, by a union of the ends of every
// edge. It returns, of every vertex, the vertex of its component with the smallest external id.
// It is there to check Run with.
func Sequential(g *graph.Graph) []uint32 {
	up := make([]uint32, g.NumVertices())
	for v := range up {
		up[v] = uint32(v)
	}
	root := func(v uint32) uint32 {
		for up[v] != v {
			up[v] = up[up[v]]
			v = up[v]
		}
		return v
	}
	ids := g.IDs()
	for v := range uint32(len(up)) {
		for _, w := range g.Out().Neighbors(v) {
			a, b := root(v), root(w)
			if ids.Rank(a) > ids.Rank(b) {
				a, b = b, a
			}
			up[b] = a
		}
	}
	for v := range up {
		up[v] = root(uint32(v))
	}
	return up
}

// SequentialStrong is Sequential for strongly connected components, by Tarjan's search.
func SequentialStrong(g *graph.Graph) []uint32 {
	n := g.NumVertices()
	order, low := make([]uint32, n), make([]uint32, n) // from 1 on; 0: not seen
	label := make([]uint32, n)
	open := make([]bool, n)
	var path, stack []uint32 // the search's, and that of open vertices
	edge := make([]uint64, n)
	seen := uint32(0)
	for s := range uint32(n) {
		if order[s] != 0 {
			continue
		}
		path = append(path, s)
		for len(path) > 0 {
			v := path[len(path)-1]
			if order[v] == 0 {
				seen++
				order[v], low[v], open[v] = seen, seen, true
				stack = append(stack, v)
			}
			row := g.Out().Neighbors(v)
			deeper := false
			for ; edge[v] < uint64(len(row)) && !deeper; edge[v]++ {
				switch w := row[edge[v]]; {
				case order[w] == 0:
					path, deeper = append(path, w), true
				case open[w]:
					low[v] = min(low[v], order[w])
				}
			}
			if deeper {
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1]
				low[up] = min(low[up], low[v])
			}
			if low[v] != order[v] {
				continue
			}
			at := len(stack) - 1
			for stack[at] != v {
				at--
			}
			first := slices.MinFunc(stack[at:], func(a, b uint32) int { return cmp.Compare(g.IDs().Rank(a), g.IDs().Rank(b)) })
			for _, w := range stack[at:] {
				label[w], open[w] = first, false
			}
			stack = stack[:at]
		}
	}
	return label
}

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
// as many as the result says. Strongly connected components are compared with those of
// SequentialStrong. It takes one goroutine. The error is graph.ErrInvalid, or
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
		for v, want := range SequentialStrong(g) {
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
	for v, c := range Sequential(g) {
		if int(c) == v {
			joined++
		}
	}
	if joined != count {
		return invalid("%d labels for %d components", count, joined)
	}
	return nil
}
