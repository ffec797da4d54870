// This file shows the steps of this package, with functors written in Go.

package foreach_test

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// How much the values of two vertices are above 5, in sum.
func ExampleEach() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 1, 2}, []int64{1, 2, 3}))
	defer t.Close()
	value, excess := traverse.Array(t, 6.5), traverse.Scalar[float64](t, operators.Sum)
	t.Do(t.From(1, 3), foreach.Each(composed.NewExcess(value, 5), excess))
	fmt.Println(traverse.Get(t, excess), t.Err())
	// Output: 3 <nil>
}

// A functor that returns nothing goes without a scalar.
func ExampleAll() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 1, 2}, []int64{1, 2, 3}))
	defer t.Close()
	value := traverse.Array(t, 1.5)
	t.Do(t.From(), foreach.All(composed.NewDouble(value), nil))
	fmt.Println(value.Host(), t.Err())
	// Output: [3 3 3 3] <nil>
}

// Values are doubled where a search has come, while it continues: neither needs the other.
func ExampleEachNoBarrier() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 1, 2}, []int64{1, 2, 3}))
	defer t.Close()
	value, seen := traverse.Array(t, 1.5), t.Bits(1)
	t.Repeat(t.From(1), foreach.EachNoBarrier(composed.NewDouble(value)), advance.Push(composed.NewAll()), filter.Unvisited(seen))
	fmt.Println(value.Host(), t.Err())
	// Output: [3 3 3 3] <nil>
}

// A function, for the host alone.
func ExampleFunc() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 1, 2}, []int64{1, 2, 3}))
	defer t.Close()
	most := traverse.Scalar[uint64](t, operators.Max)
	largest := foreach.Func[uint64](func(_ operators.Worker, vs []uint32) (most uint64) {
		for _, v := range vs {
			most = max(most, uint64(v))
		}
		return most
	})
	t.Do(t.All(), foreach.Each(largest, most))
	fmt.Println(traverse.Get(t, most), t.Err())
	// Output: 3 <nil>
}
