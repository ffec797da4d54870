package ktruss_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/ktruss"
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
	r, err := ktruss.Run(ctx, p, ktruss.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for k := uint32(2); k <= r.Largest(); k++ {
		fmt.Println(r.Edges[k], "edges of trussness", k)
	}
	// Output:
	// 1 edges of trussness 2
	// 0 edges of trussness 3
	// 6 edges of trussness 4
}
