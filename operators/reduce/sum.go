// This file holds Sum, the functor that needs no custom code.

package reduce

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators"
)

// Sum is the functor that sets Totals[v] to the sum of Values over the in-neighbours of v,
// for In. On a GPU it is foray::SumOfValues of a traversal, whose kernels On names.
type Sum struct {
	Values, Totals *device.Buffer[float32]
	On             operators.Kernel
}

// check reports arrays that are too short for the vertices.
func (f *Sum) check(vertices int) error {
	if f == nil || f.Values.Len() < vertices || f.Totals.Len() < vertices {
		return fmt.Errorf("%w: Sum needs Values and Totals with an entry for each of %d vertices", errFunctor, vertices)
	}
	return nil
}

// Gather adds up values.
func (f *Sum) Gather(_ operators.Worker, rows []operators.Row, targets []uint32, out []float32) {
	values := f.Values.Host()
	for i, r := range rows {
		sum := float32(0)
		for _, u := range targets[r.First : r.First+uint64(r.Len)] {
			sum += values[u]
		}
		out[i] = sum
	}
}

// Join adds two sums.
func (f *Sum) Join(a, b float32) float32 { return a + b }

// Apply stores the totals.
func (f *Sum) Apply(_ operators.Worker, vs []uint32, totals []float32) uint64 {
	to := f.Totals.Host()
	for i, v := range vs {
		to[v] = totals[i]
	}
	return 0
}

// Kernel is On.
func (f *Sum) Kernel() operators.Kernel { return f.On }

// Fields are the arrays.
func (f *Sum) Fields(x *operators.Fields) { x.Put(f.Values, f.Totals) }
