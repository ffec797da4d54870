package foray_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/io/arrow"
)

// Load a graph, place it on a device, search it.
func Example() {
	ctx := context.Background()
	g, err := arrow.Load(ctx, "testdata/karate.parquet", arrow.Options{Source: "src", Target: "dst"})
	if err != nil {
		log.Fatal(err)
	}
	dev, err := device.Open("auto") // a GPU that can be opened, else the host
	if err != nil {
		log.Fatal(err)
	}
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
	res, err := dobfs.Run(ctx, placed, source, dobfs.Options{Outputs: bfs.Depths})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	fmt.Println("reached", res.Reached, "of", g.NumVertices(), "vertices in", res.Levels, "levels")
	// Output: reached 34 of 34 vertices in 4 levels
}
