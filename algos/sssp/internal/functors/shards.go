// This file holds what happens at edges and vertices on several GPUs, where numbers of vertices are the GPUs' own.

package functors

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// Beyond is the distance of vertices that are farther than High.
//
//foray:functor
type Beyond[T float32 | float64] struct {
	Dist []T // of every vertex
	High T
}

// Vertex returns the distance of a vertex beyond High, else +Inf.
func (b *Beyond[T]) Vertex(v traverse.Vertex) float64 {
	if b.Dist[v.ID] > b.High {
		return float64(b.Dist[v.ID])
	}
	return math.Inf(1)
}

// vertex is the vertex of a number (placed.Shards.Vertex).
func vertex(number, stride, devices uint32) uint32 { return number%stride*devices + number/stride }

// TightShards is Tight; parents are vertices.
//
//foray:functor
type TightShards[T float32 | float64] struct {
	Dist            []T      // of every vertex
	Parent          []uint32 // of every vertex; graph.NoVertex: none yet
	Stride, Devices uint32   // those of numbers
}

// Edge lowers the parent of the target if a shortest path ends with this edge.
func (p *TightShards[T]) Edge(e traverse.Edge) {
	d, to := p.Dist[e.Source], p.Dist[e.Target]
	if d < to && to < T(math.Inf(1)) && d+T(e.Weight) == to {
		atomics.Min(&p.Parent[e.Target], vertex(e.Source, p.Stride, p.Devices))
	}
}

// FlatShards is Flat; parents are vertices.
//
//foray:functor
type FlatShards[T float32 | float64] struct {
	Dist            []T      // of every vertex
	Parent          []uint32 // of every vertex
	Round           []int32  // of every vertex
	Stride, Devices uint32   // those of numbers
}

// Edge lets an orphan through that gets its parent in this round.
func (f *FlatShards[T]) Edge(e traverse.Edge) bool {
	d := f.Dist[e.Source]
	if atomics.Load(&f.Round[e.Source]) >= e.Level || f.Dist[e.Target] != d || d+T(e.Weight) != d {
		return false
	}
	if atomics.Min(&f.Round[e.Target], e.Level) < e.Level {
		return false
	}
	atomics.Min(&f.Parent[e.Target], vertex(e.Source, f.Stride, f.Devices))
	return true
}
