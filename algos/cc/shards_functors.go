// This file holds what happens at an edge and at a vertex on several GPUs, where numbers of vertices are the
// GPUs' own.

package cc

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// alone makes every vertex a tree.
//
//foray:functor
type alone struct {
	Label, Least []uint32
}

// Vertex is its own root.
func (f *alone) Vertex(v traverse.Vertex) { f.Label[v.ID], f.Least[v.ID] = v.ID, ^uint32(0) }

// nearest hooks the tree that a vertex is in onto the least one that a neighbor is in. All vertices hang below
// roots.
//
//foray:functor
type nearest struct {
	Label []uint32
}

// Gather is where a neighbor hangs.
//
//foray:reduce min
func (f *nearest) Gather(e traverse.Edge) uint32 { return f.Label[e.Target] }

// Apply returns 1 where something changed.
func (f *nearest) Apply(v traverse.Vertex, least uint32) uint64 {
	root := f.Label[v.ID]
	if least >= root {
		return 0
	}
	atomics.Min(&f.Label[root], least)
	return 1
}

// either is nearest over edges that lead one way, of which it looks at both ends.
//
//foray:functor
type either struct {
	Label   []uint32
	Changed traverse.Sum[uint64]
}

// Gather hooks the target's tree, where that is the larger one.
//
//foray:reduce min
func (f *either) Gather(e traverse.Edge) uint32 {
	from := f.Label[e.Source]
	to := f.Label[e.Target]
	if from < to {
		f.Changed.Add(1)
		atomics.Min(&f.Label[to], from)
	}
	return to
}

// Apply hooks the vertex' tree.
func (f *either) Apply(v traverse.Vertex, least uint32) {
	root := f.Label[v.ID]
	if least < root {
		f.Changed.Add(1)
		atomics.Min(&f.Label[root], least)
	}
}

// up hangs vertices below their roots.
//
//foray:functor
type up struct {
	Label []uint32
}

// Vertex goes up to where a tree ends. Labels get smaller on the way.
func (f *up) Vertex(v traverse.Vertex) {
	label := f.Label[v.ID]
	root := f.Label[label]
	if root == label {
		return
	}
	for range f.Label {
		next := f.Label[root]
		if next == root {
			break
		}
		root = next
	}
	atomics.Store(&f.Label[v.ID], root) // others go up through it
}

// leastRank finds the least rank of an id in each component.
//
//foray:functor
type leastRank struct {
	Label, Rank []uint32
	Least       []uint32
}

// Vertex brings its own rank to its root, and is 1 at a root.
func (f *leastRank) Vertex(v traverse.Vertex) uint64 {
	root := f.Label[v.ID]
	rank := f.Rank[v.ID]
	if rank < atomics.Load(&f.Least[root]) {
		atomics.Min(&f.Least[root], rank)
	}
	if root == v.ID {
		return 1
	}
	return 0
}

// named gives vertices the vertex whose id is the least of their component's.
//
//foray:functor
type named struct {
	Label, Least []uint32
	ByID         []uint32 // the vertex of every rank
	Named        []uint32
}

// Vertex looks its root's up.
func (f *named) Vertex(v traverse.Vertex) { f.Named[v.ID] = f.ByID[f.Least[f.Label[v.ID]]] }
