package degree_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/algos/degree"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// Accounts 10 and 20 pay account 30, which pays 20.
func Example() {
	b := graph.NewBuilder(graph.Options{Directed: true, Weights: true, Order: graph.OrderGiven})
	if err := graph.AddInts(b, []int64{10, 20, 30}, []int64{30, 30, 20}, []float32{5, 2, 1.5}); err != nil {
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
	r, err := degree.Run(context.Background(), p, degree.Options{Out: true, Weighted: true})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	payments, err := r.Degree.ByID()
	if err != nil {
		log.Fatal(err)
	}
	paid, err := r.Strength.ByID()
	fmt.Println(payments, paid, err)
	// Output: [1 1 1] [5 2 1.5] <nil>
}
