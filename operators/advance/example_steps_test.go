// This file shows the steps of this package, with functors written in Go.

package advance_test

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/foray-graph/foray/examples/components"
	"github.com/foray-graph/foray/examples/khop"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// Components: labels go along edges until none gets smaller.
func ExamplePush() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 1, 3}, []int64{1, 2, 4}))
	defer t.Close()
	label := traverse.VertexIDs(t)
	t.Repeat(t.All(), advance.Push(components.NewLower(label)), filter.Unique())
	fmt.Println(label.Host(), t.Stats().Fused, t.Err())
	// Output: [0 0 0 3 3] [push and unique] <nil>
}

// Who is two hops away, as a bitmap between the levels.
func ExamplePushBits() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 2, 3}, []int64{1, 2, 3, 3, 4}, 1, 1, 1, 1, 1))
	defer t.Close()
	depth := traverse.Array[int32](t, -1)
	traverse.Set(t, depth, 0, 0)
	cur := t.From(0)
	t.Repeat(cur, advance.PushBits(khop.NewHop(depth, 1)), traverse.MaxRounds(2))
	fmt.Println(cur.Vertices(), depth.Host(), t.Err())
	// Output: [3] [0 1 1 2 -1] <nil>
}

// Shortest paths, near vertices first.
func ExamplePushNear() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}, 5, 40, 7, 30))
	defer t.Close()
	distance := traverse.Array[uint32](t, math.MaxUint32)
	traverse.Set(t, distance, 0, 0)
	f, far := composed.NewNear(distance, 10), t.Pile()
	t.Repeat(t.From(0), advance.PushNear(f, far), pile.Refill(far, f))
	fmt.Println(distance.Host(), t.Err())
	// Output: [0 5 12 42] <nil>
}

// Distances up to 10, over rows by rising weight: the edges of weight 40 and 30 aren't looked at.
func ExamplePushByWeight() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}, 5, 40, 4, 30))
	defer t.Close()
	distance := traverse.Array(t, float32(math.Inf(1)))
	traverse.Set(t, distance, 0, 0)
	light := advance.Within{Key: distance, Above: -1, Most: 10}
	t.Repeat(t.From(0), advance.PushByWeight(composed.NewRelax(distance, 20), light), filter.Unique())
	fmt.Println(distance.Host(), t.Err())
	// Output: [0 5 9 +Inf] <nil>
}

// Shortest paths where the order of rounds doesn't matter.
func ExamplePushNear_anyRound() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}, 5, 40, 7, 30))
	defer t.Close()
	distance := traverse.Array[uint32](t, math.MaxUint32)
	traverse.Set(t, distance, 0, 0)
	f, far := composed.NewNear(distance, 10), t.Pile()
	t.Repeat(t.From(0), advance.PushNear(f, far, advance.NearOptions{AnyRound: true}), pile.Refill(far, f))
	fmt.Println(distance.Host(), t.Err())
	// Output: [0 5 12 42] <nil>
}

// Distances along a path, on which every vertex is let through once.
func ExamplePushNear_once() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 1, 2}, []int64{1, 2, 3}, 5, 7, 30))
	defer t.Close()
	distance := traverse.Array[uint32](t, math.MaxUint32)
	traverse.Set(t, distance, 0, 0)
	f, far := composed.NewNear(distance, 10), t.Pile()
	t.Repeat(t.From(0), advance.PushNear(f, far, advance.NearOptions{Once: true}), pile.Refill(far, f))
	fmt.Println(distance.Host(), t.Err())
	// Output: [0 5 12 42] <nil>
}

// Distances in windows of 10, over rows by rising weight.
func ExamplePushWindow() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}, 5, 40, 4, 30))
	defer t.Close()
	distance := traverse.Array(t, float32(math.Inf(1)))
	traverse.Set(t, distance, 0, 0)
	w := t.Windows(advance.WindowOptions{Key: distance, Width: 10, Most: 1000, PullCost: float32(math.Inf(1))})
	t.Repeat(t.From(0), advance.PushWindow(composed.NewRelax(distance, 1000), w), advance.NextWindow(w))
	fmt.Println(distance.Host(), t.Err())
	// Output: [0 5 9 39] <nil>
}

// The windows alone: the edges of weight 40 and 30 are visited when it is their turn.
func ExampleNextWindow() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}, 5, 40, 4, 30))
	defer t.Close()
	distance := traverse.Array(t, float32(math.Inf(1)))
	traverse.Set(t, distance, 0, 0)
	w := t.Windows(advance.WindowOptions{Key: distance, Width: 10, Most: 1000, PullCost: float32(math.Inf(1))})
	for cur := t.From(0); t.Next(cur); {
		t.Do(cur, advance.PushWindow(composed.NewRelax(distance, 1000), w))
		fmt.Print(cur.Vertices(), " ")
		t.Do(cur, advance.NextWindow(w))
	}
	fmt.Println(t.Err())
	// Output: [1] [2] [] [3] [] <nil>
}

// How many edges lead from the frontier to each vertex.
func ExampleVisit() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}))
	defer t.Close()
	count := traverse.Array[uint32](t, 0)
	t.Do(t.From(0, 1), advance.Visit(composed.NewArrivals(count)))
	fmt.Println(count.Host(), t.Err())
	// Output: [0 1 2 0] <nil>
}

// In-degrees of a graph that has no reverse.
func ExampleVisitAll() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}))
	defer t.Close()
	count := traverse.Array[uint32](t, 0)
	t.Do(t.From(), advance.VisitAll(composed.NewArrivals(count)))
	fmt.Println(count.Host(), t.Err())
	// Output: [0 1 2 1] <nil>
}

// Claim finds what a bitmap doesn't have yet, once: a traversal without a user-defined functor.
func ExampleClaim() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}))
	defer t.Close()
	seen, cur := t.Bits(0), t.From(0)
	for t.Next(cur) {
		t.Do(cur, advance.Push(advance.Claim(seen)))
		fmt.Println("level", t.Level(), slices.Sorted(slices.Values(cur.Vertices())))
	}
	fmt.Println(t.Err())
	// Output:
	// level 1 [1 2]
	// level 2 [3]
	// level 3 []
	// <nil>
}

// All lists the heads of all edges out of a frontier, as often as edges lead there.
func ExampleAll() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}))
	defer t.Close()
	cur := t.From(0, 1)
	t.Do(cur, advance.Push(advance.All()))
	fmt.Println(slices.Sorted(slices.Values(cur.Vertices())), t.Err())
	// Output: [1 2 2] <nil>
}

// How a GPU shares out edges, by name.
func ExampleParseStrategy() {
	for _, name := range []string{"merge", "fastest"} {
		s, err := advance.ParseStrategy(name)
		fmt.Println(s == advance.MergePath, err)
	}
	// Output:
	// true <nil>
	// false advance: graph: bad option: unknown strategy "fastest" (auto, thread, warp, twc, merge, edges, hubs, buckets or scan)
}
