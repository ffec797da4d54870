// This program loads a graph, searches it, reads a depth and writes the result. The
// README shows it.
//
//	go run ./examples/embed

package main

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/io/arrow"
)

func main() { search(context.Background(), "testdata/karate.parquet", "depths.parquet") }

func search(ctx context.Context, in, out string) {
	g, err := arrow.Load(ctx, in, arrow.Options{Source: "src", Target: "dst"})
	check(err)
	dev, err := device.Open("auto") // a GPU that can be opened, else the host
	check(err)
	defer dev.Close()
	placed, err := g.On(dev) // once; any number of searches share it
	check(err)
	defer placed.Close()
	source, err := g.Vertex(1) // the internal number of the file's id 1; VertexString takes ids that are strings
	check(err)
	res, err := dobfs.Run(ctx, placed, source, dobfs.Options{Outputs: bfs.Depths | bfs.Parents})
	check(err)
	defer res.Close()
	fmt.Println("reached", res.Reached, "of", g.NumVertices(), "vertices in", res.Levels, "levels")

	target, err := g.Vertex(34)
	check(err)
	depths, err := res.Depths() // by internal number; -1 where not reached
	check(err)                  // copying them from a GPU may have failed
	fmt.Println("34 is at depth", depths[target])
	check(arrow.Write(ctx, out, g, arrow.ResultColumns(res), arrow.WriteOptions{})) // columns vertex, depth, parent
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
