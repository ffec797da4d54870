// This file holds the order of external ids, the drawing of sources by it, and
// the gathering of results into it.

package bench

import (
	"math/rand/v2"

	"github.com/foray-graph/foray/graph"
)

// Order is the order of a graph's external ids: integers by value, strings
// bytewise.
type Order struct {
	n      int
	vertex []uint32 // by rank; nil where a vertex is its own rank
	rank   []uint32 // by vertex
}

// ExternalOrder returns the order of the ids. It costs a pass over them if they
// aren't in order.
func ExternalOrder(ids *graph.IDs) *Order {
	return &Order{n: ids.Len, vertex: ids.ByID(), rank: ids.Ranks()}
}

// Vertex returns the vertex of a rank, 0 for the smallest id.
func (o *Order) Vertex(rank uint32) uint32 {
	if o.vertex == nil {
		return rank
	}
	return o.vertex[rank]
}

// Rank returns the rank of a vertex.
func (o *Order) Rank(v uint32) uint32 {
	if o.rank == nil {
		return v
	}
	return o.rank[v]
}

// Sources draws k different vertices that have an out-edge, each with the same
// chance, or returns all of them if there are no more than k. The order makes
// the draw the same however the graph is numbered inside.
func Sources(g *graph.Graph, o *Order, k int, seed uint64) []uint32 {
	searchable := 0
	for v := range o.n {
		if g.Degree(uint32(v)) > 0 {
			searchable++
		}
	}
	k = min(k, searchable)
	if k <= 0 {
		return nil
	}
	// The drawn numbers count searchable vertices in the order of ids.
	at := make(map[int]int, k) // number to place in the draw
	for rng := rand.New(rand.NewPCG(seed, 0)); len(at) < k; {
		x := int(rng.Uint64N(uint64(searchable)))
		if _, twice := at[x]; !twice {
			at[x] = len(at)
		}
	}
	sources := make([]uint32, k)
	for r, i := uint32(0), 0; i < searchable; r++ {
		v := o.Vertex(r)
		if g.Degree(v) == 0 {
			continue
		}
		if place, ok := at[i]; ok {
			sources[place] = v
		}
		i++
	}
	return sources
}

// given is a result in the given order, in memory that is used again.
type given struct {
	depths  []int32
	parents []uint32
}

// gather puts the depths of Sequential into the order of ids and hangs them into f.
// Where the graph is in that order they are that already.
func (g *given) gather(o *Order, f *found) {
	if o.vertex == nil {
		f.given = &given{depths: f.depths}
		return
	}
	f.given = g
	g.depths = fit(g.depths, len(f.depths))
	for i, v := range o.vertex {
		g.depths[i] = f.depths[v]
	}
}

// fit returns a slice of length n, s itself if it is as long.
func fit[T any](s []T, n int) []T {
	if len(s) == n {
		return s
	}
	return make([]T, n)
}
