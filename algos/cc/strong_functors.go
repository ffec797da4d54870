// This file holds what happens at edges and vertices while strongly connected components are found.

package cc

import (
	"math"
	"math/bits"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/traverse"
)

// ends keeps vertices that no edge leads to; each is a component.
//
//foray:functor
type ends struct {
	Left      []uint32 // edges that lead to a vertex
	Component []uint32
}

// Vertex looks whether any are left.
func (f *ends) Vertex(v traverse.Vertex) bool {
	if f.Left[v.ID] != 0 || f.Component[v.ID] != graph.NoVertex {
		return false
	}
	f.Component[v.ID] = v.ID
	return true
}

// take copies a number of every vertex.
//
//foray:functor
type take struct{ From, To []uint32 }

// Vertex copies its own.
func (f *take) Vertex(v traverse.Vertex) { f.To[v.ID] = f.From[v.ID] }

// peel takes edges away whose source is a component alone.
//
//foray:functor
type peel struct {
	Left      []uint32
	Component []uint32
}

// Edge lets a target through whose last edge it was.
//
//foray:unique
func (f *peel) Edge(e traverse.Edge) bool {
	if atomics.Load(&f.Component[e.Target]) != graph.NoVertex || atomics.Add(&f.Left[e.Target], math.MaxUint32) != 1 {
		return false
	}
	atomics.Store(&f.Component[e.Target], e.Target)
	return true
}

// busiest finds a vertex with many edges in both directions.
//
//foray:functor
type busiest struct {
	In, Out   []uint32
	Component []uint32
	Best      traverse.Max[uint64]
}

// Vertex brings the lesser of the degrees, and the vertex.
func (f *busiest) Vertex(v traverse.Vertex) {
	if f.Component[v.ID] == graph.NoVertex {
		f.Best.Add(uint64(min(f.In[v.ID], f.Out[v.ID]))<<32 | uint64(v.ID))
	}
}

// reach marks what can be reached, among the vertices without a component.
//
//foray:functor
type reach struct {
	Component []uint32
	Mark      []uint32 // 0: not reached
}

// Edge lets a target through that wasn't reached.
func (f *reach) Edge(e traverse.Edge) bool {
	return f.Component[e.Target] == graph.NoVertex && f.Mark[e.Target] == 0 && atomics.Exchange(&f.Mark[e.Target], 1) == 0
}

// both makes what was reached in both directions a component.
//
//foray:functor
type both struct {
	Ahead, Back []uint32
	Component   []uint32
	Root        uint32
}

// Vertex looks at both marks.
func (f *both) Vertex(v traverse.Vertex) {
	if f.Ahead[v.ID] != 0 && f.Back[v.ID] != 0 {
		f.Component[v.ID] = f.Root
	}
}

// left keeps the vertices without a component, and gives them their own color.
//
//foray:functor
type left struct {
	Component []uint32
	Color     []uint32
}

// Vertex colors what it keeps.
func (f *left) Vertex(v traverse.Vertex) bool {
	if f.Component[v.ID] != graph.NoVertex {
		return false
	}
	f.Color[v.ID] = color(v.ID)
	return true
}

// color is a vertex' own color. No two have the same. The order of colors is none that a graph
// is likely to have: a chain of components whose colors fall would be found one by one.
func color(v uint32) uint32 {
	v *= 0x9e3779b1
	v ^= v >> 15
	return bits.ReverseBytes32(v * 0x85ebca6b)
}

// spread colors targets with the largest color that reaches them.
//
//foray:functor
type spread struct {
	Component []uint32
	Color     []uint32
}

// Edge lets a target through whose color got larger.
func (f *spread) Edge(e traverse.Edge) bool {
	if f.Component[e.Target] != graph.NoVertex {
		return false
	}
	c := atomics.Load(&f.Color[e.Source])
	return c > atomics.Max(&f.Color[e.Target], c)
}

// origins keeps the vertices whose own color is the one that they have; each begins a component.
//
//foray:functor
type origins struct {
	Component []uint32
	Color     []uint32
}

// Vertex compares colors.
func (f *origins) Vertex(v traverse.Vertex) bool {
	if f.Component[v.ID] != graph.NoVertex || f.Color[v.ID] != color(v.ID) {
		return false
	}
	f.Component[v.ID] = v.ID
	return true
}

// gather takes vertices of the same color into the component. It goes along edges backwards.
//
//foray:functor
type gather struct {
	Component []uint32
	Color     []uint32
}

// Edge lets a target through that is taken in.
func (f *gather) Edge(e traverse.Edge) bool {
	return atomics.Load(&f.Component[e.Target]) == graph.NoVertex && f.Color[e.Target] == f.Color[e.Source] &&
		atomics.CompareAndSwap(&f.Component[e.Target], graph.NoVertex, atomics.Load(&f.Component[e.Source]))
}
