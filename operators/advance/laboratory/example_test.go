package laboratory_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/advance"
	_ "github.com/foray-graph/foray/operators/advance/laboratory"
)

// A push from vertex 0. On a GPU a warp takes the edges of each vertex; the host ignores the strategy.
func Example() {
	ctx := context.Background()
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 2, 3, 4}, Targets: []uint32{1, 2, 0, 0}}, graph.CSROptions{})
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
	stream, err := dev.NewStream(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	adv, err := advance.New(stream, placed)
	if err != nil {
		log.Fatal(err)
	}
	if adv.Strategy, err = advance.ParseStrategy("warp"); err != nil {
		log.Fatal(err)
	}
	from, to := frontier.New(placed), frontier.New(placed)
	if err := from.Add(0); err != nil {
		log.Fatal(err)
	}
	edges, err := adv.Push(from, to, advance.All())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(edges, "edges lead to", to.Len(), "vertices")
	// Output: 2 edges lead to 2 vertices
}
