package walks_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/walks"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// Every way leads along the line from 1 to 4, where walks end.
func Example() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{Directed: true})
	if err := graph.AddInts(b, []int64{1, 2, 3}, []int64{2, 3, 4}, nil); err != nil {
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
	start, err := g.Vertex(1)
	if err != nil {
		log.Fatal(err)
	}
	for batch, err := range walks.Each(ctx, p, walks.Options{Starts: []uint32{start}, Length: 10}) {
		if err != nil {
			log.Fatal(err)
		}
		for _, v := range batch.Vertices[batch.Offsets[0]:batch.Offsets[1]] {
			fmt.Print(g.IDs().Int(v), " ")
		}
		fmt.Println("ended early:", batch.Ended)
	}
	// Output: 1 2 3 4 ended early: 1
}
