// This program writes a table of accounts with features of the payment graph, for a model
// (docs/cookbook/features.md).
package main

import (
	"context"
	"log"
	"os"

	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: features FILE; - is standard output")
	}
	ctx := context.Background()
	g, err := arrow.Load(ctx, "testdata/cookbook/payments", arrow.Options{
		Source: "payer", Target: "payee",
		Where: "day < '2026-03-15'", // what was known then
		Graph: graph.Options{Directed: true, Reverse: true},
	})
	check(err)
	dev, err := device.Open("auto")
	check(err)
	defer dev.Close()
	placed, err := g.On(dev)
	check(err)
	defer placed.Close()
	write(ctx, placed, os.Args[1])
}

// write runs the algorithms and writes a row for each vertex.
func write(ctx context.Context, placed *graph.Placed, path string) {
	g := placed.Graph()
	received := make([]int64, g.NumVertices())
	for v := range received {
		received[v] = int64(g.InDegree(uint32(v)))
	}
	core, err := kcore.Run(ctx, placed, kcore.Options{})
	check(err)
	defer core.Close()
	circles, err := triangles.Run(ctx, placed, triangles.Options{})
	check(err)
	defer circles.Close()
	strong, err := cc.Strong(ctx, placed, cc.Options{})
	check(err)
	defer strong.Close()
	size, err := sizes(strong)
	check(err)
	ranks, err := pagerank.Run(ctx, placed, pagerank.Options{})
	check(err)
	defer ranks.Close()
	check(arrow.Write(ctx, path, g, []arrow.Column{
		arrow.DegreeColumn("pays"),
		arrow.NewColumn("is_paid_by", received),
		arrow.ValuesColumn("core", core.Core),
		arrow.ValuesColumn("triangles", circles.Triangles),
		arrow.NewColumn("ring_size", size),
		arrow.ValuesColumn("rank", ranks.Ranks),
	}, arrow.WriteOptions{SortByID: true, VertexColumn: "account"}))
}

// sizes returns the size of each vertex' component.
func sizes(components *cc.Result) ([]int32, error) {
	label, err := components.Component.Slice()
	if err != nil {
		return nil, err
	}
	count, size := make([]int32, len(label)), make([]int32, len(label))
	for _, c := range label {
		count[c]++
	}
	for v, c := range label {
		size[v] = count[c]
	}
	return size, nil
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
