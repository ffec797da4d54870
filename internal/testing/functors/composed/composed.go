// Package composed has functors written in Go, of every kind that operators take. Tests of
// the host, the emulated GPU and GPUs run them.
package composed

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../../../cmd/generate

// Relax lowers the distance of an edge's target, up to a limit: shortest paths.
//
//foray:functor
type Relax struct {
	Dist []float32 // of every vertex
	Most float32
}

// Edge lets the target through if its distance got smaller.
func (r *Relax) Edge(e traverse.Edge) bool {
	d := r.Dist[e.Source] + e.Weight
	return d < r.Most && d < atomics.Min(&r.Dist[e.Target], d)
}

// Note lets everything through, and notes weights where their edges are: the indices of edges are
// those of the graph, however its rows lie.
//
//foray:functor
type Note struct {
	Weight []float32 // of every edge
}

// Edge notes.
func (n *Note) Edge(e traverse.Edge) bool {
	n.Weight[e.Index] = e.Weight
	return true
}

// RelaxWide is Relax with weights of float64, which it finds by the indices of edges.
//
//foray:functor
type RelaxWide struct {
	Dist   []float64 // of every vertex
	Weight []float64 // of every edge
	Most   float64
}

// Edge lets the target through if its distance got smaller.
func (r *RelaxWide) Edge(e traverse.Edge) bool {
	d := r.Dist[e.Source] + r.Weight[e.Index]
	return d < r.Most && d < atomics.Min(&r.Dist[e.Target], d)
}

// NoteWide is Note of weights that it finds by the indices of edges.
//
//foray:functor
type NoteWide struct {
	From, To []float64 // of every edge
}

// Edge notes.
func (n *NoteWide) Edge(e traverse.Edge) bool {
	n.To[e.Index] = n.From[e.Index]
	return true
}

// Lower lowers the label of an edge's target to that of its source: components.
//
//foray:functor
type Lower struct {
	Label []uint32 // of every vertex
}

// Edge lets the target through if its label got smaller.
func (l *Lower) Edge(e traverse.Edge) bool {
	mine := l.Label[e.Source]
	return mine < atomics.Min(&l.Label[e.Target], mine)
}

// Hop crosses edges that weigh no more than Most, to vertices that weren't reached.
//
//foray:functor
type Hop struct {
	Depth []int32 // of every vertex; -1: not reached
	Most  float32
}

// Edge lets the target through if it is reached now.
func (h *Hop) Edge(e traverse.Edge) bool {
	return e.Weight <= h.Most && atomics.Load(&h.Depth[e.Target]) < 0 && atomics.CompareAndSwap(&h.Depth[e.Target], -1, e.Level)
}

// Discover gives the targets of edges, where they have none, a parent and a depth.
//
//foray:functor
type Discover struct {
	Parent []uint32 // of every vertex
	Depth  []int32  // of every vertex; -1: not reached
}

// Edge lets the target through if it is reached now.
func (d *Discover) Edge(e traverse.Edge) bool {
	if atomics.Load(&d.Depth[e.Target]) >= 0 || !atomics.CompareAndSwap(&d.Depth[e.Target], -1, e.Level) {
		return false
	}
	d.Parent[e.Target] = e.Source
	return true
}

// Adopt is Discover of a pull: the first neighbor in the frontier is a vertex's parent.
//
//foray:functor
type Adopt struct {
	Parent []uint32 // of every vertex
	Depth  []int32
}

// Hit takes the edge's source as the parent.
func (a *Adopt) Hit(e traverse.Edge) bool {
	a.Parent[e.Target], a.Depth[e.Target] = e.Source, e.Level
	return true
}

// Cross is Hop of a pull: a vertex is found by its first edge that weighs no more than Most.
//
//foray:functor
type Cross struct {
	Depth []int32  // of every vertex
	By    []uint64 // the in-edge
	Tries []uint32 // how many edges from a frontier were looked at
	Most  float32
}

// Hit accepts an edge that isn't too heavy.
func (c *Cross) Hit(e traverse.Edge) bool {
	c.Tries[e.Target]++
	if e.Weight > c.Most {
		return false
	}
	c.Depth[e.Target], c.By[e.Target] = e.Level, e.Index
	return true
}

// Rank is a round of PageRank.
//
//foray:functor
type Rank struct {
	Share   []float32 // what a vertex gives to each of its out-neighbors
	Next    []float32 // the same, of the next round
	Rank    []float32
	Degree  []uint32 // out-degrees
	Damping float32
	Base    float32 // what every vertex gets
}

// Gather is what the target of an edge gets.
func (r *Rank) Gather(e traverse.Edge) float32 { return r.Share[e.Source] }

// Apply computes a vertex's rank from the total that it received, and returns the change.
func (r *Rank) Apply(v traverse.Vertex, total float32) float64 {
	now := r.Base + r.Damping*total
	change := math.Abs(float64(now - r.Rank[v.ID]))
	r.Rank[v.ID] = now
	r.Next[v.ID] = now / float32(max(r.Degree[v.ID], 1))
	return change
}

// Excess is how much the values of vertices are above a limit, in sum.
//
//foray:functor
type Excess struct {
	Value []float64 // of every vertex
	Limit float64
}

// Vertex returns the excess of a vertex.
func (x *Excess) Vertex(v traverse.Vertex) float64 {
	return max(x.Value[v.ID]-x.Limit, 0)
}

// Below keeps the vertices whose degree is below a limit.
//
//foray:functor
type Below struct {
	Degree []uint32 // of every vertex
	Limit  uint32
}

// Vertex reports which vertices stay.
func (b *Below) Vertex(v traverse.Vertex) bool { return b.Degree[v.ID] < b.Limit }

// Near is Relax in stages of distance.
//
//foray:functor
type Near struct {
	Dist  []uint32 // of every vertex
	Width uint32   // of a stage; not 0
}

// Edge returns the stage of a target whose distance got smaller.
func (n *Near) Edge(e traverse.Edge) uint32 {
	d := n.Dist[e.Source] + uint32(e.Weight)
	if d >= atomics.Min(&n.Dist[e.Target], d) {
		return pile.Never
	}
	return d / n.Width
}

// Vertex returns the stage of a vertex.
func (n *Near) Vertex(v traverse.Vertex) uint32 { return n.Dist[v.ID] / n.Width }

// Arrivals counts the edges into every vertex.
//
//foray:functor
type Arrivals struct {
	Count []uint32 // of every vertex
}

// Edge counts an edge.
func (a *Arrivals) Edge(e traverse.Edge) { atomics.Add(&a.Count[e.Target], 1) }

// Blend adds the bits of every vertex to those of its neighbors.
//
//foray:functor
type Blend struct {
	From []uint64 // of every vertex
	Into []uint64
}

// Edge adds them.
func (b *Blend) Edge(e traverse.Edge) { atomics.Or(&b.Into[e.Target], b.From[e.Source]) }

// Astray marks the vertices that a table names, in units: an entry past the end, or no unit, is
// a fault.
//
//foray:functor
type Astray struct {
	Table []uint32 // of every vertex
	Mark  []uint32
	Unit  uint32
}

// Edge marks what the table has for the edge's source.
func (a *Astray) Edge(e traverse.Edge) bool {
	at := a.Table[e.Source] / a.Unit
	atomics.Store(&a.Mark[at], 1)
	return true
}

// AstrayPull is Astray at the in-edges of a pull, all of which it looks at.
//
//foray:functor
type AstrayPull struct {
	Table []uint32 // of every vertex
	Mark  []uint32
	Unit  uint32
}

// Hit marks what the table has for the edge's source.
func (a *AstrayPull) Hit(e traverse.Edge) bool {
	at := a.Table[e.Source] / a.Unit
	atomics.Store(&a.Mark[at], 1)
	return false
}

// Double doubles the value of vertices.
//
//foray:functor
type Double struct {
	Value []float64 // of every vertex
}

// Vertex doubles the value of a vertex.
func (d *Double) Vertex(v traverse.Vertex) { d.Value[v.ID] *= 2 }

// Reach crosses edges to vertices that weren't reached: a breadth-first search.
//
//foray:functor
type Reach struct {
	Depth []int32 // of every vertex; -1: not reached
}

// Edge lets the target through if it is reached now.
//
//foray:unique
func (r *Reach) Edge(e traverse.Edge) bool {
	return r.Depth[e.Target] < 0 && atomics.CompareAndSwap(&r.Depth[e.Target], -1, e.Level)
}

// All lets every target through: advance.All in Go.
//
//foray:functor
type All struct{}

// Edge lets the target through.
func (a *All) Edge(e traverse.Edge) bool { return true }

// Claim lets targets through whose bit isn't set, and sets it: advance.Claim in Go.
//
//foray:functor
type Claim struct {
	Seen []uint32 // a bit for every vertex
}

// Edge lets the target through if its bit is set now.
//
//foray:unique
func (c *Claim) Edge(e traverse.Edge) bool {
	word, bit := e.Target/32, uint32(1)<<(e.Target%32)
	return atomics.Or(&c.Seen[word], bit)&bit == 0
}

// Shorten is Relax for distances of any type.
//
//foray:functor
type Shorten[T device.Elem] struct {
	Dist []T // of every vertex
	Most T
}

// Edge lets the target through if its distance got smaller.
func (s *Shorten[T]) Edge(e traverse.Edge) bool {
	d := s.Dist[e.Source] + T(e.Weight)
	return d < s.Most && lowered(s.Dist, e.Target, d)
}

// lowered lowers an element and reports whether it got smaller.
func lowered[T device.Elem](p []T, i uint32, x T) bool { return x < atomics.Min(&p[i], x) }

// Least has every vertex take over the least value of its in-neighbors, and sums up by how
// much values got less.
//
//foray:functor
type Least[T int32 | uint64 | float32, V int64 | float64] struct {
	Value, Next []T // of every vertex
}

// Gather returns the value of a neighbor.
//
//foray:reduce min
func (l *Least[T, V]) Gather(e traverse.Edge) T { return l.Value[e.Source] }

// Apply lowers a vertex's value.
func (l *Least[T, V]) Apply(v traverse.Vertex, least T) V {
	x := l.Value[v.ID]
	l.Next[v.ID] = min(x, least)
	return V(x) - V(l.Next[v.ID])
}

// Search crosses edges to vertices that weren't reached, and looks at a bitmap instead of the
// depths, which are longer: a breadth-first search.
//
//foray:functor
type Search struct {
	Seen  []uint32 // a bit for every vertex
	Depth []int32  // of every vertex
}

// Edge lets the target through if it is reached now.
//
//foray:unique
func (s *Search) Edge(e traverse.Edge) bool {
	word, bit := e.Target/32, uint32(1)<<(e.Target%32)
	if atomics.Or(&s.Seen[word], bit)&bit != 0 {
		return false
	}
	s.Depth[e.Target] = e.Level
	return true
}

// Far marks an element far away: an index of 64 bits that is out of range is a fault.
//
//foray:functor
type Far[T int64 | uint64] struct {
	Mark []uint32
	At   T
}

// Vertex marks the element.
func (f *Far[T]) Vertex(v traverse.Vertex) { atomics.Add(&f.Mark[f.At], 1) }

// Meet counts the edges into every vertex, and lets a vertex through when it is first met.
//
//foray:functor
type Meet struct {
	Count []uint32 // of every vertex
}

// Edge counts an edge.
//
//foray:unique
func (m *Meet) Edge(e traverse.Edge) bool { return atomics.Add(&m.Count[e.Target], 1) == 0 }

// Latest gathers the greatest value of a column over the edges of every vertex.
//
//foray:functor
type Latest[T int32 | uint32 | int64 | uint64 | float32 | float64] struct {
	Column []T // of every edge
	Last   []T // of every vertex
}

// Gather returns an edge's value.
//
//foray:reduce max
func (l *Latest[T]) Gather(e traverse.Edge) T { return l.Column[e.Index] }

// Apply keeps the greatest.
func (l *Latest[T]) Apply(v traverse.Vertex, last T) { l.Last[v.ID] = last }
