package traverse_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/examples/walks"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

func ExampleWeightSums() {
	// From 0 to 1 and 2, from 1 to 0, and from 2 to 0 and 1.
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 2, 3, 5}, Targets: []uint32{1, 2, 0, 0, 1}, Weights: []float32{3, 1, 2, 0.5, 0.25}}, graph.CSROptions{Directed: true})
	if err != nil {
		log.Fatal(err)
	}
	p, err := g.On(host.New(1))
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	t := traverse.New(context.Background(), p)
	defer t.Close()
	fmt.Println(traverse.WeightSums(t).Host())
	visits := walks.Visits(t, 42, 1000) // see examples/walks
	result, err := traverse.Result(t, visits)
	if err != nil {
		log.Fatal(err)
	}
	defer result.Close()
	fmt.Println(result.Slice())
	// Output:
	// [3 4 2 0.5 0.75]
	// [1443 1191 366] <nil>
}

func ExamplePrefixSums() {
	p := flights()
	defer p.Close()
	t := traverse.New(context.Background(), p)
	defer t.Close()
	sums := traverse.PrefixSums(t, traverse.EdgeColumn[int64](t, "duration"))
	offsets, targets := traverse.Rows(t)
	visits := traverse.Array[uint32](t, 0)
	t.Do(t.All(), foreach.All(walks.NewWalk(offsets, targets, visits, sums, 42, 10), nil)) // edges by their duration
	fmt.Println(sums.Host(), t.Err())
	// Output: [3 7 2 4] <nil>
}
