// Package functors holds what happens at the edges and vertices of shortest paths.
package functors

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../../../cmd/generate

// Relax lowers the distance of an edge's target, in stages of distance.
//
//foray:functor
type Relax struct {
	Dist  []float32 // of every vertex; +Inf: not reached
	Most  float32   // no distance is larger; finite
	Scale float32   // stages per unit of distance; finite
}

// Edge returns the stage of a target whose distance got smaller.
func (r *Relax) Edge(e traverse.Edge) uint32 {
	d := r.Dist[e.Source] + e.Weight
	if d > r.Most || d >= atomics.Min(&r.Dist[e.Target], d) {
		return pile.Never
	}
	return stage(d * r.Scale)
}

// Vertex returns the stage of a vertex.
func (r *Relax) Vertex(v traverse.Vertex) uint32 {
	d := r.Dist[v.ID]
	if d > r.Most {
		return pile.Never
	}
	return stage(d * r.Scale)
}

// stage makes a number of a stage, which never gets less where the distance gets larger.
func stage(x float32) uint32 {
	if x >= lastStage {
		return lastStage
	}
	return uint32(x)
}

// Cut forgets distances that are too large, and counts the others.
//
//foray:functor
type Cut struct {
	Dist []float32 // of every vertex
	Most float32
}

// Vertex returns 1 for a vertex that was reached.
func (c *Cut) Vertex(v traverse.Vertex) uint64 {
	if c.Dist[v.ID] <= c.Most {
		return 1
	}
	c.Dist[v.ID] = float32(math.Inf(1))
	return 0
}

// Farthest is the largest distance of vertices.
//
//foray:functor
type Farthest struct {
	Dist []float32 // of every vertex
}

// Vertex returns the distance of a vertex.
func (f *Farthest) Vertex(v traverse.Vertex) float64 { return float64(f.Dist[v.ID]) }

// Tight looks for parents: of the edges that a shortest path may end with, and whose source is
// nearer than the target, the source of the least number is the target's parent.
//
//foray:functor
type Tight struct {
	Dist   []float32 // of every vertex
	Parent []uint32  // of every vertex; graph.NoVertex: none yet
}

// Edge lowers the parent of the target if a shortest path ends with this edge.
func (p *Tight) Edge(e traverse.Edge) {
	d, to := p.Dist[e.Source], p.Dist[e.Target]
	if d < to && to < float32(math.Inf(1)) && d+e.Weight == to {
		atomics.Min(&p.Parent[e.Target], e.Source)
	}
}

// Orphans finds the vertices that were reached and have no parent, which is so where all edges
// that a shortest path ends with add nothing to the distance.
//
//foray:functor
type Orphans struct {
	Dist   []float32 // of every vertex
	Parent []uint32  // of every vertex
	Round  []int32   // of every vertex: the round of Flat in which it gets its parent
}

// Vertex returns 1 for a vertex without a parent.
func (o *Orphans) Vertex(v traverse.Vertex) uint64 {
	o.Round[v.ID] = 0
	if o.Parent[v.ID] != graph.NoVertex {
		return 0
	}
	o.Round[v.ID] = math.MaxInt32
	if o.Dist[v.ID] < float32(math.Inf(1)) {
		return 1
	}
	return 0
}

// Flat looks for the parents of orphans among the vertices that got theirs in rounds before:
// a breadth-first search over the edges that add nothing to the distance.
//
//foray:functor
type Flat struct {
	Dist   []float32 // of every vertex
	Parent []uint32  // of every vertex
	Round  []int32   // of every vertex
}

// Edge lets an orphan through that gets its parent in this round.
func (f *Flat) Edge(e traverse.Edge) bool {
	d := f.Dist[e.Source]
	if atomics.Load(&f.Round[e.Source]) >= e.Level || f.Dist[e.Target] != d || d+e.Weight != d {
		return false
	}
	if atomics.Min(&f.Round[e.Target], e.Level) < e.Level {
		return false
	}
	atomics.Min(&f.Parent[e.Target], e.Source)
	return true
}
