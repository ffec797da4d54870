// This file shows the step of this package, with a functor written in Go.

package pile_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// What is put aside comes back when the frontier is empty, at the stage that it is due at by then.
func ExampleRefill() {
	b := graph.NewBuilder(graph.Options{Directed: true, Weights: true, Order: graph.OrderGiven})
	if err := graph.AddInts(b, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}, []float32{5, 40, 7, 30}); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	p, err := g.On(host.New(0))
	if err != nil {
		log.Fatal(err)
	}
	t := traverse.New(context.Background(), p)
	defer t.Close()
	distance := traverse.Array[uint32](t, math.MaxUint32)
	traverse.Set(t, distance, 0, 0)
	f, far, cur := composed.NewNear(distance, 10), t.Pile(), t.From(0)
	for t.Next(cur) {
		t.Do(cur, advance.PushNear(f, far), pile.Refill(far, f))
		stage, err := far.Stage()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("stage", stage, "frontier", cur.Vertices())
	}
	fmt.Println(distance.Host(), t.Err())
	// Output:
	// stage 0 frontier [1]
	// stage 1 frontier [2]
	// stage 4 frontier [3]
	// stage 4 frontier []
	// [0 5 12 42] <nil>
}

// All vertices wait, each until the stage of its distance.
func ExampleBegin() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{}, []int64{0, 1, 2}, []int64{1, 2, 3}, 1, 1, 1))
	defer t.Close()
	distance := traverse.Array[uint32](t, 40)
	traverse.Set(t, distance, 2, 20)
	f, far, cur := composed.NewNear(distance, 10), t.Pile(), t.All()
	t.Do(cur, pile.Begin(far), pile.Refill(far, f))
	fmt.Println(cur.Vertices(), t.Err())
	// Output: [2] <nil>
}
