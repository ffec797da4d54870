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
// which is smaller. Labels never grow along a path, so that no cycle comes about. It returns a vertex
// of the tree that both are in then, most often its root.
//
// On the way up each vertex whose parent isn't a root gets that one's parent: on lattices paths would
// be hundreds of vertices long, as roots hook onto their neighbors at the same time.
func link(label []uint32, a, b uint32) uint32 {
	p, q := label[a], label[b]
	for range 2 * len(label) { // each turn lowers the larger of p and q
		if p == q {
			break
		}
		high, low := max(p, q), min(p, q)
		up := atomics.Load(&label[high])
		if up == low {
			return low
		}
		if up == high {
			if atomics.CompareAndSwap(&label[high], high, low) {
				return low
			}
			up = atomics.Load(&label[high])
		}
		over := atomics.Load(&label[up])
		if over != up {
			atomics.Store(&label[high], over)
		}
		p, q = over, label[low]
	}
	return p
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

// follow starts the trees: a vertex becomes the child of its first neighbor if that is smaller. If
// vertices are numbered by degree, that is the neighbor of largest degree, and few trees result.
//
//foray:functor
type follow struct {
	First []uint32 // of every vertex
	Label []uint32 // of every vertex: its parent in a tree, or one further up; itself at a root
	Lone  uint32   // the vertices from this one on have no edges
}

// Vertex goes some steps up. It keeps the roots that have neighbors.
func (f *follow) Vertex(v traverse.Vertex) bool {
	if v.ID >= f.Lone {
		f.Label[v.ID] = v.ID
		return false
	}
	up := v.ID
	next := f.First[up]
	alone := next == up
	for range hops {
		if next >= up {
			break
		}
		up = next
		next = f.First[up]
	}
	f.Label[v.ID] = up
	return up == v.ID && !alone
}

// least hooks the tree that a vertex is in onto the smallest one that some of the vertex' neighbors
// are in. If several threads hook the same tree, one of them wins: none waits, and the others are
// linked later.
//
//foray:functor
type least struct {
	Label   []uint32 // two steps lead to the root
	Offsets []uint64
	Targets []uint32
}

// Vertex is of those that were roots.
func (f *least) Vertex(v traverse.Vertex) {
	root := f.Label[v.ID]
	low := root
	from, to := f.Offsets[v.ID], f.Offsets[int(v.ID)+1]
	for i := from; i < min(to, from+looks); i++ {
		low = min(low, f.Label[f.Label[f.Targets[i]]])
	}
	if low < root {
		atomics.Min(&f.Label[root], low)
	}
}

// shorten makes trees stars.
//
//foray:functor
type shorten struct {
	Label []uint32
}

// Vertex climbs.
func (f *shorten) Vertex(v traverse.Vertex) { climb(f.Label, v.ID) }

// join links the roots that follow left to some of their neighbors and, where there are many, all
// other vertices to the second of theirs.
//
//foray:functor
type join struct {
	First   []uint32
	Label   []uint32
	Offsets []uint64
	Targets []uint32
}

// Vertex links a vertex.
func (f *join) Vertex(v traverse.Vertex) {
	skip, most := uint64(0), uint64(looks)
	if f.First[v.ID] < v.ID {
		skip, most = 1, 1
	}
	from, to := f.Offsets[v.ID]+skip, f.Offsets[int(v.ID)+1]
	for i := from; i < min(to, from+most); i++ {
		link(f.Label, v.ID, f.Targets[i])
	}
}

// across links the vertices whose neighbors are in other tiles of vertices.
//
//foray:functor
type across struct {
	Label   []uint32
	Offsets []uint64
	Targets []uint32
	Shift   uint32 // a tile has 1<<Shift vertices
}

// Vertex links a vertex.
func (f *across) Vertex(v traverse.Vertex) {
	from, to := f.Offsets[v.ID], f.Offsets[int(v.ID)+1]
	for i := from; i < min(to, from+looks); i++ {
		if u := f.Targets[i]; u < v.ID && u>>f.Shift != v.ID>>f.Shift {
			link(f.Label, v.ID, u)
		}
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

// outside links the vertices that aren't in a vertex' tree to their neighbors.
//
//foray:functor
type outside struct {
	Label   []uint32
	Offsets []uint64
	Targets []uint32
	Least   []uint32 // begins where a vertex is outside
	Of      uint32   // the vertex
	Lone    uint32   // the vertices from this one on have no edges: nothing begins there
}

// Vertex ends once the vertex is in that tree: vertices outside it visit the edges between them. It
// keeps those that are still outside and have more edges than one thread is to look at.
func (f *outside) Vertex(v traverse.Vertex) bool {
	if v.ID >= f.Lone {
		return false
	}
	giant := climb(f.Label, f.Of)
	if climb(f.Label, v.ID) == giant {
		return false
	}
	f.Least[v.ID] = graph.NoVertex
	from, to := f.Offsets[v.ID], f.Offsets[int(v.ID)+1]
	for i := from; i < min(to, from+short); i++ {
		if link(f.Label, v.ID, f.Targets[i]) == giant {
			return false
		}
	}
	return from+short < to
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

// settle counts components, and names their vertices by their roots. It shortens the ways of the roots of
// tiles only, which are few, so that hardly a store is atomic.
//
//foray:functor
type settle struct {
	Label []uint32
	Named []uint32
}

// Vertex is 1 at a root.
func (f *settle) Vertex(v traverse.Vertex) uint64 {
	root := climb(f.Label, f.Label[v.ID])
	f.Named[v.ID] = root
	if root == v.ID {
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
	Lone  uint32   // the vertices from this one on have no edges
}

// Vertex brings its own rank. That of the vertices in Of's component, which may be nearly all, is
// what it returns.
func (f *first) Vertex(v traverse.Vertex) uint64 {
	if v.ID >= f.Lone {
		return math.MaxUint64
	}
	rank := f.Rank[v.ID] // loaded while the labels are
	root := climb(f.Label, v.ID)
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
	Lone  uint32 // the vertices from this one on have no edges
	Named []uint32
}

// Vertex looks its root's up. It is 1 at a root.
func (f *name) Vertex(v traverse.Vertex) uint64 {
	if v.ID >= f.Lone {
		f.Named[v.ID] = v.ID
		return 1
	}
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
