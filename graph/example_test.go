package graph_test

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/graph"
)

// A Builder takes edges in batches, with ids of any integer type or strings.
func ExampleBuilder() {
	b := graph.NewBuilder(graph.Options{})
	// 100 - 7 - 42, the first edge twice, and a self-loop.
	if err := graph.AddInts(b, []int64{100, 7, 7, 42}, []int64{7, 100, 42, 42}, nil); err != nil {
		fmt.Println(err)
		return
	}
	g, err := b.Build(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.NumVertices(), "vertices,", g.NumEdges(), "edges")
	v, err := g.Vertex(7)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, u := range g.Out().Neighbors(v) {
		fmt.Println("7 is next to", g.IDs().Format(u))
	}
	_, err = g.Vertex(8)
	fmt.Println(err)
	// Output:
	// 3 vertices, 2 edges
	// 7 is next to 42
	// 7 is next to 100
	// vertex 8 is not in the graph
}

// TwoPass reads the edges twice and so needs not hold them.
func ExampleTwoPass() {
	from := graph.Strings{Offsets: []int64{0, 3, 6}, Data: []byte("anneve")}
	to := graph.Strings{Offsets: []int64{0, 3, 6}, Data: []byte("bobbob")}
	read := func(_ context.Context, yield func(graph.Batch) error) error {
		return yield(graph.Batch{SrcStrings: &from, DstStrings: &to})
	}
	o := graph.Options{Directed: true, Reverse: true, Order: graph.OrderGiven}
	g, err := graph.TwoPass(context.Background(), o, read)
	if err != nil {
		fmt.Println(err)
		return
	}
	bob, err := g.VertexString("bob")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range g.In().Neighbors(bob) {
		fmt.Println(g.IDs().Format(v), "knows bob")
	}
	// Output:
	// ann knows bob
	// eve knows bob
}

// Arrays in the order of the external ids, as results have them on request, are
// indexed by rank.
func ExampleIDs_Rank() {
	b := graph.NewBuilder(graph.Options{Order: graph.OrderDegree})
	// 30 has the most neighbors and is vertex 0.
	if err := graph.AddInts(b, []int64{30, 30, 30}, []int64{10, 20, 40}, nil); err != nil {
		fmt.Println(err)
		return
	}
	g, err := b.Build(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := g.Vertex(30)
	if err != nil {
		fmt.Println(err)
		return
	}
	ids := g.IDs()
	fmt.Println("30 is vertex", v, "inside, and has rank", ids.Rank(v))
	for rank := range uint32(ids.Len) {
		fmt.Print(ids.Format(ids.AtRank(rank)), " ")
	}
	// Output:
	// 30 is vertex 0 inside, and has rank 2
	// 10 20 30 40
}

// Payments between the same two accounts become one edge, with the first day and the sum of their amounts.
func ExampleOptions() {
	b := graph.NewBuilder(graph.Options{Directed: true, EdgeColumns: []string{"day", "amount"},
		Fold: map[string]graph.Combine{"day": graph.CombineMin, "amount": graph.CombineSum}})
	err := b.Add(graph.Batch{Type: graph.Int64, Src: []int64{1, 1, 2, 1}, Dst: []int64{2, 2, 1, 2},
		Columns: []graph.Column{{Values: []int32{5, 3, 4, 9}}, {Values: []int64{100, 250, 75, 50}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := b.Build(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range g.EdgeColumns() {
		fmt.Println(c.Name, c.Values)
	}
	// Output:
	// day [3 4]
	// amount [400 75]
}

// Labels of communities make a graph of communities, whose weights count the edges between them.
func ExampleGraph_Contract() {
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, []int64{0, 0, 1, 2, 3, 3}, []int64{1, 2, 2, 3, 4, 5}, nil); err != nil {
		fmt.Println(err)
		return
	}
	g, err := b.Build(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	labels := make([]uint32, g.NumVertices())
	for v := range labels {
		labels[v] = uint32(g.IDs().Int(uint32(v)) / 3) // 0 to 2, and 3 to 5
	}
	q, err := g.Contract(context.Background(), labels, graph.Options{Weights: true, Combine: graph.CombineSum, KeepSelfLoops: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	out := q.Out()
	for v := range uint32(q.NumVertices()) {
		for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
			fmt.Println(q.IDs().Int(v), "to", q.IDs().Int(out.Targets[e]), "weight", out.Weights[e])
		}
	}
	// Output:
	// 0 to 0 weight 3
	// 0 to 1 weight 1
	// 1 to 0 weight 1
	// 1 to 1 weight 2
}
