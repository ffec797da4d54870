// This file holds a functor that reads columns of edges and of vertices, and writes an array of edges.

package composed

import (
	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// Toll goes along edges at a cost, to vertices that aren't closed.
//
//foray:functor
type Toll struct {
	Least  []int64   // of every vertex: the least cost
	Cost   []int32   // of every edge
	Closed []float32 // of every vertex: it is from a half on
	Taken  []uint32  // of every edge: whether it was
}

// Edge lets the target through if it costs less now.
func (f *Toll) Edge(e traverse.Edge) bool {
	if f.Closed[e.Target] >= 0.5 {
		return false
	}
	f.Taken[e.Index] = 1
	cost := f.Least[e.Source] + int64(f.Cost[e.Index]&255)
	return cost < atomics.Min(&f.Least[e.Target], cost)
}

// Raise raises what every vertex knows to the greatest price of an edge to it, and counts edges above a limit.
//
//foray:functor
type Raise struct {
	Price []float64 // of every edge
	Most  []float64 // of every vertex
	Limit float64
	Above traverse.Sum[uint64]
}

// Edge raises the target's.
func (f *Raise) Edge(e traverse.Edge) {
	if f.Price[e.Index] > f.Limit {
		f.Above.Add(1)
	}
	atomics.Max(&f.Most[e.Target], f.Price[e.Index])
}

// Numbered notes the least number of an edge to each vertex.
//
//foray:functor
type Numbered struct {
	Least []uint64 // of every vertex
}

// Edge notes the edge's number.
func (f *Numbered) Edge(e traverse.Edge) { atomics.Min(&f.Least[e.Target], e.Index) }

// Extremes finds the least and the greatest value of an edge to each vertex.
//
//foray:functor
type Extremes[T int64 | uint64] struct {
	Of          []T // of every edge
	Least, Most []T // of every vertex
}

// Edge takes the edge's value.
func (f *Extremes[T]) Edge(e traverse.Edge) {
	atomics.Min(&f.Least[e.Target], f.Of[e.Index])
	atomics.Max(&f.Most[e.Target], f.Of[e.Index])
}
