package traverse_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/examples/arrival"
	"github.com/foray-graph/foray/examples/typedpath"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

// flights returns four flights, with the hours of their departures and how long they take.
func flights() *graph.Placed {
	b := graph.NewBuilder(graph.Options{Directed: true, Reverse: true, EdgeColumns: []string{"time", "duration"}})
	err := b.Add(graph.Batch{Type: graph.Int64, Src: []int64{0, 1, 0, 2}, Dst: []int64{1, 2, 2, 0}, Columns: []graph.Column{
		{Values: []int64{8, 12, 15, 20}}, {Values: []int64{3, 2, 4, 4}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	p, err := g.On(host.New(1))
	if err != nil {
		log.Fatal(err)
	}
	return p
}

func ExampleEdgeColumn() {
	p := flights()
	defer p.Close()
	t := traverse.New(context.Background(), p)
	defer t.Close()
	reached := traverse.Array[int64](t, 24)
	traverse.Set(t, reached, 0, 7) // at the airport at seven
	ride := arrival.NewRide(reached, traverse.EdgeColumn[int64](t, "time"), traverse.EdgeColumn[int64](t, "duration"))
	t.Repeat(t.From(0), advance.Push(ride), filter.Unique())
	result, err := traverse.Result(t, reached)
	if err != nil {
		log.Fatal(err)
	}
	defer result.Close()
	fmt.Println(result.ByID())
	// Output: [7 11 14] <nil>
}

func ExampleInEdgeColumn() {
	p := flights()
	defer p.Close()
	t := traverse.New(context.Background(), p)
	defer t.Close()
	// Out-edges are 0 to 1, 0 to 2, 1 to 2, 2 to 0. In-edges are 2 to 0, 0 to 1, 0 to 2, 1 to 2.
	fmt.Println(traverse.EdgeColumn[int64](t, "time").Host(), traverse.InEdgeColumn[int64](t, "time").Host())
	// Output: [8 15 12 20] [20 8 15 12]
}

func ExampleVertexColumn() {
	p := flights()
	defer p.Close()
	// The hour at which each airport closes.
	if err := p.Graph().AddVertexColumns(graph.Column{Name: "closes", Values: []int64{24, 10, 24}}); err != nil {
		log.Fatal(err)
	}
	t := traverse.New(context.Background(), p)
	defer t.Close()
	fmt.Println(traverse.VertexColumn[int64](t, "closes").Host())
	// Output: [24 10 24]
}

func ExampleFromSlice() {
	p := flights()
	defer p.Close()
	t := traverse.New(context.Background(), p)
	defer t.Close()
	reached := traverse.FromSlice(t, []int64{7, 24, 24}) // an hour for each airport
	ride := arrival.NewRide(reached, traverse.EdgeColumn[int64](t, "time"), traverse.EdgeColumn[int64](t, "duration"))
	t.Repeat(t.From(0), advance.Push(ride), filter.Unique())
	if err := t.Sync(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(reached.Host())
	// Output: [7 11 14]
}

func ExampleCode() {
	b := graph.NewBuilder(graph.Options{Directed: true, EdgeColumns: []string{"kind"}})
	kinds := graph.Strings{Offsets: []int64{0, 7, 12}, Data: []byte("followslikes")}
	if err := b.Add(graph.Batch{Type: graph.Int64, Src: []int64{0, 1}, Dst: []int64{1, 2}, Columns: []graph.Column{{Values: kinds}}}); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(context.Background())
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
	result, err := traverse.Result(t, typedpath.Ends(t, 0, traverse.Code(t, "kind", "follows"), traverse.Code(t, "kind", "likes")))
	if err != nil {
		log.Fatal(err)
	}
	defer result.Close()
	fmt.Println(result.ByID())
	// Output: [0 0 1] <nil>
}
