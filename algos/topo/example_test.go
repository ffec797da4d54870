package topo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/topo"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// Task 1 comes before 2 and 3, and both before 4. The weights are hours.
func Example() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{Directed: true, Weights: true})
	if err := graph.AddInts(b, []int64{1, 1, 2, 3}, []int64{2, 3, 4, 4}, []float32{5, 1, 1, 2}); err != nil {
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
	r, err := topo.Run(ctx, p, topo.Options{Weighted: true})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	levels, err := r.Level.ByID()
	if err != nil {
		log.Fatal(err)
	}
	way, err := r.Longest()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(levels, " longest path:")
	for _, v := range way {
		fmt.Print(" ", g.IDs().Int(v))
	}
	fmt.Println()
	// Output: [0 1 1 2] longest path: 1 2 4
}
