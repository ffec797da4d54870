package frontier_test

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
)

// A frontier is filled as a queue and read as a bitmap.
func ExampleFrontier() {
	g, err := graph.FromCSR(graph.CSR{Offsets: make([]uint64, 101)}, graph.CSROptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := g.On(host.New(0))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()

	f := frontier.New(p)
	defer f.Close()
	if err := f.Add(66, 3, 66); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Form(), f.Len(), f.Queue())

	s, err := host.New(0).NewStream(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	if err := f.Convert(s, frontier.Bitmap); err != nil { // duplicates merge
		fmt.Println(err)
		return
	}
	fmt.Println(f.Form(), f.Len(), f.Bits())
	fmt.Println(f.Vertices())
	// Output:
	// queue 3 [66 3 66]
	// bitmap 2 [8 4]
	// [3 66]
}
