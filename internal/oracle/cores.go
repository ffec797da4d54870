// This file holds core numbers.

package oracle

import (
	"slices"

	"github.com/foray-graph/foray/graph"
)

// Cores returns the core number of every vertex, by the algorithm of Batagelj and Zaversnik
// ("An O(m) Algorithm for Cores Decomposition of Networks", 2003), on one goroutine.
func Cores(g *graph.Graph) []uint32 {
	near := Neighbors(g)
	n := len(near)
	degree, most := make([]uint32, n), uint32(0)
	for v := range near {
		degree[v] = uint32(len(near[v]))
		most = max(most, degree[v])
	}
	// order has the vertices by degree, place the place of each, first where those of a degree begin.
	order, place, first := make([]uint32, n), make([]int, n), make([]int, most+2)
	for _, d := range degree {
		first[d+1]++
	}
	for d := range most + 1 {
		first[d+1] += first[d]
	}
	at := slices.Clone(first)
	for v, d := range degree {
		place[v], order[at[d]] = at[d], uint32(v)
		at[d]++
	}
	for i := range n {
		v := order[i]
		for _, w := range near[v] {
			if d := degree[w]; d > degree[v] {
				// w moves to the front of its degree, which begins one later then.
				to := first[d]
				u := order[to]
				order[place[w]], place[u] = u, place[w]
				order[to], place[w] = w, to
				first[d]++
				degree[w]--
			}
		}
	}
	return degree
}

// Neighbors returns those of every vertex, along edges either way, each once and without itself.
func Neighbors(g *graph.Graph) [][]uint32 {
	near := make([][]uint32, g.NumVertices())
	for v := range uint32(len(near)) {
		for _, w := range g.Out().Neighbors(v) {
			if w != v {
				near[v] = append(near[v], w)
				if g.Directed() {
					near[w] = append(near[w], v)
				}
			}
		}
	}
	for v, row := range near {
		slices.Sort(row)
		near[v] = slices.Compact(row)
	}
	return near
}
