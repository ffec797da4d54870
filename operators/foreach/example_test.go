package foreach_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// halve halves the charge of every vertex.
type halve struct{ charge *device.Buffer[float64] }

// Visit returns the charge that is left.
func (f halve) Visit(_ operators.Worker, vs []uint32) (left float64) {
	charge := f.charge.Host()
	for _, v := range vs {
		charge[v] /= 2
		left += charge[v]
	}
	return left
}

// A functor at every vertex, and a scalar that says when to stop.
func Example() {
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, []int64{0, 1, 2}, []int64{1, 2, 3}, nil); err != nil {
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
	t := traverse.New(context.Background(), p)
	defer t.Close()
	left := traverse.Scalar[float64](t, operators.Sum)
	t.Repeat(t.All(), foreach.All(halve{traverse.Array(t, 8.0)}, left), traverse.Below(left, 5))
	fmt.Println(traverse.Get(t, left), "after", t.Level(), "rounds;", t.Err())
	// Output: 4 after 3 rounds; <nil>
}
