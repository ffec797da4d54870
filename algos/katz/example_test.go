package katz_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/katz"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// Three pages link to page 4, which links to page 1.
func Example() {
	b := graph.NewBuilder(graph.Options{Directed: true, Reverse: true, Order: graph.OrderGiven})
	if err := graph.AddInts(b, []int64{1, 2, 3, 4}, []int64{4, 4, 4, 1}, nil); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	p, err := g.On(host.New(0))
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	r, err := katz.Run(context.Background(), p, katz.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	values, err := r.Centrality.ByID()
	fmt.Printf("%.4f, %v\n", values, err)
	// Output: [0.5057 0.4470 0.4470 0.5870], <nil>
}
