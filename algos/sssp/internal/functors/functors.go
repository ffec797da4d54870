// Package functors holds the functors of shortest paths, at edges and at vertices.
package functors

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// lastStage is the stage of all distances that are too large for a stage number of 31 bits.
// Fewer stages would do; pile.Never is larger.
const lastStage = 1 << 31

//go:generate go run ../../../../cmd/generate

// Relax lowers the distance of an edge's target, in stages of distance.
//
//foray:functor
type Relax[T float32 | float64] struct {
	Dist  []T // of every vertex; +Inf: not reached
	Most  T   // no distance is larger; finite
	Scale T   // stages per unit of distance; finite
}

// Edge returns the stage of a target whose distance got smaller.
func (r *Relax[T]) Edge(e traverse.Edge) uint32 {
	d := r.Dist[e.Source] + T(e.Weight)
	if d > r.Most || d >= atomics.Min(&r.Dist[e.Target], d) {
		return pile.Never
	}
	return stage(d * r.Scale)
}

// Vertex returns the stage of a vertex.
func (r *Relax[T]) Vertex(v traverse.Vertex) uint32 {
	d := r.Dist[v.ID]
	if d > r.Most {
		return pile.Never
	}
	return stage(d * r.Scale)
}

// RelaxDirect is Relax for graphs of short rows, on which most edges lower a distance once.
//
//foray:functor
type RelaxDirect[T float32 | float64] struct {
	Dist  []T // of every vertex; +Inf: not reached
	Most  T   // no distance is larger; finite
	Scale T   // stages per unit of distance; finite
}

// Edge returns the stage of a target whose distance got smaller.
//
//foray:direct
func (r *RelaxDirect[T]) Edge(e traverse.Edge) uint32 {
	d := r.Dist[e.Source] + T(e.Weight)
	if d > r.Most || d >= atomics.Min(&r.Dist[e.Target], d) {
		return pile.Never
	}
	return stage(d * r.Scale)
}

// Vertex returns the stage of a vertex.
func (r *RelaxDirect[T]) Vertex(v traverse.Vertex) uint32 {
	d := r.Dist[v.ID]
	if d > r.Most {
		return pile.Never
	}
	return stage(d * r.Scale)
}

// stage makes a number of a stage, which never gets less where the distance gets larger.
func stage[T float32 | float64](x T) uint32 {
	if x >= lastStage {
		return lastStage
	}
	return uint32(x)
}

// Cut forgets distances that are too large, and counts the others.
//
//foray:functor
type Cut[T float32 | float64] struct {
	Dist []T // of every vertex
	Most T
	Far  traverse.Max[float64] // the largest that is left
}

// Vertex returns 1 for a vertex that was reached.
func (c *Cut[T]) Vertex(v traverse.Vertex) uint64 {
	if d := c.Dist[v.ID]; d <= c.Most {
		c.Far.Add(float64(d))
		return 1
	}
	c.Dist[v.ID] = T(math.Inf(1))
	return 0
}

// Farthest is the largest distance of vertices.
//
//foray:functor
type Farthest[T float32 | float64] struct {
	Dist []T // of every vertex
}

// Vertex returns the distance of a vertex.
func (f *Farthest[T]) Vertex(v traverse.Vertex) float64 { return float64(f.Dist[v.ID]) }

// Tight looks for parents: of the edges that a shortest path may end with, and whose source is
// nearer than the target, the source of the least number is the target's parent.
//
//foray:functor
type Tight[T float32 | float64] struct {
	Dist   []T      // of every vertex
	Parent []uint32 // of every vertex; graph.NoVertex: none yet
}

// Edge lowers the parent of the target if a shortest path ends with this edge.
func (p *Tight[T]) Edge(e traverse.Edge) {
	d, to := p.Dist[e.Source], p.Dist[e.Target]
	if d < to && to < T(math.Inf(1)) && d+T(e.Weight) == to {
		atomics.Min(&p.Parent[e.Target], e.Source)
	}
}

// Orphans finds the vertices that were reached and have no parent, which is so where all edges
// that a shortest path ends with add nothing to the distance.
//
//foray:functor
type Orphans[T float32 | float64] struct {
	Dist   []T      // of every vertex
	Parent []uint32 // of every vertex
	Round  []int32  // of every vertex: the round of Flat in which it gets its parent
}

// Vertex returns 1 for a vertex without a parent.
func (o *Orphans[T]) Vertex(v traverse.Vertex) uint64 {
	o.Round[v.ID] = 0
	if o.Parent[v.ID] != graph.NoVertex {
		return 0
	}
	o.Round[v.ID] = math.MaxInt32
	if o.Dist[v.ID] < T(math.Inf(1)) {
		return 1
	}
	return 0
}

// Flat looks for the parents of orphans among the vertices that got theirs in rounds before:
// a breadth-first search over the edges that add nothing to the distance.
//
//foray:functor
type Flat[T float32 | float64] struct {
	Dist   []T      // of every vertex
	Parent []uint32 // of every vertex
	Round  []int32  // of every vertex
}

// Edge lets an orphan through that gets its parent in this round.
func (f *Flat[T]) Edge(e traverse.Edge) bool {
	d := f.Dist[e.Source]
	if atomics.Load(&f.Round[e.Source]) >= e.Level || f.Dist[e.Target] != d || d+T(e.Weight) != d {
		return false
	}
	if atomics.Min(&f.Round[e.Target], e.Level) < e.Level {
		return false
	}
	atomics.Min(&f.Parent[e.Target], e.Source)
	return true
}

// Lower is Relax of one stage: it lowers distances up to a limit.
//
//foray:functor
type Lower[T float32 | float64] struct {
	Dist []T // of every vertex
	Most T
}

// Edge lets the target through if its distance got smaller.
func (l *Lower[T]) Edge(e traverse.Edge) bool {
	d := l.Dist[e.Source] + T(e.Weight)
	return d <= l.Most && d < atomics.Min(&l.Dist[e.Target], d)
}

// Settled sums up the degrees of vertices that were reached, and finds the largest distance.
//
//foray:functor
type Settled struct {
	Dist   []float32 // of every vertex
	Degree []uint32  // of every vertex
	Far    traverse.Max[float64]
}

// Vertex returns the degree of a vertex that was reached.
func (s *Settled) Vertex(v traverse.Vertex) uint64 {
	d := s.Dist[v.ID]
	if d == float32(math.Inf(1)) {
		return 0
	}
	s.Far.Add(float64(d))
	return uint64(s.Degree[v.ID])
}

// Hopeful keeps vertices that may get nearer by an edge from a vertex at distance Least or
// beyond.
//
//foray:functor
type Hopeful struct {
	Dist  []float32 // of every vertex
	Light []float32 // the lightest edge into each vertex, +Inf where there is none
	Least float32
}

// Vertex reports which vertices stay. The sum may be more than a float32 holds, where a vertex that
// isn't reached still has an edge from one before Least.
func (h *Hopeful) Vertex(v traverse.Vertex) bool {
	return float64(h.Light[v.ID])+float64(h.Least) < float64(h.Dist[v.ID])
}

// Nearest takes over the least distance by an in-edge.
//
//foray:functor
type Nearest struct {
	Dist []float32 // of every vertex
	Most float32
}

// Gather returns the distance by an edge.
//
//foray:reduce min
func (n *Nearest) Gather(e traverse.Edge) float32 {
	return atomics.Load(&n.Dist[e.Source]) + e.Weight
}

// Apply returns the distance of a vertex if it got smaller, else +Inf.
func (n *Nearest) Apply(v traverse.Vertex, least float32) float64 {
	if least > n.Most || least >= n.Dist[v.ID] {
		return math.Inf(1)
	}
	atomics.Store(&n.Dist[v.ID], least)
	return float64(least)
}

// Between keeps vertices within two distances.
//
//foray:functor
type Between[T float32 | float64] struct {
	Dist        []T // of every vertex
	Least, Most T
}

// Vertex reports which vertices stay.
func (b *Between[T]) Vertex(v traverse.Vertex) bool {
	return b.Dist[v.ID] >= b.Least && b.Dist[v.ID] <= b.Most
}
