package mis_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/mis"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// Vertex 1 is joined to all others, and two of these to each other.
func Example() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, []int64{1, 1, 1, 1, 2}, []int64{2, 3, 4, 5, 3}, nil); err != nil {
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
	r, err := mis.Run(ctx, p, mis.Options{Seed: 3})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	members, err := r.Member.ByID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Size, "vertices:", members)
	// Output: 3 vertices: [0 1 0 1 1]
}
