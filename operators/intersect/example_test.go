package intersect_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/intersect"
)

// Triangles of a square with one diagonal, in all and at each vertex, and a
// user-defined functor that gets them.
func Example() {
	b := graph.NewBuilder(graph.Options{DenseIDs: true, Order: graph.OrderGiven})
	if err := graph.AddInts(b, []int32{0, 1, 2, 3, 0}, []int32{1, 2, 3, 0, 2}, nil); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	dev := host.New(1)
	p, err := g.On(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	s, err := dev.NewStream(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	x, err := intersect.New(s, p)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()

	at, err := device.NewBuffer[uint32](dev, g.NumVertices())
	if err != nil {
		log.Fatal(err)
	}
	defer at.Close()
	if err := x.Run(intersect.Options{Triangles: true}, intersect.Corners(at)); err != nil {
		log.Fatal(err)
	}
	_, triangles, err := x.Totals()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(triangles, "triangles, at the vertices", at.Host())

	err = x.Run(intersect.Options{Triangles: true}, intersect.Func(func(_ int, pairs []intersect.Pair, common []uint32) {
		for _, p := range pairs {
			for _, w := range common[p.First : p.First+p.Len] {
				fmt.Println(w, p.U, p.V)
			}
		}
	}))
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2 triangles, at the vertices [2 1 2 1]
	// 0 1 2
	// 0 2 3
}

// What counting triangles of a graph of a million vertices keeps on the host: bit rows, and rows by degree.
func ExampleBytes() {
	fmt.Println(intersect.Bytes(host.New(2), 1<<20, 1<<25, false)>>20, "MiB")
	// Output: 140 MiB
}
