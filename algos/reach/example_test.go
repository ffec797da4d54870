package reach_test

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/algos/reach"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// events returns a placed graph: 0 follows 1 at 8, 1 follows 2 at 9, 2 likes 3 at 7, 1 likes 4 at 12.
func events() (*graph.Placed, error) {
	b := graph.NewBuilder(graph.Options{Directed: true, EdgeColumns: []string{"kind", "time"}})
	kinds := graph.Strings{Offsets: []int64{0, 7, 14, 19, 24}, Data: []byte("followsfollowslikeslikes")}
	err := b.Add(graph.Batch{Type: graph.Int64, Src: []int64{0, 1, 2, 1}, Dst: []int64{1, 2, 3, 4}, Columns: []graph.Column{{Values: kinds}, {Values: []int64{8, 9, 7, 12}}}})
	if err != nil {
		return nil, err
	}
	g, err := b.Build(context.Background())
	if err != nil {
		return nil, err
	}
	return g.On(host.New(1))
}

func ExampleMatch() {
	p, err := events()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	depths, err := reach.Match(context.Background(), p, reach.Options{Sources: []uint32{0}, Expression: "follows*,likes"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer depths.Close()
	fmt.Println(depths.ByID())
	// Output: [-1 -1 -1 3 2] <nil>
}

func ExampleArrivals() {
	p, err := events()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	times, err := reach.Arrivals(context.Background(), p, reach.Options{Sources: []uint32{0}, Departure: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer times.Close()
	at, err := times.ByID()
	fmt.Println(at[4], at[3] == reach.Never, err) // 2 is reached at 9, and the edge to 3 has left
	// Output: 12 true <nil>
}

func ExampleKinds() {
	fmt.Println(reach.Kinds("follows*,(likes|'works at')"))
	// Output: [follows likes works at] <nil>
}

func ExampleValidateMatch() {
	p, err := events()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	o := reach.Options{Sources: []uint32{0}, Expression: "follows+"}
	fmt.Println(reach.ValidateMatch(context.Background(), p.Graph(), o, []int32{-1, 1, 2, -1, -1}))
	// Output: <nil>
}

func ExampleValidateArrivals() {
	p, err := events()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	o := reach.Options{Sources: []uint32{0}, Departure: 9}
	fmt.Println(reach.ValidateArrivals(context.Background(), p.Graph(), o, []int64{9, reach.Never, reach.Never, reach.Never, reach.Never}))
	// Output: <nil>
}
