// This file holds what happens at an edge and at a vertex.

package kcore

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/operators/pile"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// move copies an array.
//
//foray:functor
type move struct {
	From []uint32
	To   []uint32
}

// Vertex copies an entry.
func (f *move) Vertex(v traverse.Vertex) { f.To[v.ID] = f.From[v.ID] }

// joined copies degrees, and keeps the vertices that have edges.
//
//foray:functor
type joined struct {
	From   []uint32
	Degree []uint32
}

// Vertex looks at the degree.
func (f *joined) Vertex(v traverse.Vertex) bool {
	d := f.From[v.ID]
	f.Degree[v.ID] = d
	return d != 0
}

// due says at which stage a vertex leaves unless neighbors leave before: that of its degree.
//
//foray:functor
type due struct {
	Degree []uint32 // within the remaining graph
}

// Edge returns the stage of the target.
func (f *due) Edge(e traverse.Edge) uint32 { return f.Degree[e.Target] }

// Vertex runs at each vertex.
func (f *due) Vertex(v traverse.Vertex) uint32 { return f.Degree[v.ID] }

// dueAt keeps the vertices that leave when a stage begins. No vertex that is left has fewer neighbors.
//
//foray:functor
type dueAt struct {
	Degree []uint32 // within the remaining graph
	Stage  uint32
}

// Vertex looks at a vertex.
func (f *dueAt) Vertex(v traverse.Vertex) bool { return f.Degree[v.ID] == f.Stage }

// order notes whether somewhere a vertex has more neighbors than the one before it.
//
//foray:functor
type order struct {
	Degree []uint32
	Rises  []uint32 // one entry
}

// Vertex looks at a vertex and the one behind it.
func (f *order) Vertex(v traverse.Vertex) {
	if next := uint64(v.ID) + 1; next < uint64(len(f.Degree)) && f.Degree[next] > f.Degree[v.ID] {
		atomics.Store(&f.Rises[0], 1)
	}
}

// reach finds how many vertices have k neighbors at least, for every k, where the vertices are by
// descending degree. Those are the first ones.
//
//foray:functor
type reach struct {
	Degree []uint32
	Rises  []uint32
	Reach  []uint32 // of k; all vertices at first
}

// Vertex writes the entries that end with a vertex.
func (f *reach) Vertex(v traverse.Vertex) {
	if f.Rises[0] != 0 {
		return
	}
	next, least := uint64(v.ID)+1, uint64(0)
	if next < uint64(len(f.Degree)) {
		least = uint64(f.Degree[next])
	}
	end := min(uint64(f.Degree[v.ID])+1, uint64(len(f.Reach)))
	for k := least + 1; k < end; k++ {
		f.Reach[k] = uint32(next)
	}
}

// peel removes an edge of a peeled vertex from its target. The degree of a peeled vertex is kept:
// it is the core number.
//
//foray:functor
type peel struct {
	Degree []uint32
}

// Edge lets the target through where this edge was the one too many: it leaves at the same stage.
//
//foray:unique
func (f *peel) Edge(e traverse.Edge) bool {
	k := f.Degree[e.Source] // the stage, since the degree of a vertex that leaves doesn't change
	if atomics.Load(&f.Degree[e.Target]) <= k {
		return false // it leaves, too, or has left
	}
	was := atomics.Add(&f.Degree[e.Target], math.MaxUint32) // less 1
	if was <= k {
		atomics.Add(&f.Degree[e.Target], 1) // others have been faster
	}
	return was == k+1
}

// peelNear is peel at a stage that is known, in a push without rounds: vertices may leave in any order.
//
//foray:functor
type peelNear struct {
	Degree []uint32
	Stage  uint32
}

// Edge is 0, that is at once, where the target leaves at this stage.
func (f *peelNear) Edge(e traverse.Edge) uint32 {
	if atomics.Load(&f.Degree[e.Target]) <= f.Stage {
		return pile.Never // it leaves, too, or has left
	}
	was := atomics.Add(&f.Degree[e.Target], math.MaxUint32) // less 1
	if was <= f.Stage {
		atomics.Add(&f.Degree[e.Target], 1) // others have been faster
	}
	if was == f.Stage+1 {
		return 0
	}
	return pile.Never
}

// Vertex is never called, since no vertex waits.
func (f *peelNear) Vertex(v traverse.Vertex) uint32 { return pile.Never }

// chain is peel for rounds in which blocks run ahead: a peeled vertex immediately peels others,
// without waiting for the rest of the round. Every vertex is peeled once, and its edges are visited
// once, whatever the order. Core numbers are stored separately, so no check is needed whether the
// target was already peeled: decrements of its degree don't matter.
//
//foray:functor
type chain struct {
	Degree []uint32
	Core   []uint32 // of vertices that left and had edges
	Reach  []uint32
}

// Edge is the stage, where the target leaves at it.
func (f *chain) Edge(e traverse.Edge) uint32 {
	k := uint32(e.Level)
	f.Core[e.Source] = k
	if i := uint64(k); i < uint64(len(f.Reach)) && e.Target >= f.Reach[i] {
		return pile.Never // it never had k neighbors: it has left
	}
	if atomics.Add(&f.Degree[e.Target], math.MaxUint32) == k+1 {
		return k
	}
	return pile.Never
}

// Vertex is when a vertex leaves unless neighbors leave before.
func (f *chain) Vertex(v traverse.Vertex) uint32 { return f.Degree[v.ID] }

// leave writes the core number of vertices that are peeled together, and adds up their edges.
//
//foray:functor
type leave struct {
	Degree []uint32 // within the graph
	Core   []uint32
	Stage  uint32
}

// Vertex writes one, and returns its degree.
func (f *leave) Vertex(v traverse.Vertex) uint64 {
	f.Core[v.ID] = f.Stage
	return uint64(f.Degree[v.ID])
}

// left keeps what hasn't left, of the vertices that have edges.
//
//foray:functor
type left struct {
	Degree []uint32
	Core   []uint32
}

// Vertex looks at a vertex.
func (f *left) Vertex(v traverse.Vertex) bool { return f.Core[v.ID] == 0 && f.Degree[v.ID] != 0 }

// recount counts the neighbors that haven't left.
//
//foray:functor
type recount struct {
	Degree []uint32 // within the remaining graph
	Core   []uint32
}

// Gather counts one.
//
//foray:reduce sum
func (f *recount) Gather(e traverse.Edge) uint32 {
	if f.Core[e.Target] != 0 {
		return 0
	}
	return 1
}

// Apply writes how many they are.
func (f *recount) Apply(v traverse.Vertex, n uint32) { f.Degree[v.ID] = n }

// fallen keeps what leaves at the stage after it was counted again.
//
//foray:functor
type fallen struct {
	Degree []uint32
	Core   []uint32
	Stage  uint32
}

// Vertex looks at a vertex.
func (f *fallen) Vertex(v traverse.Vertex) bool {
	if f.Degree[v.ID] > f.Stage {
		return false
	}
	f.Core[v.ID] = f.Stage
	return true
}

// entry reads an array for a reduction.
//
//foray:functor
type entry struct {
	Of []uint32
}

// Vertex runs at each vertex.
func (f *entry) Vertex(v traverse.Vertex) uint64 { return uint64(f.Of[v.ID]) }
