package filter_test

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
)

// The parts of the operator one after another: cull what was seen, drop
// duplicates, keep what a predicate says.
func Example() {
	g, err := graph.FromCSR(graph.CSR{Offsets: make([]uint64, 11)}, graph.CSROptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := g.On(host.New(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	s, err := host.New(1).NewStream(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	f, err := filter.New(s, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()

	next, seen := frontier.New(p), frontier.New(p)
	_ = seen.Clear(frontier.Bitmap)
	_ = seen.Add(2, 3)
	_ = next.Add(9, 2, 4, 9, 3, 5, 4)

	if err := f.Cull(next, seen); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("not seen:", next.Vertices())
	if err := f.Unique(next); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("once:    ", next.Vertices())
	odd := filter.Func(func(_ operators.Worker, in, out []uint32) int {
		k := 0
		for _, v := range in {
			out[k] = v
			k += int(v & 1)
		}
		return k
	})
	if err := f.Keep(next, odd); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("odd:     ", next.Vertices())
	// Output:
	// not seen: [9 4 9 5 4]
	// once:     [9 4 5]
	// odd:      [9 5]
}

// Unvisited is what a traversal does after an advance: Cull, Unique, and the
// rest marked as seen.
func ExampleFilterer_Unvisited() {
	g, err := graph.FromCSR(graph.CSR{Offsets: make([]uint64, 11)}, graph.CSROptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := g.On(host.New(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	s, err := host.New(1).NewStream(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	f, err := filter.New(s, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()

	next, seen := frontier.New(p), frontier.New(p)
	_ = seen.Clear(frontier.Bitmap)
	_ = seen.Add(2, 3)
	_ = next.Add(9, 2, 4, 9, 3, 5, 4)
	if err := f.Unvisited(next, seen); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(next.Vertices(), seen.Vertices())
	// Output: [9 4 5] [2 3 4 5 9]
}
