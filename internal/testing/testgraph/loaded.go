// This file holds random graphs that are built as loading does.

package testgraph

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/foray-graph/foray/graph"
)

// Loaded returns a random graph of at most n vertices, and its edges, with self-loops, parallel edges and some vertices of
// many edges. A self-loop of an undirected graph is in its row once. A directed graph has its reverse. A third of the graphs
// have no weights, a third weights of 32 bits, the others of 64 bits.
func Loaded(r *rand.Rand, n int) (*graph.Graph, []Edge) {
	n = 1 + r.IntN(n)
	es, weights := make([]Edge, r.IntN(5*n)), r.IntN(3)
	b := graph.NewBuilder(graph.Options{Directed: r.IntN(2) == 0, Reverse: true, KeepSelfLoops: true, KeepDuplicates: true, Weights: weights > 0,
		DenseIDs: true, Vertices: uint64(n), Order: graph.OrderGiven})
	batch := graph.Batch{Type: graph.Int64}
	for i := range es {
		es[i] = Edge{From: r.Uint32N(1 + r.Uint32N(uint32(n))), To: r.Uint32N(uint32(n))}
		batch.Src, batch.Dst = append(batch.Src, int64(es[i].From)), append(batch.Dst, int64(es[i].To))
		switch weights {
		case 1:
			batch.Weights = append(batch.Weights, float32(r.IntN(100))/8)
		case 2:
			batch.FloatWeights = append(batch.FloatWeights, r.Float64()*math.Pow(10, float64(r.IntN(8)-4)))
		}
	}
	if err := b.Add(batch); err != nil {
		panic(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		panic(err)
	}
	return g, es
}
