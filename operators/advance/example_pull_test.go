package advance_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// labels notes the depth of the vertices that a pull finds. A vertex comes once, on one
// worker, so that plain writes do.
type labels struct {
	depth  []int
	parent []uint32
	level  int
}

func (l *labels) Found(_ operators.Worker, vertices, parents []uint32) {
	for i, v := range vertices {
		l.depth[v], l.parent[v] = l.level, parents[i]
	}
}

// A breadth-first search that only pulls: at every level each vertex that
// wasn't seen looks for a neighbour that was.
func ExampleAdvancer_Pull() {
	ctx := context.Background()
	grid, err := gen.Parse("grid2d:4x3")
	if err != nil {
		log.Fatal(err)
	}
	g, err := gen.Build(ctx, grid, graph.Options{Order: graph.OrderGiven})
	if err != nil {
		log.Fatal(err)
	}
	dev := host.New(0)
	p, err := g.On(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	stream, err := dev.NewStream(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	adv, err := advance.New(stream, p)
	if err != nil {
		log.Fatal(err)
	}
	fil, err := filter.New(stream, p)
	if err != nil {
		log.Fatal(err)
	}
	defer fil.Close()

	seen, next := frontier.New(p), frontier.New(p)
	if err := seen.Clear(frontier.Bitmap); err != nil {
		log.Fatal(err)
	}
	if err := seen.Add(0); err != nil {
		log.Fatal(err)
	}
	l := &labels{depth: make([]int, p.NumVertices()), parent: make([]uint32, p.NumVertices())}
	for l.level = 1; ; l.level++ {
		if _, err := adv.Pull(seen, seen, next, l); err != nil {
			log.Fatal(err)
		}
		if next.Len() == 0 {
			break
		}
		// Adds what was found to seen; nothing of it was there before.
		if err := fil.Unvisited(next, seen); err != nil {
			log.Fatal(err)
		}
	}
	for row := range 3 {
		fmt.Println(l.depth[4*row : 4*row+4])
	}
	// Output:
	// [0 1 2 3]
	// [1 2 3 4]
	// [2 3 4 5]
}
