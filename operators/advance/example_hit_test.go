package advance_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

// A direction-optimizing breadth-first search by two functors written in Go: Discover has a
// method Edge, Adopt a method Hit.
func ExamplePull() {
	ctx := context.Background()
	grid, err := gen.Parse("grid2d:4x3")
	if err != nil {
		log.Fatal(err)
	}
	g, err := gen.Build(ctx, grid, graph.Options{Order: graph.OrderGiven})
	if err != nil {
		log.Fatal(err)
	}
	p, err := g.On(host.New(0))
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()

	t := traverse.New(ctx, p)
	defer t.Close()
	parent, depth := traverse.VertexIDs(t), traverse.Array[int32](t, -1)
	traverse.Set(t, depth, 0, 0)
	discover, adopt := composed.NewDiscover(parent, depth), composed.NewAdopt(parent, depth)
	seen, cur := t.Bits(0), t.From(0)
	for t.Next(cur) {
		if cur.Len() < p.NumVertices()/4 {
			t.Do(cur, advance.Push(discover), filter.Unvisited(seen))
		} else {
			t.Do(cur, advance.Pull(adopt, seen))
		}
	}
	depths, err := traverse.Result(t, depth)
	if err != nil {
		log.Fatal(err)
	}
	defer depths.Close()
	all, err := depths.Slice()
	if err != nil {
		log.Fatal(err)
	}
	for row := range 3 {
		fmt.Println(all[4*row : 4*row+4])
	}
	// Output:
	// [0 1 2 3]
	// [1 2 3 4]
	// [2 3 4 5]
}
