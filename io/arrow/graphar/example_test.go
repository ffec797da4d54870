// This file holds the package's example.

package graphar_test

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/graphar"
)

// Members are called by a property, and edges have another one as their weight.
func ExampleLoad() {
	ctx := context.Background()
	l, err := graphar.Load(ctx, "../../../testdata/karate.graphar/it.graph.yml", graphar.Options{
		VertexID: "name", Weight: "sum", Where: "sum > 60", Properties: []string{"id", "degree"},
		Graph: graph.Options{Directed: true},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, members := l.Graph, l.Properties
	v, err := g.ParseVertex("member 33")
	if err != nil {
		fmt.Println(err)
		return
	}
	of, err := members.Gather(ctx, []int{0, 1}, []uint32{v}, memory.DefaultAllocator)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer of.Release()
	fmt.Println(g.NumVertices(), "members,", g.NumEdges(), "friendships")
	fmt.Println(g.Out().Weights[g.Out().Offsets[v]], of.Column(0), of.Column(1))
	// Output:
	// 34 members, 11 friendships
	// 67 [33] [12]
}
