// This program samples the neighborhood of a batch of customers, to train a graph neural network
// (docs/cookbook/sample.md).
package main

import (
	"context"
	"log"
	"math/rand/v2"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

const (
	lastDay = 60 // later purchases are for the test
	seed    = 1  // of the random numbers
)

// fanout is how many neighbors of a vertex are drawn, in each hop.
var fanout = []int{3, 2}

func main() {
	ctx := context.Background()
	g, err := arrow.Load(ctx, "testdata/cookbook/purchases.parquet",
		arrow.Options{Source: "customer:customer", Target: "product:product", Weight: "day"})
	check(err)
	hop := make([]int32, g.NumVertices())
	for v := range hop {
		hop[v] = -1
	}
	var batch []uint32
	for _, id := range []string{"customer:1001", "customer:1002"} {
		v, err := g.ParseVertex(id)
		check(err)
		batch, hop[v] = append(batch, v), 0
	}
	edges := sample(g.Out(), batch, hop, rand.New(rand.NewPCG(seed, seed)))

	column := arrow.NewColumn("hop", hop, -1) // -1: not in the sample
	check(arrow.Write(ctx, "nodes.parquet", g, []arrow.Column{column}, arrow.WriteOptions{ReachedOnly: true}))
	check(arrow.WriteBatches(ctx, "edges.parquet", func(_ context.Context, yield func(graph.Batch) error) error {
		return yield(named(g, edges))
	}, arrow.WriteOptions{}))
}

// sample draws neighbors of the batch, then neighbors of these, and so on. It sets the hops of the vertices and
// returns the edges, each from the vertex that was drawn to the one that it was drawn for.
func sample(out *graph.CSR, batch []uint32, hop []int32, r *rand.Rand) (edges [][2]uint32) {
	for i, most := range fanout {
		var next []uint32
		for _, v := range batch {
			first := out.Offsets[v]
			drawn := 0
			for _, e := range r.Perm(int(out.Degree(v))) {
				u := out.Targets[first+uint64(e)]
				if out.Weights[first+uint64(e)] > lastDay || drawn == most {
					continue
				}
				drawn++
				edges = append(edges, [2]uint32{u, v})
				if hop[u] < 0 {
					next, hop[u] = append(next, u), int32(i+1)
				}
			}
		}
		batch = next
	}
	return edges
}

// named returns edges with the ids of their vertices.
func named(g *graph.Graph, edges [][2]uint32) graph.Batch {
	ends := [2]*graph.Strings{{Offsets: []int64{0}}, {Offsets: []int64{0}}}
	for _, e := range edges {
		for side, v := range e {
			s := ends[side]
			s.Data = append(s.Data, g.IDs().Format(v)...)
			s.Offsets = append(s.Offsets, int64(len(s.Data)))
		}
	}
	return graph.Batch{SrcStrings: ends[0], DstStrings: ends[1]}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
