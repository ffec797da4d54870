// This file holds the functors.

package mis

import (
	"math"

	"github.com/foray-graph/foray/random"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// States of a decided vertex. An undecided one has its priority, which lies between them.
const (
	out = 0
	in  = math.MaxUint64
)

// draw draws priorities. No two are equal, since ranks aren't, and none is a state: ranks end below MaxUint32.
//
//foray:functor
type draw struct {
	Priority []uint64
	Rank     []uint32 // of every vertex' id
	Seed     uint64
}

func (f *draw) Vertex(v traverse.Vertex) {
	rank := uint64(f.Rank[v.ID])
	f.Priority[v.ID] = (random.Uint64(f.Seed, rank, 0)&^math.MaxUint32 | rank) + 1
}

// decide finds what becomes of an undecided vertex: it joins the set if no undecided neighbor has a higher priority,
// and is out if a neighbor joined it.
//
//foray:functor
type decide struct{ Priority, Next []uint64 }

// Gather is the neighbor's priority or state.
//
//foray:reduce max
func (f *decide) Gather(e traverse.Edge) uint64 { return f.Priority[e.Target] }

func (f *decide) Apply(v traverse.Vertex, most uint64) uint64 {
	own := f.Priority[v.ID]
	switch {
	case most == in:
		own = out
	case most < own:
		own = in
	}
	f.Next[v.ID] = own
	return 0
}

// settle sets the states, and keeps the vertices that are undecided.
//
//foray:functor
type settle struct{ Priority, Next []uint64 }

func (f *settle) Vertex(v traverse.Vertex) bool {
	next := f.Next[v.ID]
	f.Priority[v.ID] = next
	return next != in && next != out
}

// member writes and counts the set.
//
//foray:functor
type member struct {
	Priority []uint64
	Member   []uint32
}

func (f *member) Vertex(v traverse.Vertex) uint64 {
	f.Member[v.ID] = 0
	if f.Priority[v.ID] == in {
		f.Member[v.ID] = 1
		return 1
	}
	return 0
}
