package kclique_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/kclique"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// Four vertices that are all joined, and an edge to a fifth one.
func Example() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, []int64{1, 1, 1, 2, 2, 3, 4}, []int64{2, 3, 4, 3, 4, 4, 5}, nil); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(ctx)
	if err != nil {
		log.Fatal(err)
	}
	p, err := g.On(host.New(0))
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	all, err := kclique.Run(ctx, p, kclique.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer all.Close()
	fmt.Println("cliques of 1, 2, 3 and 4 vertices:", all.Counts[1:])
	triangles, err := kclique.Run(ctx, p, kclique.Options{K: 3})
	if err != nil {
		log.Fatal(err)
	}
	defer triangles.Close()
	at, err := triangles.Cliques.ByID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("triangles of each vertex:", at)
	// Output:
	// cliques of 1, 2, 3 and 4 vertices: [5 7 4 1]
	// triangles of each vertex: [3 3 3 3 0]
}
