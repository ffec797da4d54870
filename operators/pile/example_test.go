package pile_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// relax lowers the distances of the targets of edges. A vertex is to be expanded in the stage
// that its distance is in.
type relax struct {
	distance *device.Buffer[uint32] // of every vertex, in units that edges weigh
	weights  []float32
	width    uint32 // of a stage
}

// Sort lets the targets through whose distance got smaller.
func (f *relax) Sort(_ operators.Worker, source uint32, first uint64, targets, out, due []uint32) int {
	distance, k := f.distance.Host(), 0
	from := atomic.LoadUint32(&distance[source])
	for i, t := range targets {
		d := from + uint32(f.weights[first+uint64(i)])
		for old := atomic.LoadUint32(&distance[t]); d < old; old = atomic.LoadUint32(&distance[t]) {
			if atomic.CompareAndSwapUint32(&distance[t], old, d) {
				out[k], due[k] = t, d/f.width
				k++
				break
			}
		}
	}
	return k
}

// Due says when vertices of the far pile are expanded.
func (f *relax) Due(_ operators.Worker, vs, due []uint32) {
	for i, v := range vs {
		due[i] = f.distance.Host()[v] / f.width
	}
}

// Shortest paths: near vertices are expanded first, in stages of 10 units of distance.
func Example() {
	b := graph.NewBuilder(graph.Options{Directed: true, Weights: true, Order: graph.OrderGiven})
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
	t := traverse.New(context.Background(), p)
	defer t.Close()
	distance := traverse.Array[uint32](t, math.MaxUint32)
	traverse.Set(t, distance, 0, 0)
	f, far := &relax{distance, g.Out().Weights, 10}, t.Pile()
	t.Repeat(t.From(0), advance.PushNear(f, far), pile.Refill(far, f))
	res, err := traverse.Result(t, distance)
	if err != nil {
		log.Fatal(err)
	}
	all, err := res.Slice()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(all, "in", res.Stats.Rounds, "rounds")
	// Output: [0 5 12 42] in 4 rounds
}
