// This file makes random graphs for tests of algorithms.

package testgraph

import (
	"context"
	"math/rand/v2"

	"github.com/foray-graph/foray/graph"
)

// Random returns a small graph of at most n vertices and degree*n edges, some vertices of many
// edges among them, in any order: its ids aren't in the order of its vertices. It is directed or
// not, and has its reverse or not. With loops it may have self-loops and repeated edges.
func Random(r *rand.Rand, n, degree int, loops bool) *graph.Graph {
	var src, dst []int64
	for range 1 + r.IntN(degree*n) {
		src, dst = append(src, int64(r.IntN(n))*7-50), append(dst, int64(r.IntN(1+r.IntN(n)))*7-50)
	}
	o := graph.Options{Directed: r.IntN(2) == 0, Reverse: r.IntN(2) == 0,
		Order: []graph.Order{graph.OrderDegree, graph.OrderGiven, graph.OrderAuto}[r.IntN(3)]}
	if loops {
		o.KeepSelfLoops, o.KeepDuplicates = r.IntN(2) == 0, r.IntN(2) == 0
	}
	b := graph.NewBuilder(o)
	if err := graph.AddInts(b, src, dst, nil); err != nil {
		panic(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		panic(err)
	}
	return g
}
