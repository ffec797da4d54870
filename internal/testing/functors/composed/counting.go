// This file holds functors with accumulators.

package composed

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

// Sweep finds the vertices that are a given number of hops away. For each level it returns the number of
// vertices, the largest of them, the least weight of the visited edges, and the union
// of their sources' bits.
//
//foray:functor
type Sweep struct {
	Depth   []int32 // of every vertex; -1: not reached
	Found   traverse.Sum[uint64]
	Last    traverse.Max[int64]
	Least   traverse.Min[float64]
	Sources traverse.Or[uint64]
}

// Edge lets the target through if it is reached now.
func (r *Sweep) Edge(e traverse.Edge) bool {
	r.Least.Add(float64(e.Weight))
	r.Sources.Add(1 << (e.Source & 63))
	if atomics.Load(&r.Depth[e.Target]) >= 0 || !atomics.CompareAndSwap(&r.Depth[e.Target], -1, e.Level) {
		return false
	}
	r.Found.Add(1)
	r.Last.Add(int64(e.Target))
	return true
}

// Spans measures edges by the numbers of their ends.
//
//foray:functor
type Spans struct {
	Scale []float64 // of every vertex
	Sum   traverse.Sum[int64]
	Least traverse.Min[int64]
	Most  traverse.Max[float64]
}

// Edge measures an edge.
func (s *Spans) Edge(e traverse.Edge) {
	d := int64(e.Target) - int64(e.Source)
	s.Sum.Add(d)
	s.note(d)
	s.Most.Add(s.Scale[e.Source] * float64(d))
}

func (s *Spans) note(d int64) { s.Least.Add(d) }

// Values looks at a value of every vertex, and returns it.
//
//foray:functor
type Values struct {
	Value []float64 // of every vertex
	Some  traverse.Sum[uint64]
	Least traverse.Min[float64]
	Most  traverse.Max[float64]
}

// Vertex returns a vertex's value.
func (x *Values) Vertex(v traverse.Vertex) float64 {
	y := x.Value[v.ID]
	if y > 0 {
		x.Some.Add(2)
	}
	x.Least.Add(y)
	x.Most.Add(y)
	return y
}

// Odd keeps the vertices whose value is odd.
//
//foray:functor
type Odd struct {
	Value []uint32 // of every vertex
	Even  traverse.Sum[uint64]
	Bits  traverse.Or[int64]
}

// Vertex keeps a vertex.
func (o *Odd) Vertex(v traverse.Vertex) bool {
	y := o.Value[v.ID]
	o.Bits.Add(int64(y))
	if y&1 == 0 {
		o.Even.Add(1)
		return false
	}
	return true
}

// Weigh sums the weights of vertices' in-edges, counts all edges, and finds the largest sum.
//
//foray:functor
type Weigh struct {
	Sums  []float32 // of every vertex
	Edges traverse.Sum[uint64]
	Most  traverse.Max[float64]
}

// Gather returns an edge's weight.
func (w *Weigh) Gather(e traverse.Edge) float32 {
	w.Edges.Add(1)
	return e.Weight
}

// Apply keeps a vertex's sum, and returns 1.
func (w *Weigh) Apply(v traverse.Vertex, total float32) uint64 {
	w.Sums[v.ID] = total
	w.Most.Add(float64(total))
	return 1
}

// Foster finds parents, but none whose number is 1 more than a multiple of 3. It counts what it
// was asked, and finds the largest parent.
//
//foray:functor
type Foster struct {
	Parent []uint32 // of every vertex
	Asked  traverse.Sum[uint64]
	Most   traverse.Max[int64]
}

// Hit takes the source as the target's parent.
func (f *Foster) Hit(e traverse.Edge) bool {
	f.Asked.Add(1)
	if e.Source%3 == 1 {
		return false
	}
	f.Parent[e.Target] = e.Source
	f.Most.Add(int64(e.Source))
	return true
}

// Extent finds the minimum and maximum of values of either type, and counts the vertices.
//
//foray:functor
type Extent[T int64 | float64] struct {
	Value []T // of every vertex
	Least traverse.Min[T]
	Most  traverse.Max[float64]
	Count traverse.Sum[uint64]
}

// Vertex looks at a vertex.
func (x *Extent[T]) Vertex(v traverse.Vertex) {
	x.Least.Add(x.Value[v.ID])
	x.Most.Add(float64(x.Value[v.ID]))
	x.Count.Add(1)
}

// Spread finds the vertices that are so many hops away, and counts the edges that it looked at
// and the vertices that it found.
//
//foray:functor
type Spread struct {
	Depth  []int32 // of every vertex; -1: not reached
	Looked traverse.Sum[uint64]
	Found  traverse.Sum[uint64]
}

// Edge lets the target through if it is reached now.
func (s *Spread) Edge(e traverse.Edge) bool {
	s.Looked.Add(1)
	if !atomics.CompareAndSwap(&s.Depth[e.Target], -1, e.Level) {
		return false
	}
	s.Found.Add(1)
	return true
}

// Later is a push with two piles: it relaxes by whole numbers, and finds the largest sum and
// the least source.
//
//foray:functor
type Later struct {
	Dist  []uint32 // of every vertex
	Width uint32   // of a stage
	Most  traverse.Max[uint64]
	Least traverse.Min[int64]
}

// Edge says when the target is due, if it got nearer.
func (l *Later) Edge(e traverse.Edge) uint32 {
	d := l.Dist[e.Source] + uint32(e.Weight)
	l.Most.Add(uint64(d))
	l.Least.Add(int64(e.Source))
	if d >= atomics.Min(&l.Dist[e.Target], d) {
		return pile.Never
	}
	return d / l.Width
}

// Vertex says when a vertex is due.
func (l *Later) Vertex(v traverse.Vertex) uint32 { return l.Dist[v.ID] / l.Width }

// Lowest gathers the least value of in-neighbors.
//
//foray:functor
type Lowest[T float32 | float64] struct {
	Value, Out []T // of every vertex
}

// Gather returns the value of a neighbor.
//
//foray:reduce min
func (l *Lowest[T]) Gather(e traverse.Edge) T { return l.Value[e.Source] }

// Apply keeps the least, and returns the vertex's own value.
func (l *Lowest[T]) Apply(v traverse.Vertex, least T) float64 {
	l.Out[v.ID] = least
	return float64(l.Value[v.ID])
}

// Highest is Lowest of the greatest.
//
//foray:functor
type Highest[T float32 | float64] struct {
	Value, Out []T // of every vertex
}

// Gather returns the value of a neighbor.
//
//foray:reduce max
func (h *Highest[T]) Gather(e traverse.Edge) T { return h.Value[e.Source] }

// Apply keeps the greatest, and returns the vertex's own value.
func (h *Highest[T]) Apply(v traverse.Vertex, greatest T) float64 {
	h.Out[v.ID] = greatest
	return float64(h.Value[v.ID])
}

// Mill has a loop that takes hours.
//
//foray:functor
type Mill struct {
	Value []uint64 // of every vertex
}

// Vertex grinds.
func (m *Mill) Vertex(v traverse.Vertex) {
	n := m.Value[v.ID]
	for range uint64(1) << 20 {
		for i := range uint64(1) << 20 {
			n = n*31 + i
		}
	}
	m.Value[v.ID] = n
}
