package sets_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/sets"
)

// A queue and a bitmap, combined.
func Example() {
	g, err := graph.FromCSR(graph.CSR{Offsets: make([]uint64, 11)}, graph.CSROptions{})
	if err != nil {
		log.Fatal(err)
	}
	dev := host.New(1)
	p, err := g.On(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Free()
	s := dev.Stream(context.Background())
	defer s.Close()
	c, err := sets.New(s, p)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Free()

	next, seen, out := frontier.New(p), frontier.New(p), frontier.New(p)
	_ = next.Add(7, 2, 2, 5)
	_ = seen.Clear(frontier.Bitmap)
	_ = seen.Add(2, 3)
	for _, op := range []struct {
		name string
		run  func(a, b, out *frontier.Frontier) error
	}{{"union", c.Union}, {"intersection", c.Intersection}, {"difference", c.Difference}} {
		if err := op.run(next, seen, out); err != nil {
			log.Fatal(err)
		}
		fmt.Println(op.name, out.Form(), slices.Sorted(slices.Values(out.Vertices())))
	}
	// Output:
	// union bitmap [2 3 5 7]
	// intersection queue [2]
	// difference queue [5 7]
}

// The vertices nearer than a limit are next, the others wait in a pile.
func ExampleSplit() {
	g, err := graph.FromCSR(graph.CSR{Offsets: make([]uint64, 7)}, graph.CSROptions{})
	if err != nil {
		log.Fatal(err)
	}
	dev := host.New(1)
	p, err := g.On(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Free()
	s := dev.Stream(context.Background())
	defer s.Close()
	c, err := sets.New(s, p)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Free()
	dist, err := device.NewBuffer[float64](dev, 6)
	if err != nil {
		log.Fatal(err)
	}
	defer dist.Free()
	if err := dist.Write(dev, 0, []float64{0, 1.5, 9, 0.5, 3, 2}); err != nil {
		log.Fatal(err)
	}

	reached, near, far := frontier.New(p), frontier.New(p), frontier.New(p)
	_ = reached.Add(5, 1, 2, 3)
	_ = far.Add(4)
	if err := sets.Split(c, reached, near, far, dist, 2); err != nil {
		log.Fatal(err)
	}
	fmt.Println("near", near.Vertices(), "far", far.Vertices())
	// Output: near [1 3] far [4 5 2]
}
