// This file holds the functors.

package mis

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/random"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// States of a vertex. The first two are values of the result.
const (
	out       = 0
	in        = 1
	undecided = 2
)

// draw draws priorities. No two are equal, since ranks aren't.
//
//foray:functor
type draw struct {
	Priority []uint64
	Rank     []uint32 // of every vertex' id
	Seed     uint64
}

func (f *draw) Vertex(v traverse.Vertex) {
	rank := uint64(f.Rank[v.ID])
	f.Priority[v.ID] = random.Uint64(f.Seed, rank, 0)&^math.MaxUint32 | rank
}

// above counts the neighbors of higher priority.
//
//foray:functor
type above struct {
	Priority []uint64
	Left     []uint32
}

// Edge counts the source.
func (f *above) Edge(e traverse.Edge) {
	if f.Priority[e.Source] > f.Priority[e.Target] {
		atomics.Add(&f.Left[e.Target], 1)
	}
}

// best starts the set with the vertices that have no neighbor of higher priority.
//
//foray:functor
type best struct{ Left, State []uint32 }

func (f *best) Vertex(v traverse.Vertex) bool {
	if f.Left[v.ID] != 0 {
		return false
	}
	f.State[v.ID] = in
	return true
}

// exclude excludes the neighbors of vertices that joined the set.
//
//foray:functor
type exclude struct{ State []uint32 }

// Edge lets a target through that wasn't excluded before.
//
//foray:unique
func (f *exclude) Edge(e traverse.Edge) bool {
	return atomics.Load(&f.State[e.Target]) == undecided && atomics.CompareAndSwap(&f.State[e.Target], undecided, out)
}

// release tells the neighbors of excluded vertices. A vertex joins the set once all its neighbors of higher priority
// are excluded. None of them is in the set then, which would have excluded it.
//
//foray:functor
type release struct {
	Priority    []uint64
	State, Left []uint32
}

// Edge lets a target through that joins the set.
//
//foray:unique
func (f *release) Edge(e traverse.Edge) bool {
	if f.Priority[e.Source] < f.Priority[e.Target] || atomics.Load(&f.State[e.Target]) != undecided || atomics.Add(&f.Left[e.Target], math.MaxUint32) != 1 {
		return false
	}
	atomics.Store(&f.State[e.Target], in)
	return true
}

// member counts the set.
//
//foray:functor
type member struct{ State []uint32 }

func (f *member) Vertex(v traverse.Vertex) uint64 { return uint64(f.State[v.ID]) }
