package pagerank_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// Three pages link to page 4, which links to page 1. No page links to page 5, which has no links.
func Example() {
	b := graph.NewBuilder(graph.Options{Directed: true, Reverse: true})
	if err := graph.AddInts(b, []int64{1, 2, 3, 4}, []int64{4, 4, 4, 1}, nil); err != nil {
		log.Fatal(err)
	}
	if err := graph.AddVertices(b, graph.Source, []int64{5}); err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	p, err := g.On(host.New(0))
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	r, err := pagerank.Run(context.Background(), p, pagerank.Options{}) // to convergence
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	ranks, err := r.Ranks.ByID()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", ranks)

	ten, err := pagerank.Run(context.Background(), p, pagerank.Options{Iterations: 10, Tolerance: -1}) // as LDBC's
	if err != nil {
		log.Fatal(err)
	}
	defer ten.Close()
	ranks, err = ten.Ranks.ByID()
	fmt.Printf("%.4f after %d rounds, %v\n", ranks, ten.Iterations, err)
	// Output:
	// [0.4292 0.0361 0.0361 0.4624 0.0361]
	// [0.4593 0.0361 0.0361 0.4322 0.0361] after 10 rounds, <nil>
}
