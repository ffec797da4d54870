package lpa_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/lpa"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// Two groups of four who all know each other, joined by one acquaintance.
func Example() {
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b,
		[]int64{10, 10, 10, 20, 20, 30, 50, 50, 50, 60, 60, 70, 40},
		[]int64{20, 30, 40, 30, 40, 40, 60, 70, 80, 70, 80, 80, 50}, nil); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	p, err := g.On(host.New(0))
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	r, err := lpa.Run(context.Background(), p, lpa.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	labels, err := r.Labels.ByID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(r.Communities, " communities:")
	for _, v := range labels {
		fmt.Print(" ", g.IDs().Int(v))
	}
	fmt.Println()
	// Output: 2 communities: 10 10 10 10 50 50 50 50
}
