package intersect_test

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/intersect"
	"github.com/foray-graph/foray/traverse"
)

// Two triangles have an edge in common. The functor Supports counts them by vertex, and by edge.
func ExampleTriangles() {
	p := testgraph.Placed(graph.Options{}, []int64{0, 0, 1, 1, 2}, []int64{1, 2, 2, 3, 3})
	defer p.Close()
	t := traverse.New(context.Background(), p)
	defer t.Close()
	of, edges := traverse.Array[uint32](t, 0), traverse.EdgeArray[uint32](t, 0)
	count, sum, last := traverse.Scalar[uint64](t, operators.Sum), traverse.Scalar[uint64](t, operators.Sum), traverse.Scalar[uint64](t, operators.Max)
	t.Do(t.All(), intersect.Triangles(composed.NewSupports(of, edges, count, sum, last)))
	result, err := traverse.Result(t, of)
	if err != nil {
		panic(err)
	}
	defer result.Close()
	byID, err := result.ByID()
	fmt.Println(byID, err)
	// Output: [1 2 2 1] <nil>
}
