package advance_test

import (
	"context"
	"fmt"
	"log"
	"sync/atomic"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
)

// inDegrees is a user-defined functor: it counts how many edges from the
// frontier lead to each vertex, and lets those through to which the first one
// leads. Tiles come on several workers at once, so that it counts atomically;
// and since no vertex has two first edges, it may call itself unique.
type inDegrees struct{ count []atomic.Int32 }

func (f inDegrees) Visit(_ operators.Worker, source uint32, firstEdge uint64, targets, out []uint32) int {
	k := 0
	for _, t := range targets {
		if f.count[t].Add(1) == 1 {
			out[k] = t
			k++
		}
	}
	return k
}

func (inDegrees) Unique() bool { return true }

// In-degrees of a directed graph without its reverse: a push of all vertices.
func ExampleAdvancer_Push() {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{Directed: true, DenseIDs: true, Order: graph.OrderGiven})
	if err := graph.AddInts(b, []int32{0, 1, 2, 3, 3, 4}, []int32{3, 3, 3, 4, 1, 3}, nil); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(ctx)
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

	all, entered := frontier.New(p), frontier.New(p)
	for v := range uint32(p.NumVertices()) {
		if err := all.Add(v); err != nil {
			log.Fatal(err)
		}
	}
	f := inDegrees{make([]atomic.Int32, p.NumVertices())}
	edges, err := adv.Push(all, entered, f)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(edges, "edges lead to", entered.Len(), "vertices")
	for v := range f.count {
		fmt.Print(f.count[v].Load(), " ")
	}
	fmt.Println()
	// Output:
	// 6 edges lead to 3 vertices
	// 0 1 0 4 1
}
