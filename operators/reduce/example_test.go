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

// oldest finds the largest age among the neighbors of each vertex.
type oldest struct{ age, found *device.Buffer[uint32] }

// Gather reduces rows, which may be parts of a vertex's.
func (f oldest) Gather(_ operators.Worker, rows []operators.Row, targets, out []uint32) {
	age := f.age.Host()
	for i, r := range rows {
		out[i] = 0
		for _, u := range targets[r.First : r.First+uint64(r.Len)] {
			out[i] = max(out[i], age[u])
		}
	}
}

// Join reduces the totals of two parts.
func (f oldest) Join(a, b uint32) uint32 { return max(a, b) }

// Apply keeps the totals, and counts the vertices that have a neighbor over 40.
func (f oldest) Apply(_ operators.Worker, vs, totals []uint32) (count uint64) {
	for i, v := range vs {
		f.found.Host()[v] = totals[i]
		if totals[i] > 40 {
			count++
		}
	}
	return count
}

// The oldest neighbor of each person.
func Example() {
	b := graph.NewBuilder(graph.Options{Order: graph.OrderGiven})
	if err := graph.AddInts(b, []int64{0, 0, 1, 2}, []int64{1, 2, 2, 3}, nil); err != nil {
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
	age, found := traverse.Array[uint32](t, 0), traverse.Array[uint32](t, 0)
	for v, x := range []uint32{30, 50, 20, 10} {
		traverse.Set(t, age, uint32(v), x)
	}
	count := traverse.Scalar[uint64](t, operators.Sum)
	t.Do(t.All(), reduce.Out(oldest{age, found}, count))
	fmt.Println(found.Host(), traverse.Get(t, count), t.Err())
	// Output: [50 30 50 20] 2 <nil>
}
