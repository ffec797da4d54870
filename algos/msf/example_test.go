package msf_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/msf"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// A square with a diagonal: the lightest edges that join its corners.
func Example() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{Weights: true})
	if err := graph.AddInts(b, []int64{1, 2, 3, 4, 1}, []int64{2, 3, 4, 1, 3}, []float32{4, 1, 7, 2, 3}); err != nil {
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
	r, err := msf.Run(ctx, p, msf.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	weight, err := r.Weight()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Edges, "edges in", r.Trees, "tree, of weight", weight)
	// Output: 3 edges in 1 tree, of weight 6
}
