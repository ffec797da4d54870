// This file shows the steps of this package, and what functors of the host may use.

package filter_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

// Two edges lead to vertex 2, which is in the frontier once.
func ExampleUnique() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1}, []int64{1, 2, 2}))
	defer t.Close()
	cur := t.From(0, 1)
	t.Do(cur, advance.Push(advance.All()), filter.Unique())
	fmt.Println(slices.Sorted(slices.Values(cur.Vertices())), t.Stats().Fused, t.Err())
	// Output: [1 2] [push and unique] <nil>
}

// A breadth-first search: what was seen drops out.
func ExampleUnvisited() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}))
	defer t.Close()
	seen, cur := t.Bits(0), t.From(0)
	for t.Next(cur) {
		t.Do(cur, advance.Push(advance.All()), filter.Unvisited(seen))
		fmt.Println("level", t.Level(), slices.Sorted(slices.Values(cur.Vertices())))
	}
	fmt.Println(t.Err())
	// Output:
	// level 1 [1 2]
	// level 2 [3]
	// level 3 []
	// <nil>
}

// Vertices of a degree below 2, by a functor written in Go.
func ExampleKeep() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}))
	defer t.Close()
	cur := t.All()
	t.Do(cur, filter.Keep(composed.NewBelow(traverse.Degrees(t), 2)))
	fmt.Println(cur.Vertices(), t.Err())
	// Output: [3] <nil>
}

// How a search on a GPU culls, by name.
func ExampleParseCulls() {
	c, err := filter.ParseCulls("bitmask+label")
	fmt.Println(c == filter.ByBitmask|filter.ByLabel, err)
	// Output: true <nil>
}
