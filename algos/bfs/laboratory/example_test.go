package laboratory_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/bfs"
	_ "github.com/foray-graph/foray/algos/bfs/laboratory"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
)

// On a GPU this search has two kernels per level. The host has no such choice.
func Example() {
	ctx := context.Background()
	grid, err := gen.Parse("grid2d:20x30")
	if err != nil {
		log.Fatal(err)
	}
	g, err := gen.Build(ctx, grid, graph.Options{})
	if err != nil {
		log.Fatal(err)
	}
	dev, err := device.Open("auto")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	placed, err := g.On(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer placed.Close()
	o := bfs.Options{Outputs: bfs.Depths}
	if dev.Info().Kind != device.Host {
		o.Tuning.Coupling = "two-phase"
	}
	res, err := bfs.Run(ctx, placed, 0, o)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	fmt.Println(res.Reached, "vertices, valid:", bfs.Validate(g, res) == nil)
	// Output: 600 vertices, valid: true
}
