package bc_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// Of a path of four vertices the inner ones are on two of three pairs' paths each.
func ExampleRun() {
	p := testgraph.Placed(graph.Options{}, []int64{10, 20, 30}, []int64{20, 30, 40})
	defer p.Close()
	r, err := bc.Run(context.Background(), p, bc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	scores, err := r.Betweenness.ByID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", scores)
	// Output: [0.000 0.667 0.667 0.000]
}

// A Searcher looks for paths from other sources each time, in the same memory.
func ExampleNewSearcher() {
	p := testgraph.Placed(graph.Options{Directed: true, Reverse: true}, []int64{0, 1, 2}, []int64{1, 2, 3})
	defer p.Close()
	s, err := bc.NewSearcher(p, bc.Options{Unnormalized: true})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for _, source := range []uint32{0, 1} {
		r, err := s.Run(context.Background(), []uint32{source})
		if err != nil {
			log.Fatal(err)
		}
		scores, err := r.Betweenness.Slice()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(scores, "times", r.Scale)
	}
	// Output:
	// [NaN 6 3 0] times 3
	// [0 NaN 3 0] times 3
}
