// This file shows the steps of this package, with functors written in Go.

package reduce_test

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/examples/pagerank"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/compared"
	"github.com/foray-graph/foray/internal/testing/functors/keyed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// What the in-neighbors of every vertex share out, as in a round of PageRank.
func ExampleIn_share() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true, Reverse: true}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}))
	defer t.Close()
	share, sum := traverse.Array[float32](t, 0.25), traverse.Array[float32](t, 0)
	t.Do(t.All(), reduce.In(pagerank.NewReceive(share, sum), nil))
	fmt.Println(sum.Host(), t.Err())
	// Output: [0 0.25 0.5 0.25] <nil>
}

// The out-degrees of a frontier, and their sum.
func ExampleOut() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}))
	defer t.Close()
	count, all := traverse.Array[uint64](t, 0), traverse.Scalar[uint64](t, operators.Sum)
	t.Do(t.From(0, 1), reduce.Out(compared.NewOnes(count), all))
	fmt.Println(count.Host(), traverse.Get(t, all), t.Err())
	// Output: [2 1 0 0] 3 <nil>
}

// The label that most edges lead to, by weight, and NoKey without edges.
func ExampleOutByKey() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 0, 1}, []int64{1, 2, 3, 2}, 1, 2, 1.5, 1))
	defer t.Close()
	label, to := traverse.FromSlice(t, []uint32{0, 8, 5, 8}), traverse.Array[uint32](t, 0)
	t.Do(t.All(), reduce.OutByKey(keyed.NewCommon(label, to), nil))
	fmt.Println(to.Host()[:2], to.Host()[2] == reduce.NoKey, t.Err())
	// Output: [8 5] true <nil>
}

// How many different labels the in-neighbors have, and all those pairs of a vertex and a label.
func ExampleInByKey() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 0, 0, 1}, []int64{1, 2, 3, 2}))
	defer t.Close()
	label, count := traverse.FromSlice(t, []uint32{0, 8, 5, 8}), traverse.Array[uint32](t, 0)
	pairs := traverse.Scalar[uint64](t, operators.Sum)
	t.Do(t.All(), reduce.InByKey(keyed.NewLabels(label, count), pairs))
	fmt.Println(count.Host(), traverse.Get(t, pairs), t.Err())
	// Output: [2 2 2 1] 7 <nil>
}

// The most frequent value among neighbors, the smallest of several.
func ExampleMode() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 0, 0, 1}, []int64{1, 2, 3, 2}))
	defer t.Close()
	values, to := traverse.Array[uint32](t, 7), traverse.Array[uint32](t, 0)
	traverse.Set(t, values, 1, 5)
	changed := traverse.Scalar[uint64](t, operators.Sum)
	t.Do(t.All(), reduce.Mode(values, to, changed))
	fmt.Println(to.Host(), traverse.Get(t, changed), t.Err())
	// Output: [7 7 5 7] 2 <nil>
}

// Mode takes memory of a GPU in addition to its arrays, here for a row of 40 neighbors, whose values
// a warp counts.
func ExampleModeBytes() {
	from, to := make([]int64, 40), make([]int64, 40)
	for i := range to {
		to[i] = int64(1 + i)
	}
	fmt.Println(reduce.ModeBytes(testgraph.Placed(graph.Options{}, from, to)))
	// Output: 24
}

// What a reduce over all vertices takes of a GPU for slabs: nothing where the graph is small.
func ExampleSlabBytes() {
	fmt.Println(reduce.SlabBytes(testgraph.Placed(graph.Options{}, []int64{0, 0}, []int64{1, 2})))
	// Output: 0
}
