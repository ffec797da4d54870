package host_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// A search by two workers, whatever GOMAXPROCS is.
func Example() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, []int64{1, 2, 3}, []int64{2, 3, 4}, nil); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(ctx)
	if err != nil {
		log.Fatal(err)
	}
	dev := host.New(2)
	defer dev.Close()
	placed, err := g.On(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer placed.Close()
	source, err := g.Vertex(1)
	if err != nil {
		log.Fatal(err)
	}
	res, err := bfs.Run(ctx, placed, source, bfs.Options{Outputs: bfs.Depths})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	fmt.Println(res.Reached, "vertices on", dev.Info().Name, "by", dev.Info().Units, "workers")
	// Output: 4 vertices on host by 2 workers
}
