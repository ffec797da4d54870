package bridges_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/bridges"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// Two triangles, and an edge between them.
func Example() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, []int64{1, 2, 3, 3, 4, 5, 6}, []int64{2, 3, 1, 4, 5, 6, 4}, nil); err != nil {
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
	r, err := bridges.Run(ctx, p, bridges.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	points, err := r.Articulation.ByID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Components, "components,", r.Bridges, "bridge, articulation points", points)
	// Output: 3 components, 1 bridge, articulation points [0 0 1 1 0 0]
}
