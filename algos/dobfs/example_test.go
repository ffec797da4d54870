package dobfs_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
)

// A search over a small graph of Graph500's kind: pushed while the frontier is
// small, pulled while it is a large part of the graph.
func ExampleRun() {
	ctx := context.Background()
	kron, err := gen.Parse("kron12")
	if err != nil {
		log.Fatal(err)
	}
	g, err := gen.Build(ctx, kron, graph.Options{})
	if err != nil {
		log.Fatal(err)
	}
	dev, err := device.Open("host")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	p, err := g.On(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()

	// Vertex 0 has the most neighbors: hubs come first in this order.
	res, err := dobfs.Run(ctx, p, 0, dobfs.Options{Outputs: bfs.Depths | bfs.Parents, Stats: true})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	pulls := 0
	for _, l := range res.Stats {
		if l.Direction == "pull" {
			pulls++
		}
	}
	fmt.Println("levels were pulled:", pulls > 0)
	fmt.Println("fewer edges looked at than there are:", res.Edges < g.NumDirectedEdges())
	fmt.Println("valid:", bfs.Validate(g, res) == nil)
	// Output:
	// levels were pulled: true
	// fewer edges looked at than there are: true
	// valid: true
}

// Pulls go along in-edges, so a directed graph needs its reverse.
func ExampleRun_directed() {
	ctx := context.Background()
	dev, err := device.Open("host")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	for _, reverse := range []bool{false, true} {
		b := graph.NewBuilder(graph.Options{Directed: true, DenseIDs: true, Reverse: reverse})
		if err := graph.AddInts(b, []int32{0, 1, 2}, []int32{1, 2, 0}, nil); err != nil {
			log.Fatal(err)
		}
		g, err := b.Build(ctx)
		if err != nil {
			log.Fatal(err)
		}
		p, err := g.On(dev)
		if err != nil {
			log.Fatal(err)
		}
		res, err := dobfs.Run(ctx, p, 0, dobfs.Options{})
		if errors.Is(err, graph.ErrNoReverse) {
			fmt.Println(err)
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
		depths, err := res.Depths()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(depths)
		res.Close()
	}
	// Output:
	// dobfs: graph: no reverse graph: build the graph with its reverse, or use bfs
	// [0 1 2]
}
