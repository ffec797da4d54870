// This file places small graphs for examples.

package testgraph

import (
	"context"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// Placed returns a graph of these edges on the host, its vertices numbered by their ids. It
// panics where an edge has no end: examples have no test to fail.
func Placed(o graph.Options, src, dst []int64, weights ...float32) *graph.Placed {
	o.Order, o.Weights = graph.OrderGiven, weights != nil
	b := graph.NewBuilder(o)
	if err := graph.AddInts(b, src, dst, weights); err != nil {
		panic(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		panic(err)
	}
	p, err := g.On(host.New(0))
	if err != nil {
		panic(err)
	}
	return p
}
