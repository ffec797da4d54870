// Package walks counts how often random walks visit each vertex. A walk takes an edge with a probability that is
// proportional to its weight.
package walks

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/random"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run github.com/foray-graph/foray/cmd/generate

// Walk walks from each vertex and counts visits.
//
//foray:functor
type Walk struct {
	Offsets         []uint64  // of rows
	Targets, Visits []uint32  // of every edge, of every vertex
	Sums            []float64 // of weights, by edge
	Seed, Length    uint64
}

// Vertex walks from v. The walk ends early at a vertex that has no out-edge with a weight above zero.
func (w *Walk) Vertex(v traverse.Vertex) {
	for at, step := v.ID, uint64(0); step < w.Length; step++ {
		e, ok := random.Choose(w.Offsets, w.Sums, at, random.Float64(w.Seed, uint64(v.ID), step))
		if !ok {
			return
		}
		at = w.Targets[e]
		atomics.Add(&w.Visits[at], 1)
	}
}

// Visits returns how often walks of so many steps, one from each vertex, come to each vertex.
func Visits(t *traverse.Traversal, seed, length uint64) *device.Buffer[uint32] {
	offsets, targets := traverse.Rows(t)
	visits := traverse.Array[uint32](t, 0)
	t.Do(t.All(), foreach.All(NewWalk(offsets, targets, visits, traverse.WeightSums(t), seed, length), nil))
	return visits
}
