package hits_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/hits"
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
	r, err := hits.Run(context.Background(), p, hits.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	hubs, err := r.Hubs.ByID()
	if err != nil {
		log.Fatal(err)
	}
	authorities, err := r.Authorities.ByID()
	fmt.Printf("hubs %.4f, authorities %.4f, %v\n", hubs, authorities, err)
	// Output: hubs [0.3333 0.3333 0.3333 0.0000], authorities [0.0000 0.0000 0.0000 1.0000], <nil>
}
