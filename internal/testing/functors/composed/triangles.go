// This file holds functors of triangles.

package composed

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// Supports counts triangles: by vertex, by edge, and all.
//
//foray:functor
type Supports struct {
	Of       []uint32 // of every vertex
	Edges    []uint32 // of every edge
	Corners  traverse.Sum[uint64]
	Vertices traverse.Sum[uint64] // of the numbers of the corners, and of the edges
	Last     traverse.Max[uint64] // edge
}

// Common counts a triangle.
func (f *Supports) Common(c traverse.Corner) {
	atomics.Add(&f.Of[c.A], 1)
	atomics.Add(&f.Of[c.B], 1)
	atomics.Add(&f.Of[c.C], 1)
	atomics.Add(&f.Edges[c.AB], 1)
	atomics.Add(&f.Edges[c.AC], 1)
	atomics.Add(&f.Edges[c.BC], 1)
	f.Corners.Add(1)
	f.Vertices.Add(uint64(c.A) + 3*uint64(c.B) + 5*uint64(c.C) + 7*c.AB + 11*c.AC + 13*c.BC)
	f.Last.Add(max(c.AB, c.AC, c.BC))
}

// Some finds the first triangles of every edge, of edges that aren't heavy.
//
//foray:functor
type Some struct {
	Found []uint32 // of every edge: how many triangles
	Third []uint32 // of every edge: the last one's third vertex
	Least float32  // weight of edges that count
	Most  uint32   // triangles of an edge
}

// Edge leaves out light edges, and odd numbers of round 1.
func (f *Some) Edge(e traverse.Edge) bool {
	return e.Weight >= f.Least && e.Source+e.Target != uint32(e.Level)
}

// Common counts up to some triangles of an edge.
func (f *Some) Common(c traverse.Corner) bool {
	if c.C == 3 {
		return true
	}
	f.Found[c.AB]++
	f.Third[c.AB] = c.C
	return f.Found[c.AB] < f.Most
}

// Thirds counts triangles by their third vertex, in either type. If By isn't 0, it may fault.
//
//foray:functor
type Thirds[T uint32 | uint64] struct {
	Of []T
	By uint32
}

// Common counts a triangle.
func (f *Thirds[T]) Common(c traverse.Corner) { atomics.Add(&f.Of[c.C+f.By], T(1)) }
