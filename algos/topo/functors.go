// This file holds the functors.

package topo

import (
	"math"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../cmd/generate

// count counts in-edges.
//
//foray:functor
type count struct{ Left []uint32 }

// Edge counts one.
func (f *count) Edge(e traverse.Edge) { atomics.Add(&f.Left[e.Target], 1) }

// first keeps the vertices without in-edges.
//
//foray:functor
type first struct{ Left []uint32 }

func (f *first) Vertex(v traverse.Vertex) bool { return f.Left[v.ID] == 0 }

// peel takes the edges of the peeled vertices away. The vertices of a round have one level.
//
//foray:functor
type peel struct {
	Left  []uint32 // in-edges from vertices that weren't peeled
	Level []uint32
}

// Edge lets a target through whose last in-edge it was.
//
//foray:unique
func (f *peel) Edge(e traverse.Edge) bool {
	if atomics.Add(&f.Left[e.Target], math.MaxUint32) != 1 {
		return false
	}
	f.Level[e.Target] = uint32(e.Level)
	return true
}

// peelWeighted is peel, and finds lengths. That of a source is final: all its in-edges were visited in earlier rounds.
//
//foray:functor
type peelWeighted struct {
	Left   []uint32
	Level  []uint32
	Length []float64
}

// Edge lets a target through whose last in-edge it was.
//
//foray:unique
func (f *peelWeighted) Edge(e traverse.Edge) bool {
	atomics.Max(&f.Length[e.Target], atomics.Load(&f.Length[e.Source])+float64(e.Weight))
	if atomics.Add(&f.Left[e.Target], math.MaxUint32) != 1 {
		return false
	}
	f.Level[e.Target] = uint32(e.Level)
	return true
}

// peelWide is peelWeighted for weights that float32 doesn't hold.
//
//foray:functor
type peelWide struct {
	Left   []uint32
	Level  []uint32
	Length []float64
	Weight []float64 // of every edge
}

// Edge lets a target through whose last in-edge it was.
//
//foray:unique
func (f *peelWide) Edge(e traverse.Edge) bool {
	atomics.Max(&f.Length[e.Target], atomics.Load(&f.Length[e.Source])+f.Weight[e.Index])
	if atomics.Add(&f.Left[e.Target], math.MaxUint32) != 1 {
		return false
	}
	f.Level[e.Target] = uint32(e.Level)
	return true
}

// settled counts the vertices that were peeled.
//
//foray:functor
type settled struct{ Left []uint32 }

func (f *settled) Vertex(v traverse.Vertex) uint64 {
	if f.Left[v.ID] == 0 {
		return 1
	}
	return 0
}

// highest returns the level.
//
//foray:functor
type highest struct{ Level []uint32 }

func (f *highest) Vertex(v traverse.Vertex) uint64 { return uint64(f.Level[v.ID]) }
