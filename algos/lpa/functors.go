// This file holds the functors.

package lpa

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// take takes over the labels that were found.
//
//foray:functor
type take struct{ Label, Next []uint32 }

func (f *take) Vertex(v traverse.Vertex) { f.Label[v.ID] = f.Next[v.ID] }

// mark marks the labels that vertices have.
//
//foray:functor
type mark struct{ Label, Used []uint32 }

func (f *mark) Vertex(v traverse.Vertex) { atomics.Store(&f.Used[f.Label[v.ID]], 1) }

// name counts the labels that were marked, and makes labels, ranks of ids, vertices.
//
//foray:functor
type name struct{ Label, Used, Vertices []uint32 }

func (f *name) Vertex(v traverse.Vertex) uint64 {
	f.Label[v.ID] = f.Vertices[f.Label[v.ID]]
	return uint64(f.Used[v.ID])
}

// none is a slot of a table that is free.
const none = graph.NoVertex

// tally counts the labels of the neighbours of all vertices, each in a table of its own: twice as
// many slots as the vertex has edges, of open addressing.
//
//foray:functor
type tally struct {
	Label       []uint32
	Start       []uint64 // of every vertex' table, and the end of the last
	Keys, Count []uint32 // of slots
	Both        bool     // an edge counts at both ends: the graph is directed
}

func (f *tally) Edge(e traverse.Edge) {
	f.count(e.Source, f.Label[e.Target])
	if f.Both {
		f.count(e.Target, f.Label[e.Source])
	}
}

func (f *tally) count(v, label uint32) {
	first := f.Start[v]
	room := f.Start[uint64(v)+1] - first
	at := uint64(label*0x9e3779b1) % room
	for range room {
		i := first + at
		key := atomics.Load(&f.Keys[i])
		if key == none {
			if atomics.CompareAndSwap(&f.Keys[i], none, label) {
				key = label
			} else {
				key = atomics.Load(&f.Keys[i])
			}
		}
		if key == label {
			atomics.Add(&f.Count[i], 1)
			return
		}
		if at++; at == room {
			at = 0
		}
	}
}

// best finds the label that was counted most often, the smallest of several, in the first
// part of each table: the two slots of each out-edge. It empties them.
//
//foray:functor
type best struct {
	Start, Offsets []uint64
	Keys, Count    []uint32
	Best           []uint64 // of every vertex: how often, and the label's complement
}

//foray:reduce max
func (f *best) Gather(e traverse.Edge) uint64 {
	i := f.Start[e.Source] + 2*(e.Index-f.Offsets[e.Source])
	return max(emptied(f.Keys, f.Count, i), emptied(f.Keys, f.Count, i+1))
}

func (f *best) Apply(v traverse.Vertex, most uint64) { f.Best[v.ID] = most }

// bestIn is best in the rest of each table, of which each in-edge has two slots.
//
//foray:functor
type bestIn struct {
	Start, Offsets []uint64
	Keys, Count    []uint32
	Best           []uint64
}

//foray:reduce max
func (f *bestIn) Gather(e traverse.Edge) uint64 {
	// Row v of the in-edges begins at Start[v]/2 - Offsets[v], its slots behind those of the
	// out-edges: v's table has two slots for each edge before e, of either direction.
	i := 2 * (f.Offsets[uint64(e.Target)+1] + e.Index)
	return max(emptied(f.Keys, f.Count, i), emptied(f.Keys, f.Count, i+1))
}

func (f *bestIn) Apply(v traverse.Vertex, most uint64) { f.Best[v.ID] = max(f.Best[v.ID], most) }

// emptied returns what was counted in a slot, and frees it.
func emptied(keys, count []uint32, i uint64) uint64 {
	x := uint64(count[i])<<32 | uint64(^keys[i])
	keys[i], count[i] = none, 0
	return x
}

// settle takes over the labels that best found, and counts those that differ.
//
//foray:functor
type settle struct {
	Label []uint32
	Best  []uint64
}

func (f *settle) Vertex(v traverse.Vertex) uint64 {
	best := f.Best[v.ID]
	label := ^uint32(best)
	if best>>32 == 0 || label == f.Label[v.ID] { // nobody is near
		return 0
	}
	f.Label[v.ID] = label
	return 1
}
