// This file holds the functors.

package reach

import (
	"math/bits"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// move takes the states that a vertex entered in the last round along an edge.
//
//foray:functor
type move struct {
	Follow []uint64 // of every vertex: the states that may come next
	Next   []uint64 // of every vertex: the states that it enters in this round
	Seen   []uint64 // of every vertex: the states that it was in
	Kind   []uint32 // of every edge
	Of     []uint64 // of every kind: the states that it leads to
	Any    uint64   // the states that any kind leads to
}

// Edge lets a target through once that enters a state for the first time.
//
//foray:unique
func (f *move) Edge(e traverse.Edge) bool {
	to := f.Any
	if k := f.Kind[e.Index]; k != graph.NoCode {
		to |= f.Of[k]
	}
	if to &= f.Follow[e.Source]; to&^f.Seen[e.Target] == 0 {
		return false
	}
	return atomics.Or(&f.Next[e.Target], to) == 0
}

// enter has a vertex enter its states.
//
//foray:functor
type enter struct {
	Follow, Next, Seen []uint64
	Depth              []int32
	After              []uint64 // of every state: those that may come next
	Last               uint64   // the states at which a walk matches
}

// Vertex finds the states that may come next.
func (f *enter) Vertex(v traverse.Vertex) {
	states := f.Next[v.ID] &^ f.Seen[v.ID]
	f.Next[v.ID] = 0
	f.Seen[v.ID] |= states
	if states&f.Last != 0 && f.Depth[v.ID] < 0 {
		f.Depth[v.ID] = v.Level
	}
	var follow uint64
	for range 64 {
		if states == 0 {
			break
		}
		follow |= f.After[bits.TrailingZeros64(states)]
		states &= states - 1
	}
	f.Follow[v.ID] = follow
}

// ride takes an edge that departs later than its source is reached.
//
//foray:functor
type ride struct {
	Arrival        []int64 // of every vertex
	Time, Duration []int64 // of every edge
}

// Edge lets the target through if it is reached earlier.
func (f *ride) Edge(e traverse.Edge) bool {
	if atomics.Load(&f.Arrival[e.Source]) > f.Time[e.Index] {
		return false
	}
	at := f.Time[e.Index] + f.Duration[e.Index]
	return at < atomics.Min(&f.Arrival[e.Target], at)
}

// hop is ride of edges that take no time.
//
//foray:functor
type hop struct {
	Arrival []int64
	Time    []int64
}

// Edge lets the target through if it is reached earlier.
func (f *hop) Edge(e traverse.Edge) bool {
	at := f.Time[e.Index]
	return atomics.Load(&f.Arrival[e.Source]) <= at && at < atomics.Min(&f.Arrival[e.Target], at)
}
