// This program loads a graph, searches it, reads depths and writes the result. The
// README shows it.
//
//	go run ./examples/embed testdata/karate.parquet ../depths.parquet

package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/io/arrow"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("want two names: of the Parquet file to read, and of the one to write")
	}
	search(context.Background(), os.Args[1], os.Args[2])
}

func search(ctx context.Context, in, out string) {
	g, err := arrow.Load(ctx, in, arrow.Options{Source: "src", Target: "dst"})
	check(err)
	fmt.Println(g.NumVertices(), "vertices,", g.NumEdges(), "edges")

	dev, err := device.Open("auto") // the best device that opens, at last the host
	check(err)
	defer dev.Close()
	log.Println("searching on", dev.Info().Name)
	dg, err := g.On(dev) // placed once, shared by any number of searches
	check(err)
	defer dg.Free()

	source, err := g.Vertex(1) // ids are those of the file
	check(err)
	res, err := dobfs.Run(ctx, dg, source, dobfs.Options{Parents: true, ByID: true})
	check(err)
	defer res.Free()
	fmt.Println("reached", res.Reached, "in", res.Levels, "levels")

	v, err := g.Vertex(34) // the number that 34 has inside
	check(err)
	depths, byID := res.Depths(), res.DepthsByID() // -1 where not reached
	check(res.Err())                               // a GPU's depths are copied by now
	fmt.Println("34 is at depth", depths[v], "or", byID[g.IDs().Rank(v)])
	for i, depth := range byID[:3] { // in ascending order of ids, for ByID
		fmt.Println(g.IDs().Format(g.IDs().AtRank(uint32(i))), "is at depth", depth)
	}
	check(arrow.WriteResult(ctx, out, g, res)) // columns vertex, depth, parent
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
