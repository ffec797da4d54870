// This file shows what traversals are made of, with functors written in Go.

package traverse_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/examples/components"
	"github.com/foray-graph/foray/examples/khop"
	"github.com/foray-graph/foray/examples/pagerank"
	"github.com/foray-graph/foray/examples/widest"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// Connected components: a functor, a step, a filter, and a result that outlives the traversal.
func Example() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 1, 3}, []int64{1, 2, 4}))
	defer t.Close()
	label := traverse.VertexIDs(t)
	t.Repeat(t.All(), advance.Push(components.NewLower(label)), filter.Unique())
	result, err := traverse.Result(t, label)
	if err != nil {
		log.Fatal(err)
	}
	defer result.Close()
	all, err := result.Slice()
	fmt.Println(all, "fused:", result.Stats.Fused, err)
	// Output: [0 0 0 3 3] fused: [push and unique] <nil>
}

// Where Go has to look between levels, the loop is written out.
func ExampleTraversal_Next() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}))
	defer t.Close()
	seen, cur := t.Bits(0), t.From(0)
	for t.Next(cur) {
		fmt.Println("level", t.Level(), "begins with", cur.Len(), "vertices")
		t.Do(cur, advance.Push(advance.All()), filter.Unvisited(seen))
	}
	fmt.Println(t.Err())
	// Output:
	// level 1 begins with 1 vertices
	// level 2 begins with 2 vertices
	// level 3 begins with 1 vertices
	// <nil>
}

// An array that doesn't have an entry per vertex.
func ExampleArrayN() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0}, []int64{1}))
	defer t.Close()
	fmt.Println(traverse.ArrayN[uint32](t, 3, 7).Host(), t.Err())
	// Output: [7 7 7] <nil>
}

// The time of each level shows where a slow traversal spends it.
func ExampleTraversal_Stats() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}), traverse.Options{Stats: true})
	defer t.Close()
	t.Repeat(t.From(0), advance.Push(advance.All()), filter.Unvisited(t.Bits(0)))
	s := t.Stats()
	fmt.Println(s.Engine, s.Rounds, "rounds", s.Fused, s.Limited)
	for _, l := range s.Levels {
		fmt.Println(l.Level, l.Frontier, "vertices", l.Edges, "edges", l.Took > 0)
	}
	// Output:
	// level by level 3 rounds [push and unvisited] false
	// 1 1 vertices 2 edges true
	// 2 2 vertices 5 edges true
	// 3 1 vertices 1 edges true
}

// An array with an entry per vertex, one of which is set.
func ExampleArray() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}, 5, 2, 7, 3))
	defer t.Close()
	width := traverse.Array[float32](t, 0)
	traverse.Set(t, width, 0, float32(math.Inf(1)))
	t.Repeat(t.From(0), advance.Push(widest.NewWiden(width)), filter.Unique())
	fmt.Println(width.Host(), t.Err())
	// Output: [+Inf 5 5 3] <nil>
}

// Two hops, and no more.
func ExampleMaxRounds() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 1, 2}, []int64{1, 2, 3}, 1, 1, 1))
	defer t.Close()
	depth := traverse.Array[int32](t, -1)
	traverse.Set(t, depth, 0, 0)
	t.Repeat(t.From(0), advance.Push(khop.NewHop(depth, 1)), traverse.MaxRounds(2))
	fmt.Println(depth.Host(), t.Stats().Limited, t.Err())
	// Output: [0 1 2 -1] true <nil>
}

// A search stops at a frontier of more than two vertices, which remains for the next steps.
func ExampleUntilFrontierExceeds() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 1, 1, 1}, []int64{1, 2, 3, 4}, 1, 1, 1, 1))
	defer t.Close()
	depth := traverse.Array[int32](t, -1)
	traverse.Set(t, depth, 0, 0)
	cur := t.From(0)
	t.Repeat(cur, advance.Push(khop.NewHop(depth, 10)), traverse.UntilFrontierExceeds(2))
	fmt.Println(cur.Len(), t.Stats().Limited, t.Err())
	// Output: 3 true <nil>
}

// PageRank ends once the ranks change by less than 0.01 in sum.
func ExampleBelow() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 0, 0}, []int64{1, 2, 3}))
	defer t.Close()
	sum, rank, share := traverse.Array[float32](t, 0), traverse.Array[float32](t, 0), traverse.Array[float32](t, 0)
	change, degrees := traverse.Scalar[float64](t, operators.Sum), traverse.Degrees(t)
	t.Repeat(t.All(), reduce.In(pagerank.NewReceive(share, sum), nil),
		foreach.All(pagerank.NewUpdate(sum, rank, share, degrees, 0.5, 0.125), change),
		traverse.Below(change, 0.01))
	fmt.Printf("%.2f %v %v\n", rank.Host(), traverse.Get(t, change) < 0.01, t.Err())
	// Output: [0.41 0.19 0.19 0.19] true <nil>
}

// A Repeat that ends after the first round in which something changes.
func ExampleAbove() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 0, 0}, []int64{1, 2, 3}))
	defer t.Close()
	sum, rank, share := traverse.Array[float32](t, 0), traverse.Array[float32](t, 0), traverse.Array[float32](t, 0)
	change, degrees := traverse.Scalar[float64](t, operators.Sum), traverse.Degrees(t)
	t.Repeat(t.All(), reduce.In(pagerank.NewReceive(share, sum), nil),
		foreach.All(pagerank.NewUpdate(sum, rank, share, degrees, 0.5, 0.125), change),
		traverse.Above(change, 0))
	fmt.Println(rank.Host(), t.Level(), t.Err())
	// Output: [0.125 0.125 0.125 0.125] 1 <nil>
}

// The weights of edges, for functors by hand; those written in Go have e.Weight.
func ExampleWeights() {
	p := testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1}, []int64{1, 2, 2}, 5, 2, 7)
	t := traverse.New(context.Background(), p)
	defer t.Close()
	fmt.Println(traverse.Weights(t).Host(), t.Err())
	// Output: [5 2 7] <nil>
}

// The first neighbors on a path of four vertices.
func ExampleFirst() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 1, 2}, []int64{1, 2, 3}))
	defer t.Close()
	fmt.Println(traverse.First(t).Host(), t.Err())
	// Output: [1 0 1 2] <nil>
}

// An array that is written as a whole.
func ExampleUninitialized() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 1, 2}, []int64{1, 2, 3}))
	defer t.Close()
	twice := traverse.Uninitialized[uint32](t)
	t.Do(t.All(), foreach.All(foreach.Func[uint64](func(_ operators.Worker, vs []uint32) uint64 {
		for _, v := range vs {
			twice.Host()[v] = 2 * v
		}
		return 0
	}), nil))
	fmt.Println(twice.Host(), t.Err())
	// Output: [0 2 4 6] <nil>
}

// The rows of the graph, for functors that look at some edges alone.
func ExampleRows() {
	p := testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1}, []int64{1, 2, 2})
	t := traverse.New(context.Background(), p)
	defer t.Close()
	offsets, targets := traverse.Rows(t)
	begins := offsets.Host()
	fmt.Println(begins, targets.Host(), t.Err())
	fmt.Println(targets.Host()[begins[0]:begins[1]]) // of the first vertex' edges
	// Output:
	// [0 2 3 3] [1 2 2] <nil>
	// [1 2]
}

// Ranks and vertices where ids aren't in the order of the vertices.
func ExampleRanks() {
	b := graph.NewBuilder(graph.Options{Order: graph.OrderDegree})
	if err := graph.AddInts(b, []int64{70, 70, 30}, []int64{30, 50, 70}, nil); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	t := traverse.New(context.Background(), testgraph.Place(g, 1))
	defer t.Close()
	fmt.Println(traverse.Ranks(t).Host(), traverse.ByRank(t).Host(), t.Err())
	// Output: [2 0 1] [1 2 0] <nil>
}

// The vertex with the smallest id.
func ExampleByRank() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{8, 9}, []int64{7, 8}))
	defer t.Close()
	v := traverse.ByRank(t).Host()[0]
	fmt.Println(t.Placed().Graph().IDs().Int(v), t.Err())
	// Output: 7 <nil>
}

// reach is an algorithm: who is reached from a vertex, and in how many hops.
var reach = traverse.Algorithm[uint32, *traverse.Values[int32]]{
	Name: "reach", Memory: traverse.Memory{Arrays: []int{4}},
	Run: func(t *traverse.Traversal, source uint32) (*traverse.Values[int32], error) {
		depth := traverse.Array[int32](t, -1)
		traverse.Set(t, depth, source, 0)
		t.Repeat(t.From(source), advance.Push(composed.NewReach(depth)))
		return traverse.Result(t, depth)
	},
}

// An algorithm, run once.
func ExampleRun() {
	p := testgraph.Placed(graph.Options{Directed: true}, []int64{0, 1, 2}, []int64{1, 2, 3})
	depths, err := traverse.Run(context.Background(), p, reach, 1, traverse.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer depths.Close()
	all, err := depths.ByID()
	fmt.Println(all, err)
	// Output: [-1 0 1 2] <nil>
}

// The same again and again, in the same memory.
func ExampleNewSearcher() {
	p := testgraph.Placed(graph.Options{Directed: true}, []int64{0, 1, 2}, []int64{1, 2, 3})
	s, err := traverse.NewSearcher(p, reach, traverse.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for source := range uint32(2) {
		depths, err := s.Run(context.Background(), source)
		if err != nil {
			log.Fatal(err)
		}
		all, err := depths.Slice()
		fmt.Println(all, err)
		depths.Close()
	}
	// Output:
	// [0 1 2 3] <nil>
	// [-1 0 1 2] <nil>
}

// A Searcher makes arrays and steps once, where the algorithm has them kept.
func ExampleKept() {
	type plan struct {
		label *device.Buffer[uint32]
		all   *traverse.Frontier
		steps []operators.Step
	}
	label := traverse.Algorithm[struct{}, *traverse.Values[uint32]]{
		Memory: traverse.Memory{Arrays: []int{4}},
		Run: func(t *traverse.Traversal, _ struct{}) (*traverse.Values[uint32], error) {
			x := traverse.Kept(t, func() *plan {
				label := traverse.VertexIDs(t)
				return &plan{label, t.All(), []operators.Step{advance.Push(components.NewLower(label)), filter.Unique()}}
			})
			if err := t.Err(); err != nil {
				return nil, err
			}
			t.Repeat(x.all, x.steps...)
			return traverse.Result(t, x.label)
		},
	}
	p := testgraph.Placed(graph.Options{}, []int64{0, 1, 3}, []int64{1, 2, 4})
	s, err := traverse.NewSearcher(p, label, traverse.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for range 2 {
		result, err := s.Run(context.Background(), struct{}{})
		if err != nil {
			log.Fatal(err)
		}
		all, err := result.Slice()
		fmt.Println(all, err)
	}
	// Output:
	// [0 0 0 3 3] <nil>
	// [0 0 0 3 3] <nil>
}

// Values that differ from run to run, such as the source, are set outside of Kept.
func ExampleKept_source() {
	type plan struct {
		width *device.Buffer[float32]
		cur   *traverse.Frontier
		steps []operators.Step
	}
	paths := traverse.Algorithm[uint32, *traverse.Values[float32]]{
		Name: "widest", Memory: traverse.Memory{Arrays: []int{4}},
		Run: func(t *traverse.Traversal, source uint32) (*traverse.Values[float32], error) {
			x := traverse.Kept(t, func() *plan { // in the first run alone
				width := traverse.Array[float32](t, 0)
				return &plan{width, t.From(), []operators.Step{advance.Push(widest.NewWiden(width)), filter.Unique()}}
			})
			if err := t.Err(); err != nil {
				return nil, err
			}
			traverse.Set(t, x.width, source, float32(math.Inf(1))) // in each run
			t.Replace(x.cur, source)
			t.Repeat(x.cur, x.steps...)
			return traverse.Result(t, x.width)
		},
	}
	p := testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 3}, []int64{1, 2, 2, 0}, 5, 2, 3, 4)
	s, err := traverse.NewSearcher(p, paths, traverse.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for _, source := range []uint32{0, 3} {
		result, err := s.Run(context.Background(), source)
		if err != nil {
			log.Fatal(err)
		}
		all, err := result.Slice()
		fmt.Println(all, err)
	}
	// Output:
	// [+Inf 5 3 0] <nil>
	// [4 4 3 +Inf] <nil>
}

// For any number of goroutines, within what the device has free.
func ExampleNewPool() {
	p := testgraph.Placed(graph.Options{Directed: true}, []int64{0, 1, 2}, []int64{1, 2, 3})
	pool, err := traverse.NewPool(p, func() (*traverse.Searcher[uint32, *traverse.Values[int32]], error) {
		return traverse.NewSearcher(p, reach, traverse.Options{})
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	err = pool.Run(context.Background(), 2, func(depths *traverse.Values[int32]) error {
		all, err := depths.Slice()
		fmt.Println(all)
		return err
	})
	fmt.Println(err)
	// Output:
	// [-1 -1 0 1]
	// <nil>
}
