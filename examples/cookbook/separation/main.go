// This program finds the shortest chain of friends between two people, who are given by
// name (docs/cookbook/separation.md).
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: separation NAME NAME")
	}
	ctx := context.Background()
	g, names := load(ctx)
	dev, err := device.Open("auto")
	check(err)
	defer dev.Close()
	placed, err := g.On(dev)
	check(err)
	defer placed.Close()
	chain := chain(ctx, placed, find(names, os.Args[1]), find(names, os.Args[2]))
	if chain == nil {
		log.Fatal("no chain of friends joins them")
	}
	for i, v := range chain {
		fmt.Println(i, names[v])
	}
}

// load returns the graph, and the name of each vertex.
func load(ctx context.Context) (*graph.Graph, []string) {
	d, err := arrow.Open(ctx, []string{"testdata/cookbook/friendships.parquet"}, arrow.Options{
		Source: "person", Target: "friend",
		Vertices: &arrow.VertexTable{Paths: []string{"testdata/cookbook/people.parquet"}, Properties: []string{"name"}},
	})
	check(err)
	g, err := d.Load(ctx)
	check(err)
	properties, err := d.Properties(ctx, g)
	check(err)
	vertices := make([]uint32, g.NumVertices())
	for v := range vertices {
		vertices[v] = uint32(v)
	}
	columns, err := properties.Gather(ctx, []int{0}, vertices, memory.DefaultAllocator)
	check(err)
	defer columns.Release()
	names := make([]string, len(vertices))
	for v := range names {
		names[v] = strings.Clone(columns.Column(0).ValueStr(v))
	}
	return g, names
}

func find(names []string, name string) uint32 {
	v := slices.Index(names, name)
	if v < 0 {
		log.Fatalf("nobody is called %q", name)
	}
	return uint32(v)
}

// chain returns the vertices of a shortest path, or nil without a path.
func chain(ctx context.Context, placed *graph.Placed, from, to uint32) []uint32 {
	res, err := dobfs.Run(ctx, placed, from, dobfs.Options{Outputs: bfs.Parents, Targets: []uint32{to}})
	check(err)
	defer res.Close()
	parents, err := res.Parents()
	check(err)
	if parents[to] == graph.NoVertex {
		return nil
	}
	path := []uint32{to}
	for v := to; v != from; {
		v = parents[v]
		path = append(path, v)
	}
	slices.Reverse(path)
	return path
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
