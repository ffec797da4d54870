// This file holds what happens at an edge and at a vertex.

package cc

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// link joins the trees that two vertices are in: a root's label becomes that of the other root,
// which is smaller. Labels never grow, so that no cycle comes about.
func link(label []uint32, a, b uint32) {
	p, q := label[a], label[b]
	for range 2 * len(label) { // each turn lowers p or q
		if p == q {
			return
		}
		high, low := max(p, q), min(p, q)
		old := atomics.Load(&label[high])
		if old == low {
			return
		}
		if old == high && atomics.CompareAndSwap(&label[high], high, low) {
			return
		}
		p, q = label[old], label[low]
	}
}

// sample links every vertex to one neighbour, the Nth of its row.
//
//foray:functor
type sample struct {
	Label   []uint32 // of every vertex: its parent in a tree, itself at a root
	Offsets []uint64
	Targets []uint32
	Nth     uint64
}

// Vertex links the vertex.
func (f *sample) Vertex(v traverse.Vertex) {
	if at := f.Offsets[v.ID] + f.Nth; at < f.Offsets[int(v.ID)+1] {
		link(f.Label, v.ID, f.Targets[at])
	}
}

// hook links the ends of edges.
//
//foray:functor
type hook struct {
	Label []uint32
}

// Edge links its ends.
func (f *hook) Edge(e traverse.Edge) { link(f.Label, e.Source, e.Target) }

// compress makes all trees stars: every vertex has its root for a parent.
//
//foray:functor
type compress struct {
	Label []uint32
}

// Vertex looks for the root.
func (f *compress) Vertex(v traverse.Vertex) {
	up := f.Label[v.ID] // which nobody else writes
	root := atomics.Load(&f.Label[up])
	if up == root {
		return
	}
	for range f.Label {
		up, root = root, atomics.Load(&f.Label[root])
		if up == root {
			break
		}
	}
	atomics.Store(&f.Label[v.ID], root)
}

// outside keeps the vertices that aren't in a vertex' component, as far as that is known.
//
//foray:functor
type outside struct {
	Label []uint32
	Of    uint32 // the vertex
}

// Vertex compares labels.
func (f *outside) Vertex(v traverse.Vertex) bool { return f.Label[v.ID] != f.Label[f.Of] }

// roots counts components.
//
//foray:functor
type roots struct {
	Label []uint32
}

// Vertex is 1 at a root.
func (f *roots) Vertex(v traverse.Vertex) uint64 {
	if f.Label[v.ID] == v.ID {
		return 1
	}
	return 0
}

// first finds the least rank in each component.
//
//foray:functor
type first struct {
	Label []uint32
	Rank  []uint32 // of every vertex' id
	Least []uint32 // of every root
}

// Vertex brings its own rank.
func (f *first) Vertex(v traverse.Vertex) {
	root, rank := f.Label[v.ID], f.Rank[v.ID]
	if rank < f.Least[root] {
		atomics.Min(&f.Least[root], rank)
	}
}

// name gives vertices the vertex whose id is the least of their component's.
//
//foray:functor
type name struct {
	Label []uint32
	Least []uint32
	ByID  []uint32 // the vertex of every rank
	Named []uint32
}

// Vertex looks its root's up.
func (f *name) Vertex(v traverse.Vertex) { f.Named[v.ID] = f.ByID[f.Least[f.Label[v.ID]]] }
