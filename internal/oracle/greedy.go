package oracle

import (
	"cmp"
	"math"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/random"
)

// Priorities returns the random priority of each vertex, by a seed and the rank of its external id. None are equal.
func Priorities(g *graph.Graph, seed uint64) []uint64 {
	priority, ranks := make([]uint64, g.NumVertices()), g.IDs().Ranks()
	for v := range priority {
		rank := uint64(v)
		if ranks != nil {
			rank = uint64(ranks[v])
		}
		priority[v] = random.Uint64(seed, rank, 0)&^math.MaxUint32 | rank
	}
	return priority
}

// descending returns the vertices from the highest priority down.
func descending(priority []uint64) []int {
	order := make([]int, len(priority))
	for v := range order {
		order[v] = v
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(priority[b], priority[a]) })
	return order
}

// Independent returns 1 for each vertex of the set that takes the vertices by descending priority, unless a neighbor is in it.
func Independent(g *graph.Graph, seed uint64) []uint32 {
	member, near := make([]uint32, g.NumVertices()), Neighbors(g)
	for _, v := range descending(Priorities(g, seed)) {
		if !slices.ContainsFunc(near[v], func(w uint32) bool { return member[w] == 1 }) {
			member[v] = 1
		}
	}
	return member
}

// Colors returns the smallest color for each vertex that none of its neighbors has yet, by descending priority; with largest by
// descending number of neighbors first.
func Colors(g *graph.Graph, seed uint64, largest bool) []uint32 {
	near, ranks := Neighbors(g), g.IDs().Ranks()
	const none = math.MaxUint32
	color, order := make([]uint32, len(near)), make([]uint32, len(near))
	for v := range order {
		color[v], order[v] = none, uint32(v)
	}
	key := func(v uint32) (degree int, drawn uint64, rank uint32) {
		if rank = v; ranks != nil {
			rank = ranks[v]
		}
		if drawn = random.Uint64(seed, uint64(rank), 0); largest {
			return len(near[v]), drawn >> 32, rank
		}
		return 0, drawn, rank
	}
	slices.SortFunc(order, func(v, w uint32) int {
		d1, x1, r1 := key(v)
		d2, x2, r2 := key(w)
		return cmp.Or(cmp.Compare(d2, d1), cmp.Compare(x2, x1), cmp.Compare(r2, r1))
	})
	for _, v := range order {
		used := map[uint32]bool{}
		for _, w := range near[v] {
			used[color[w]] = true
		}
		for color[v] = 0; used[color[v]]; color[v]++ {
		}
	}
	return color
}
