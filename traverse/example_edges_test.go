package traverse_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/examples/ktruss"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators/intersect"
	"github.com/foray-graph/foray/traverse"
)

// fan returns four vertices and five edges: two triangles with the edge from 1 to 2 in common.
func fan() *graph.Placed {
	return testgraph.Placed(graph.Options{}, []int64{0, 0, 1, 1, 2}, []int64{1, 2, 2, 3, 3})
}

// The functor Support counts triangles by edge, of edges whose Truss is 0.
func ExampleEdgeArray() {
	p := fan()
	defer p.Close()
	t := traverse.New(context.Background(), p)
	defer t.Close()
	truss, support := traverse.EdgeArray[uint32](t, 0), traverse.EdgeArray[uint32](t, 0)
	t.Do(t.All(), intersect.Triangles(ktruss.NewSupport(truss, support)))
	result, err := traverse.EdgeResult(t, support)
	if err != nil {
		log.Fatal(err)
	}
	defer result.Close()
	triangles, err := result.Slice()
	if err != nil {
		log.Fatal(err)
	}
	g := result.Graph()
	for u := range uint32(g.NumVertices()) {
		for e := g.Out().Offsets[u]; e < g.Out().Offsets[u+1]; e++ {
			if v := g.Out().Targets[e]; u > v { // the direction that has the count
				fmt.Println(g.IDs().Int(v), g.IDs().Int(u), triangles[e])
			}
		}
	}
	// Output:
	// 0 1 1
	// 0 2 1
	// 1 2 2
	// 1 3 1
	// 2 3 1
}

func ExampleEdgeResult() {
	p := fan()
	defer p.Close()
	t := traverse.New(context.Background(), p)
	defer t.Close()
	result, err := traverse.EdgeResult(t, traverse.EdgeArray(t, 1.5))
	if err != nil {
		log.Fatal(err)
	}
	defer result.Close()
	fmt.Println(result.Slice()) // each edge in both directions
	// Output: [1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5] <nil>
}
