// This file holds the search in float64 over weights that float32 doesn't hold, and what makes distances of
// the type of the weights.

package functors

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// RelaxWide is Relax with weights of float64.
//
//foray:functor
type RelaxWide struct {
	Dist   []float64 // of every vertex; +Inf: not reached
	Weight []float64 // of every edge
	Most   float64   // no distance is larger; finite
	Scale  float64   // stages per unit of distance; finite
}

// Edge returns the stage of a target whose distance got smaller.
func (r *RelaxWide) Edge(e traverse.Edge) uint32 {
	d := r.Dist[e.Source] + r.Weight[e.Index]
	if d > r.Most || d >= atomics.Min(&r.Dist[e.Target], d) {
		return pile.Never
	}
	return stage(d * r.Scale)
}

// Vertex returns the stage of a vertex.
func (r *RelaxWide) Vertex(v traverse.Vertex) uint32 {
	d := r.Dist[v.ID]
	if d > r.Most {
		return pile.Never
	}
	return stage(d * r.Scale)
}

// TightWide is Tight with weights of float64.
//
//foray:functor
type TightWide struct {
	Dist   []float64 // of every vertex
	Weight []float64 // of every edge
	Parent []uint32  // of every vertex; graph.NoVertex: none yet
}

// Edge lowers the parent of the target if a shortest path ends with this edge.
func (p *TightWide) Edge(e traverse.Edge) {
	d, to := p.Dist[e.Source], p.Dist[e.Target]
	if d < to && to < math.Inf(1) && d+p.Weight[e.Index] == to {
		atomics.Min(&p.Parent[e.Target], e.Source)
	}
}

// FlatWide is Flat with weights of float64.
//
//foray:functor
type FlatWide struct {
	Dist   []float64 // of every vertex
	Weight []float64 // of every edge
	Parent []uint32  // of every vertex
	Round  []int32   // of every vertex
}

// Edge lets an orphan through that gets its parent in this round.
func (f *FlatWide) Edge(e traverse.Edge) bool {
	d := f.Dist[e.Source]
	if atomics.Load(&f.Round[e.Source]) >= e.Level || f.Dist[e.Target] != d || d+f.Weight[e.Index] != d {
		return false
	}
	if atomics.Min(&f.Round[e.Target], e.Level) < e.Level {
		return false
	}
	atomics.Min(&f.Parent[e.Target], e.Source)
	return true
}

// CutWhole is Cut, and makes integers of distances that are whole numbers.
//
//foray:functor
type CutWhole[T float32 | float64] struct {
	Dist []T     // of every vertex
	Int  []int64 // of every vertex; -1: not reached
	Most T
	Far  traverse.Max[float64] // the largest that is left
}

// Vertex returns 1 for a vertex that was reached.
func (c *CutWhole[T]) Vertex(v traverse.Vertex) uint64 {
	if d := c.Dist[v.ID]; d <= c.Most {
		c.Far.Add(float64(d))
		c.Int[v.ID] = int64(d)
		return 1
	}
	c.Dist[v.ID] = T(math.Inf(1))
	c.Int[v.ID] = -1
	return 0
}

// Whole makes integers of distances that are whole numbers.
//
//foray:functor
type Whole[T float32 | float64] struct {
	Dist []T     // of every vertex; +Inf: not reached
	Int  []int64 // of every vertex; -1: not reached
}

// Vertex writes the distance of a vertex.
func (w *Whole[T]) Vertex(v traverse.Vertex) {
	d := w.Dist[v.ID]
	if d < T(math.Inf(1)) {
		w.Int[v.ID] = int64(d)
	} else {
		w.Int[v.ID] = -1
	}
}

// Double makes float64 of distances.
//
//foray:functor
type Double struct {
	Dist   []float32 // of every vertex
	Double []float64 // of every vertex
}

// Vertex writes the distance of a vertex.
func (d *Double) Vertex(v traverse.Vertex) { d.Double[v.ID] = float64(d.Dist[v.ID]) }
