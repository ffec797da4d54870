package reduce_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// income is the sum of the weights of a vertex's in-edges.
type income struct {
	weights *device.Buffer[float32] // of the edges of Graph.In
	income  *device.Buffer[float64] // of every vertex
}

// Gather adds up rows of edges.
func (f *income) Gather(_ operators.Worker, rows []operators.Row, _ []uint32, out []float64) {
	weights := f.weights.Host()
	for i, r := range rows {
		out[i] = 0
		for _, w := range weights[r.First : r.First+uint64(r.Len)] {
			out[i] += float64(w)
		}
	}
}

// Join adds the sums of two parts of a row.
func (f *income) Join(a, b float64) float64 { return a + b }

// Apply stores the sums, and returns the largest, to a scalar that reduces by Max.
func (f *income) Apply(_ operators.Worker, vs []uint32, totals []float64) float64 {
	most := operators.Identity[float64](operators.Max)
	for i, v := range vs {
		f.income.Host()[v] = totals[i]
		most = max(most, totals[i])
	}
	return most
}

// What comes in over the edges of a directed graph.
func ExampleIn() {
	b := graph.NewBuilder(graph.Options{Directed: true, Reverse: true, Weights: true, Order: graph.OrderGiven})
	if err := graph.AddInts(b, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}, []float32{5, 40, 7, 30}); err != nil {
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
	weights, err := p.InWeights()
	if err != nil {
		log.Fatal(err)
	}
	t := traverse.New(context.Background(), p)
	defer t.Close()
	most := traverse.Scalar[float64](t, operators.Max)
	f := &income{weights, traverse.Array[float64](t, 0)}
	t.Do(t.All(), reduce.In(f, most))
	largest := traverse.Get(t, most)
	res, err := traverse.Result(t, f.income)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	all, err := res.Slice()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(all, "the largest is", largest)
	// Output: [0 5 47 30] the largest is 47
}
