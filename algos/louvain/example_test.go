package louvain_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/louvain"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// An edge joins two triangles.
func Example() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, []int64{1, 1, 2, 3, 4, 4, 5}, []int64{2, 3, 3, 4, 5, 6, 6}, nil); err != nil {
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
	r, err := louvain.Run(ctx, p, louvain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	labels, err := r.Community.ByID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d communities of modularity %.3f: %v\n", r.Communities, r.Modularity, labels)
	// Output: 2 communities of modularity 0.357: [0 0 0 1 1 1]
}
