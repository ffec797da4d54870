// This file holds what happens at a triangle, an edge and a vertex.

package ktruss

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// leaving marks the trussness of an edge that leaves in this round. An edge that remains has a trussness of 0.
const leaving = 1 << 31

// support counts triangles at their three edges.
//
//foray:functor
type support struct{ Support []uint32 } // of every edge

// Common counts a triangle.
func (f *support) Common(c traverse.Corner) {
	atomics.Add(&f.Support[c.AB], 1)
	atomics.Add(&f.Support[c.AC], 1)
	atomics.Add(&f.Support[c.BC], 1)
}

// number notes, at both directions of an edge, the number of the direction from the larger vertex, which stands for the edge.
//
//foray:functor
type number struct {
	Offsets []uint64
	Targets []uint32
	Number  []uint32 // of every direction
	Left    []uint32 // of every vertex: edges to smaller ones
}

// Edge looks for the other direction.
//
//foray:disjoint
func (f *number) Edge(e traverse.Edge) {
	if e.Source <= e.Target {
		return
	}
	at := seek(f.Targets, f.Offsets[e.Target], f.Offsets[e.Target+1], e.Source)
	f.Number[e.Index], f.Number[at] = uint32(e.Index), uint32(e.Index)
	atomics.Add(&f.Left[e.Source], 1)
}

// seek returns the place of the first target from v on, or the end.
func seek(targets []uint32, from, to uint64, v uint32) uint64 {
	for range 33 {
		if from >= to {
			break
		}
		if middle := (from + to) / 2; targets[middle] < v {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}

// due lets edges leave that have at most K triangles. K rises to Before, the least number of the round before, in which no
// edge left if that is more than K.
//
//foray:functor
type due struct {
	Offsets        []uint64
	Support, Truss []uint32
	Left           []uint32
	Count, List    []uint32 // of every vertex: how many of its edges to smaller ones leave, and which, in the places of its row
	K, Before      []uint64 // one element
	Least          traverse.Min[uint64]
}

// Edge looks at an edge from its larger end.
//
//foray:disjoint
func (f *due) Edge(e traverse.Edge) {
	if e.Source <= e.Target {
		return
	}
	switch truss := f.Truss[e.Index]; {
	case truss >= leaving:
		f.Truss[e.Index] = truss - leaving
		atomics.Add(&f.Left[e.Source], ^uint32(0))
	case truss == 0:
		k, before, own := atomics.Load(&f.K[0]), f.Before[0], uint64(f.Support[e.Index])
		if k < before {
			atomics.Max(&f.K[0], before)
			k = before
		}
		f.Least.Add(own)
		if own <= k {
			f.Truss[e.Index] = (uint32(k) + 2) | leaving
			f.List[f.Offsets[e.Source]+uint64(atomics.Add(&f.Count[e.Source], 1))] = uint32(e.Index)
		}
	}
}

// peel takes the triangles of edges that leave away from edges that stay.
//
//foray:functor
type peel struct {
	Offsets        []uint64
	Targets        []uint32
	Number         []uint32
	Count, List    []uint32
	Support, Truss []uint32
}

// Edge looks at the triangles of the edge and of each edge that leaves at its source. If two edges of a triangle leave in the same
// round, the one of the smaller number takes it away from the third edge.
func (f *peel) Edge(e traverse.Edge) {
	count := f.Count[e.Source]
	if count == 0 {
		return
	}
	a := f.Number[e.Index]
	first := f.Truss[a]
	if first != 0 && first < leaving {
		return
	}
	begin, w := f.Offsets[e.Source], e.Target
	for i := uint32(0); i < count; i++ {
		own := f.List[begin+uint64(i)]
		if own == a {
			continue
		}
		v := f.Targets[own]
		from, to := max(v, w), min(v, w)
		end := f.Offsets[from+1]
		at := seek(f.Targets, f.Offsets[from], end, to)
		if at >= end || f.Targets[at] != to {
			continue
		}
		b := uint32(at)
		second := f.Truss[b]
		if second != 0 && second < leaving {
			continue
		}
		if first == 0 && (second == 0 || own < b) {
			atomics.Add(&f.Support[a], ^uint32(0))
		}
		if second == 0 && (first == 0 || own < a) {
			atomics.Add(&f.Support[b], ^uint32(0))
		}
	}
}

// remains keeps vertices that have edges to smaller ones.
//
//foray:functor
type remains struct{ Left, Count []uint32 }

// Vertex looks at the number of edges.
func (f *remains) Vertex(v traverse.Vertex) bool {
	f.Count[v.ID] = 0
	return f.Left[v.ID] != 0
}
