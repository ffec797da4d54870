// This file holds what happens at an edge and at a vertex on several GPUs where all of them know trees of best
// neighbors. Numbers of vertices are the GPUs' own there; ranks and names are the graph's.

package cc

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/traverse"
)

// vertexOf returns the vertex of a number, and numberOf the number of a vertex (placed.Shards).
func vertexOf(number, devices, stride uint32) uint32 { return number%stride*devices + number/stride }

func numberOf(v, devices, stride uint32) uint32 { return v%devices*stride + v/devices }

// top returns the root of a vertex' tree, if it isn't far. The top of a vertex without neighbors is the vertex.
func top(parent []uint32, v uint32) uint32 {
	up := v
	for range deep {
		next := parent[up]
		if next == up || next == graph.NoVertex {
			break
		}
		up = next
	}
	return up
}

// nobody begins with no neighbors.
//
//foray:functor
type nobody struct {
	Best []uint32
}

// Vertex has none.
func (f *nobody) Vertex(v traverse.Vertex) { f.Best[v.ID] = graph.NoVertex }

// best finds the smallest neighbor.
//
//foray:functor
type best struct {
	Best            []uint32
	Devices, Stride uint32
}

// Gather is a neighbor.
//
//foray:reduce min
func (f *best) Gather(e traverse.Edge) uint32 {
	if e.Target == e.Source {
		return graph.NoVertex
	}
	return vertexOf(e.Target, f.Devices, f.Stride)
}

// Apply keeps the smallest.
func (f *best) Apply(v traverse.Vertex, least uint32) { f.Best[v.ID] = min(f.Best[v.ID], least) }

// bestIn is best for in-neighbors.
//
//foray:functor
type bestIn struct {
	Best            []uint32
	Devices, Stride uint32
}

// Gather is a neighbor.
//
//foray:reduce min
func (f *bestIn) Gather(e traverse.Edge) uint32 {
	if e.Target == e.Source {
		return graph.NoVertex
	}
	return vertexOf(e.Source, f.Devices, f.Stride)
}

// Apply keeps the smallest.
func (f *bestIn) Apply(v traverse.Vertex, least uint32) { f.Best[v.ID] = min(f.Best[v.ID], least) }

// hang makes trees of best neighbors.
//
//foray:functor
type hang struct {
	Best            []uint32 // of every vertex: the best neighbor, then the parent's number
	Devices, Stride uint32
}

// Vertex hangs below a smaller one.
func (f *hang) Vertex(v traverse.Vertex) {
	best := f.Best[v.ID]
	if best == graph.NoVertex {
		return
	}
	parent := v.ID
	if best < vertexOf(v.ID, f.Devices, f.Stride) {
		parent = numberOf(best, f.Devices, f.Stride)
	}
	f.Best[v.ID] = parent
}

// census counts the vertices outside of a vertex' tree, but for those without neighbors, and those far from their roots.
//
//foray:functor
type census struct {
	Parent []uint32
	Of     uint32
	Far    traverse.Sum[uint64]
}

// Vertex is 1 outside.
func (f *census) Vertex(v traverse.Vertex) uint64 {
	if f.Parent[v.ID] == graph.NoVertex {
		return 0
	}
	root, giant := top(f.Parent, v.ID), top(f.Parent, f.Of)
	if f.Parent[root] != root {
		f.Far.Add(1)
	}
	if root == giant {
		return 0
	}
	return 1
}

// astray finds the vertices outside of a vertex' tree, and the least rank in there.
//
//foray:functor
type astray struct {
	Parent []uint32
	Rank   []uint32 // of every vertex' id
	Of     uint32
	Least  traverse.Min[uint64]
}

// Vertex keeps those outside, but for those without neighbors.
func (f *astray) Vertex(v traverse.Vertex) bool {
	if f.Parent[v.ID] == graph.NoVertex {
		return false
	}
	if top(f.Parent, v.ID) != top(f.Parent, f.Of) {
		return true
	}
	f.Least.Add(uint64(f.Rank[v.ID]))
	return false
}

// longest finds the longest row.
//
//foray:functor
type longest struct{}

// Gather counts an edge.
//
//foray:reduce sum
func (*longest) Gather(traverse.Edge) uint32 { return 1 }

// Apply is how many there are.
func (*longest) Apply(_ traverse.Vertex, n uint32) uint64 { return uint64(n) }

// ownRank begins with what a vertex knows.
//
//foray:functor
type ownRank struct {
	Rank []uint32
	Low  []uint32 // of every vertex outside: the least rank that it has heard of, and 1; 0: it is in the largest tree's component
}

// Vertex knows its own rank.
func (f *ownRank) Vertex(v traverse.Vertex) { f.Low[v.ID] = f.Rank[v.ID] + 1 }

// known returns the rank that a vertex has received, from the array of vertices outside the tree.
func known(parent, low []uint32, v, of, more uint32) uint32 {
	if top(parent, v) == top(parent, of) {
		return 0
	}
	return low[v] + more
}

// hearRanks is ownRank, and a round of hear: all know all ranks.
//
//foray:functor
type hearRanks struct {
	Parent, Rank, Low []uint32
	Of                uint32
}

// Gather is what a neighbor knows.
//
//foray:reduce min
func (f *hearRanks) Gather(e traverse.Edge) uint32 { return known(f.Parent, f.Rank, e.Target, f.Of, 1) }

// Apply begins.
func (f *hearRanks) Apply(v traverse.Vertex, least uint32) { f.Low[v.ID] = min(f.Rank[v.ID]+1, least) }

// learn returns what a vertex knows that hears of least, and asks the vertex of the least rank so far.
func learn(low, byID []uint32, had, least, devices, stride uint32) uint32 {
	now := min(had, least)
	if now > 0 {
		now = min(now, low[numberOf(byID[now-1], devices, stride)])
	}
	return now
}

// hear brings vertices what their neighbors know, and gives them the name that follows.
//
//foray:functor
type hear struct {
	Parent, Rank, ByID, Low []uint32 // ByID has the vertex of every rank
	Of, Devices, Stride     uint32
	First, Name             uint32 // of the largest tree: the least rank, and the vertex that has it
	Named                   []uint32
}

// Gather is what a neighbor knows.
//
//foray:reduce min
func (f *hear) Gather(e traverse.Edge) uint32 { return known(f.Parent, f.Low, e.Target, f.Of, 0) }

// Apply is 1 where the name is the vertex' own, as it is once in each component, and heard more for who has heard
// something new, or has a lesser rank than the tree that it has joined.
func (f *hear) Apply(v traverse.Vertex, least uint32) uint64 {
	had := f.Low[v.ID]
	low := learn(f.Low, f.ByID, had, least, f.Devices, f.Stride)
	sum := uint64(0)
	if low != had {
		atomics.Store(&f.Low[v.ID], low) // its neighbors read it
		sum = heard
	}
	named := f.Name
	if low > 0 {
		named = f.ByID[low-1]
	} else if f.Rank[v.ID] < f.First {
		sum = heard
	}
	f.Named[v.ID] = named
	if named == vertexOf(v.ID, f.Devices, f.Stride) {
		sum++
	}
	return sum
}

// hearIn is hear for in-neighbors, without names.
//
//foray:functor
type hearIn struct {
	Parent, ByID, Low   []uint32
	Of, Devices, Stride uint32
}

// Gather is what a neighbor knows.
//
//foray:reduce min
func (f *hearIn) Gather(e traverse.Edge) uint32 { return known(f.Parent, f.Low, e.Source, f.Of, 0) }

// Apply returns heard for who has heard something new.
func (f *hearIn) Apply(v traverse.Vertex, least uint32) uint64 {
	had := f.Low[v.ID]
	low := learn(f.Low, f.ByID, had, least, f.Devices, f.Stride)
	if low == had {
		return 0
	}
	atomics.Store(&f.Low[v.ID], low)
	return heard
}

// joined finds the least rank of those that joined the largest tree.
//
//foray:functor
type joined struct {
	Low, Rank []uint32
}

// Vertex is its rank.
func (f *joined) Vertex(v traverse.Vertex) uint64 {
	if f.Low[v.ID] > 0 {
		return math.MaxUint64
	}
	return uint64(f.Rank[v.ID])
}

// called gives the vertices of a vertex' tree a name, and those without neighbors their own.
//
//foray:functor
type called struct {
	Parent                    []uint32
	Of, Name, Devices, Stride uint32
	Named                     []uint32
}

// Vertex is 1 where the name is the vertex' own, as it is once in each component.
func (f *called) Vertex(v traverse.Vertex) uint64 {
	named := vertexOf(v.ID, f.Devices, f.Stride)
	own := uint64(1)
	if f.Parent[v.ID] != graph.NoVertex {
		if top(f.Parent, v.ID) != top(f.Parent, f.Of) {
			return 0
		}
		if named != f.Name {
			own = 0
		}
		named = f.Name
	}
	f.Named[v.ID] = named
	return own
}
