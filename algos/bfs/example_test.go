package bfs_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
)

// A path of five vertices, searched from one end and from both.
func ExampleRun() {
	ctx := context.Background()
	path, err := gen.Parse("path:5")
	if err != nil {
		log.Fatal(err)
	}
	g, err := gen.Build(ctx, path, graph.Options{})
	if err != nil {
		log.Fatal(err)
	}
	dg, err := g.On(host.New(0))
	if err != nil {
		log.Fatal(err)
	}
	defer dg.Free()

	one, err := bfs.Run(ctx, dg, 0, bfs.Options{Parents: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(one.Depths(), one.Parents(), bfs.Validate(g, one))
	both, err := bfs.RunMany(ctx, dg, []uint32{0, 4}, bfs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(both.Depths())
	// Output:
	// [0 1 2 3 4] [0 0 1 2 3] <nil>
	// [0 1 2 1 0]
}
