package paths_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/paths"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// The three shortest ways from 1 to 4, by minutes.
func Example() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{Weights: true})
	if err := graph.AddInts(b, []int64{1, 1, 2, 3, 1}, []int64{2, 3, 4, 4, 4}, []float32{10, 20, 10, 5, 40}); err != nil {
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
	from, err := g.Vertex(1)
	if err != nil {
		log.Fatal(err)
	}
	to, err := g.Vertex(4)
	if err != nil {
		log.Fatal(err)
	}
	r, err := paths.Run(ctx, p, paths.Options{Pairs: [][2]uint32{{from, to}}, K: 3, Weighted: true})
	if err != nil {
		log.Fatal(err)
	}
	for i, length := range r.Length {
		fmt.Print(length, " minutes:")
		for _, v := range r.Path(i) {
			fmt.Print(" ", g.IDs().Int(v))
		}
		fmt.Println()
	}
	// Output:
	// 20 minutes: 1 2 4
	// 25 minutes: 1 3 4
	// 40 minutes: 1 4
}
