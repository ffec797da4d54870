package metrics_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/metrics"
)

// printer prints searches, and ignores loads and pools.
type printer struct{}

func (printer) Search(_ context.Context, s metrics.Search) {
	fmt.Println(s.Algorithm, "on", s.Device, "reached", s.Reached, "vertices in", s.Levels, "levels; error:", s.Err)
}
func (printer) Load(context.Context, metrics.Load) {}
func (printer) Pool(context.Context, metrics.Pool) {}

// A Recorder that prints the searches of a program.
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
	dev, err := device.Open("host")
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
	o := dobfs.Options{}
	o.Metrics = printer{}
	res, err := dobfs.Run(ctx, placed, source, o)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	// Output: dobfs on host reached 4 vertices in 4 levels; error: <nil>
}
