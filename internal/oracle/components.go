// This file holds components.

package oracle

import (
	"cmp"
	"slices"

	"github.com/foray-graph/foray/graph"
)

// Components finds weakly connected components on one goroutine, by a union of the ends of every
// edge. It returns, of every vertex, the vertex of its component with the smallest external id.
func Components(g *graph.Graph) []uint32 {
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

// StrongComponents is Components for strongly connected components, by Tarjan's search.
func StrongComponents(g *graph.Graph) []uint32 {
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
