// This file holds the functors that join edges to components.

package bridges

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// A vertex that isn't a root stands for the edge of the forest to its parent.

// link joins the trees that two vertices are in: the larger root hooks onto the smaller one.
func link(label []uint32, a, b uint32) {
	p, q := climb(label, a), climb(label, b)
	for range 2 * len(label) { // each turn lowers one of them
		if p == q {
			break
		}
		high, low := max(p, q), min(p, q)
		if atomics.CompareAndSwap(&label[high], high, low) {
			break
		}
		p, q = climb(label, high), climb(label, low)
	}
}

// climb returns the root of a vertex' tree, and halves the way to it.
func climb(label []uint32, v uint32) uint32 {
	at := v
	up := atomics.Load(&label[at])
	for range label {
		over := atomics.Load(&label[up])
		if over == up {
			break
		}
		atomics.Store(&label[at], over)
		at = over
		up = atomics.Load(&label[at])
	}
	return up
}

// within returns the least and the largest slot that edges outside the forest lead to from the slots from first to last.
func within(lows, highs []uint32, slots, first, last uint32) (low, high uint32) {
	low, high = none, 0
	lo, hi := uint64(slots)+uint64(first), uint64(slots)+uint64(last)+1
	for range 33 {
		if lo >= hi {
			break
		}
		if lo&1 == 1 {
			low, high = min(low, lows[lo]), max(high, highs[lo])
			lo++
		}
		if hi&1 == 1 {
			hi--
			low, high = min(low, lows[hi]), max(high, highs[hi])
		}
		lo, hi = lo/2, hi/2
	}
	return low, high
}

// above joins the edges from a vertex to its parent and from the parent to the grandparent, if an edge outside the forest
// leads from the vertex or a descendant to a vertex that is neither the parent nor its descendant (Tarjan and Vishkin, rule 2).
//
//foray:functor
type above struct {
	Low, High, Slot, Last, Parent, Label []uint32
	Lone                                 []uint32 // of every vertex: 1 if the edge to the parent is a bridge
	Slots                                uint32
}

// Vertex is 1 for a bridge: no other edge joins the vertex and its descendants with the rest.
func (f *above) Vertex(v traverse.Vertex) uint64 {
	parent := f.Parent[v.ID]
	if parent == none {
		return 0
	}
	low, high := within(f.Low, f.High, f.Slots, f.Slot[v.ID], f.Last[v.ID])
	if f.Parent[parent] != none && (low < f.Slot[parent] || high > f.Last[parent]) {
		link(f.Label, v.ID, parent)
	}
	if low < f.Slot[v.ID] || high > f.Last[v.ID] {
		return 0
	}
	f.Lone[v.ID] = 1
	return 1
}

// beside joins the edges to the parents of the ends of an edge outside the forest, if neither end is below the other
// one (rule 1).
//
//foray:functor
type beside struct{ Slot, Last, Label []uint32 }

func (f *beside) Edge(e traverse.Edge) {
	if f.Last[e.Source] < f.Slot[e.Target] {
		link(f.Label, e.Source, e.Target)
	}
}

// settle finds the least rank in each component, and counts components.
//
//foray:functor
type settle struct {
	Label, Parent, Rank []uint32
	Lowest              []uint32 // of every root
}

// Vertex is 1 at a root.
func (f *settle) Vertex(v traverse.Vertex) uint64 {
	if f.Parent[v.ID] == none {
		return 0
	}
	root := climb(f.Label, v.ID)
	atomics.Min(&f.Lowest[root], f.Rank[v.ID])
	if root == v.ID {
		return 1
	}
	return 0
}

// name gives edges of the forest the vertex of least rank in their component.
//
//foray:functor
type name struct {
	Label, Parent, Rank, Lowest []uint32
	Named                       []uint32 // of every root
}

func (f *name) Vertex(v traverse.Vertex) {
	if f.Parent[v.ID] == none {
		return
	}
	if root := climb(f.Label, v.ID); f.Lowest[root] == f.Rank[v.ID] {
		atomics.Store(&f.Named[root], v.ID)
	}
}

// mark writes what edges are, in the direction from the larger to the smaller vertex.
//
//foray:functor
type mark struct {
	Slot, Label, Named, Lone []uint32
	Component, Bridge        []uint32 // of every edge
}

// Edge takes what the edge to the parent of the end with the larger slot is.
func (f *mark) Edge(e traverse.Edge) {
	if e.Source < e.Target {
		return
	}
	low := e.Source
	if f.Slot[e.Target] > f.Slot[low] {
		low = e.Target
	}
	f.Component[e.Index] = f.Named[climb(f.Label, low)]
	f.Bridge[e.Index] = f.Lone[low]
}

// below finds the least component of the edges to the children of each vertex.
//
//foray:functor
type below struct {
	Parent, Label []uint32
	Below         []uint32 // of every vertex
}

func (f *below) Vertex(v traverse.Vertex) {
	if parent := f.Parent[v.ID]; parent != none {
		atomics.Min(&f.Below[parent], climb(f.Label, v.ID))
	}
}

// meet finds the vertices where components meet.
//
//foray:functor
type meet struct {
	Parent, Label, Below []uint32
	Cut                  []uint32 // of every vertex
}

func (f *meet) Vertex(v traverse.Vertex) {
	parent := f.Parent[v.ID]
	if parent == none {
		return
	}
	other := f.Below[parent]
	if f.Parent[parent] != none {
		other = climb(f.Label, parent)
	}
	if climb(f.Label, v.ID) != other {
		atomics.Store(&f.Cut[parent], 1)
	}
}

// count counts marked vertices.
//
//foray:functor
type count struct{ Cut []uint32 }

func (f *count) Vertex(v traverse.Vertex) uint64 { return uint64(f.Cut[v.ID]) }
