package similar_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/similar"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// Customers 1 to 3 buy products 10 to 12.
func Example() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, []int64{1, 1, 2, 2, 3, 3}, []int64{10, 11, 10, 11, 11, 12}, nil); err != nil {
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
	customer, err := g.Vertex(1)
	if err != nil {
		log.Fatal(err)
	}
	r, err := similar.Run(ctx, p, similar.Options{Sources: []uint32{customer}})
	if err != nil {
		log.Fatal(err)
	}
	for i, v := range r.Neighbor {
		fmt.Printf("%d is like %d: %.2f\n", g.IDs().Int(r.Vertex[i]), g.IDs().Int(v), r.Score[i])
	}
	// Output:
	// 1 is like 2: 1.00
	// 1 is like 3: 0.33
}
