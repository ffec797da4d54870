package advance_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/advance"
)

// Every airport looks for a direct flight from a hub, and notes the flight and
// what it costs. A GPU runs the same.
func ExampleInEdges() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{Directed: true, Reverse: true, Weights: true, EdgeIDs: true})
	if err := b.Add(graph.Batch{
		Src:     []int64{10, 10, 20, 40},
		Dst:     []int64{20, 30, 30, 50},
		Weights: []float32{99, 45, 70, 30},
		EdgeIDs: []uint64{501, 502, 503, 504},
	}); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(ctx)
	if err != nil {
		log.Fatal(err)
	}
	dev := host.New(0)
	p, err := g.On(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	stream, err := dev.NewStream(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	adv, err := advance.New(stream, p)
	if err != nil {
		log.Fatal(err)
	}
	defer adv.Close()

	hubs, found := frontier.New(p), frontier.New(p)
	hub, err := g.Vertex(10)
	if err != nil {
		log.Fatal(err)
	}
	if err := hubs.Clear(frontier.Bitmap); err != nil {
		log.Fatal(err)
	}
	if err := hubs.Add(hub); err != nil {
		log.Fatal(err)
	}
	flights, err := device.NewBuffer[uint64](dev, g.NumVertices())
	if err != nil {
		log.Fatal(err)
	}
	defer flights.Close()
	if _, err := adv.Pull(hubs, hubs, found, advance.InEdges(flights)); err != nil {
		log.Fatal(err)
	}
	edges := make([]uint64, flights.Len())
	if err := flights.Read(dev, 0, edges); err != nil {
		log.Fatal(err)
	}
	for _, v := range found.Vertices() {
		e := edges[v]
		fmt.Println("airport", g.IDs().Int(v), "flight", g.In().EdgeIDs[e], "price", g.In().Weights[e])
	}
	// Output:
	// airport 20 flight 501 price 99
	// airport 30 flight 502 price 45
}
