// Package widest is a custom traversal: the widest path to every vertex, by the least
// capacity of the edges on it.
package widest

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run github.com/foray-graph/foray/cmd/generate

// Widen raises the width of the widest path to an edge's target.
//
//foray:functor
type Widen struct {
	Width []float32 // of every vertex; 0: not reached
}

// Edge lets the target through if a wider path was found.
func (f *Widen) Edge(e traverse.Edge) bool {
	w := min(f.Width[e.Source], e.Weight)
	return w > atomics.Max(&f.Width[e.Target], w)
}

// Paths finds the widest paths from the source.
func Paths(t *traverse.Traversal, source uint32) *device.Buffer[float32] {
	width := traverse.Array[float32](t, 0)
	traverse.Set(t, width, source, float32(math.Inf(1)))
	t.Repeat(t.From(source), advance.Push(NewWiden(width)), filter.Unique())
	return width
}
