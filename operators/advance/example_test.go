package advance_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// A custom traversal: who can be reached in two hops along edges that
// weigh at least 1. The functor sees a tile of neighbours and the index of
// their first edge, by which it finds the weights; the filter drops who was
// seen.
func Example() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{Directed: true, Weights: true, Order: graph.OrderGiven})
	src, dst := []int64{0, 0, 1, 2, 2, 4}, []int64{1, 2, 3, 3, 4, 5}
	if err := graph.AddInts(b, src, dst, []float32{1, 2, 0.5, 3, 1, 9}); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(ctx)
	if err != nil {
		log.Fatal(err)
	}
	dev := host.New(0)
	dg, err := g.On(dev)
	if err != nil {
		log.Fatal(err)
	}
	stream, err := dev.NewStream(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	adv, err := advance.New(stream, dg)
	if err != nil {
		log.Fatal(err)
	}
	fil, err := filter.New(stream, dg)
	if err != nil {
		log.Fatal(err)
	}

	weights := g.Out().Weights
	heavy := advance.Func(func(_ operators.Worker, _ uint32, first uint64, targets, out []uint32) int {
		k := 0
		for i, t := range targets {
			if weights[first+uint64(i)] >= 1 {
				out[k] = t
				k++
			}
		}
		return k
	})
	cur, next, seen := frontier.New(dg), frontier.New(dg), frontier.New(dg)
	for _, err := range []error{cur.Clear(frontier.Queue), seen.Clear(frontier.Bitmap), cur.Add(0), seen.Add(0)} {
		if err != nil {
			log.Fatal(err)
		}
	}
	for hop := 1; hop <= 2 && cur.Len() > 0; hop++ {
		if _, err := adv.Push(cur, next, heavy); err != nil {
			log.Fatal(err)
		}
		if err := fil.Unvisited(next, seen); err != nil {
			log.Fatal(err)
		}
		vs := next.Vertices()
		slices.Sort(vs)
		fmt.Println("hop", hop, vs)
		cur, next = next, cur
	}
	// Output:
	// hop 1 [1 2]
	// hop 2 [3 4]
}
