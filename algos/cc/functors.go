// This file holds what happens at an edge and at a vertex.

package cc

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/graph"
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

// climb returns the root of a vertex' tree, and makes it the vertex' parent. On the way the vertex
// gets parents that are ever higher up: those below it, which climb at the same time, jump with it.
// On a GPU nearly all vertices look at the same few roots: plain loads take these from the cache of
// each multiprocessor, and an older parent is one, too.
func climb(label []uint32, v uint32) uint32 {
	up := label[v]
	root := label[up]
	for range label {
		if up == root {
			break
		}
		atomics.Store(&label[v], root)
		up, root = root, label[root]
	}
	return root
}

// follow begins the trees: a vertex hangs below its first neighbour where that is smaller. Of
// vertices by degree that is the neighbour with the most neighbours, and few trees come of it.
//
//foray:functor
type follow struct {
	First   []uint32 // of every vertex
	Label   []uint32 // of every vertex: its parent in a tree, or one further up; itself at a root
	Offsets []uint64
}

// Vertex goes some steps up. It keeps the roots that have neighbours.
func (f *follow) Vertex(v traverse.Vertex) bool {
	up := v.ID
	for range hops {
		next := f.First[up]
		if next >= up {
			break
		}
		up = next
	}
	f.Label[v.ID] = up
	return up == v.ID && f.Offsets[v.ID] < f.Offsets[int(v.ID)+1]
}

// join links the roots that follow left to some of their neighbours.
//
//foray:functor
type join struct {
	Label   []uint32
	Offsets []uint64
	Targets []uint32
}

// Vertex links a root.
func (f *join) Vertex(v traverse.Vertex) {
	from, to := f.Offsets[v.ID], f.Offsets[int(v.ID)+1]
	for i := from; i < min(to, from+looks); i++ {
		link(f.Label, v.ID, f.Targets[i])
	}
}

// shorten makes all trees stars.
//
//foray:functor
type shorten struct {
	Label []uint32
}

// Vertex climbs.
func (f *shorten) Vertex(v traverse.Vertex) { climb(f.Label, v.ID) }

// second links vertices to the second of their neighbours.
//
//foray:functor
type second struct {
	Label   []uint32
	Offsets []uint64
	Targets []uint32
}

// Vertex links the vertex.
func (f *second) Vertex(v traverse.Vertex) {
	if at := f.Offsets[v.ID] + 1; at < f.Offsets[int(v.ID)+1] {
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

// outside keeps the vertices that have edges and aren't in a vertex' tree.
//
//foray:functor
type outside struct {
	Label   []uint32
	Offsets []uint64
	Least   []uint32 // begins where a vertex is outside
	Of      uint32   // the vertex
}

// Vertex compares roots.
func (f *outside) Vertex(v traverse.Vertex) bool {
	if climb(f.Label, v.ID) == climb(f.Label, f.Of) {
		return false
	}
	f.Least[v.ID] = graph.NoVertex
	return f.Offsets[v.ID] < f.Offsets[int(v.ID)+1]
}

// roots counts components, and makes all trees stars.
//
//foray:functor
type roots struct {
	Label []uint32
}

// Vertex is 1 at a root.
func (f *roots) Vertex(v traverse.Vertex) uint64 {
	if climb(f.Label, v.ID) == v.ID {
		return 1
	}
	return 0
}

// first finds the least rank in each component, and makes all trees stars.
//
//foray:functor
type first struct {
	Label []uint32
	Rank  []uint32 // of every vertex' id
	Least []uint32 // of every root, not its own
	Of    uint32   // a vertex
}

// Vertex brings its own rank. That of the vertices in Of's component, which may be nearly all, is
// what it returns.
func (f *first) Vertex(v traverse.Vertex) uint64 {
	root, rank := climb(f.Label, v.ID), f.Rank[v.ID]
	if root == climb(f.Label, f.Of) {
		return uint64(rank)
	}
	if root != v.ID && rank < f.Least[root] {
		atomics.Min(&f.Least[root], rank)
	}
	return math.MaxUint64
}

// name gives vertices the vertex whose id is the least of their component's.
//
//foray:functor
type name struct {
	Label []uint32
	Rank  []uint32
	Least []uint32
	ByID  []uint32 // the vertex of every rank
	Giant []uint64 // the least rank of Of's component
	Of    uint32
	Named []uint32
}

// Vertex looks its root's up. It is 1 at a root.
func (f *name) Vertex(v traverse.Vertex) uint64 {
	root := f.Label[v.ID]
	named := root
	if root == f.Label[f.Of] {
		named = f.ByID[f.Giant[0]]
	} else if least := f.Least[root]; least != graph.NoVertex { // else the root is alone
		named = f.ByID[min(least, f.Rank[root])]
	}
	f.Named[v.ID] = named
	if root == v.ID {
		return 1
	}
	return 0
}
