// This file holds the functors.

package matrix

import (
	"math"

	"github.com/foray-graph/foray/traverse"
)

//go:generate go run ../../../cmd/generate

// extent finds the least weight of the edges, and counts vertices whose weights add up to no number.
//
//foray:functor
type extent struct {
	Least traverse.Min[float64]
	Bad   traverse.Sum[uint64]
}

func (x *extent) Gather(e traverse.Edge) float64 {
	x.Least.Add(float64(e.Weight))
	return float64(e.Weight)
}

func (x *extent) Apply(v traverse.Vertex, total float64) {
	if math.IsNaN(total) || math.IsInf(total, 0) {
		x.Bad.Add(1)
	}
}

// inflow multiplies by the transposed matrix: a vertex gets the values of its in-neighbors.
//
//foray:functor
type inflow struct {
	From, Into             []float64
	Factor, Keep, Constant float64
	Square                 uint32 // 1: the squares are reduced
}

func (f *inflow) Gather(e traverse.Edge) float64 { return f.From[e.Source] }

func (f *inflow) Apply(v traverse.Vertex, total float64) float64 {
	now := f.Factor*total + f.Keep*f.From[v.ID] + f.Constant
	f.Into[v.ID] = now
	if f.Square != 0 {
		return now * now
	}
	return now
}

// inflowWeighted is inflow where edges multiply by their weight.
//
//foray:functor
type inflowWeighted struct {
	From, Into             []float64
	Factor, Keep, Constant float64
	Square                 uint32
}

func (f *inflowWeighted) Gather(e traverse.Edge) float64 {
	return f.From[e.Source] * float64(e.Weight)
}

func (f *inflowWeighted) Apply(v traverse.Vertex, total float64) float64 {
	now := f.Factor*total + f.Keep*f.From[v.ID] + f.Constant
	f.Into[v.ID] = now
	if f.Square != 0 {
		return now * now
	}
	return now
}

// inflowWide is inflowWeighted with weights of 64 bits.
//
//foray:functor
type inflowWide struct {
	From, Into             []float64
	Weight                 []float64 // of every in-edge
	Factor, Keep, Constant float64
	Square                 uint32
}

func (f *inflowWide) Gather(e traverse.Edge) float64 { return f.From[e.Source] * f.Weight[e.Index] }

func (f *inflowWide) Apply(v traverse.Vertex, total float64) float64 {
	now := f.Factor*total + f.Keep*f.From[v.ID] + f.Constant
	f.Into[v.ID] = now
	if f.Square != 0 {
		return now * now
	}
	return now
}

// outflow multiplies by the matrix: a vertex gets the values of its out-neighbors.
//
//foray:functor
type outflow struct{ From, Into []float64 }

func (f *outflow) Gather(e traverse.Edge) float64 { return f.From[e.Target] }

func (f *outflow) Apply(v traverse.Vertex, total float64) float64 {
	f.Into[v.ID] = total
	return total
}

// outflowWeighted is outflow where edges multiply by their weight.
//
//foray:functor
type outflowWeighted struct{ From, Into []float64 }

func (f *outflowWeighted) Gather(e traverse.Edge) float64 {
	return f.From[e.Target] * float64(e.Weight)
}

func (f *outflowWeighted) Apply(v traverse.Vertex, total float64) float64 {
	f.Into[v.ID] = total
	return total
}

// outflowWide is outflowWeighted with weights of 64 bits.
//
//foray:functor
type outflowWide struct {
	From, Into []float64
	Weight     []float64 // of every out-edge
}

func (f *outflowWide) Gather(e traverse.Edge) float64 { return f.From[e.Target] * f.Weight[e.Index] }

func (f *outflowWide) Apply(v traverse.Vertex, total float64) float64 {
	f.Into[v.ID] = total
	return total
}

// take divides a vector, and returns by how much that changes the one before.
//
//foray:functor
type take struct {
	X, Next []float64
	By      []float64 // one element; 0 stands for 1
	Root    uint32    // 1: divide by the square root
}

func (f *take) Vertex(v traverse.Vertex) float64 {
	by := f.By[0]
	if f.Root != 0 {
		by = math.Sqrt(by)
	}
	if by == 0 {
		by = 1
	}
	now := f.Next[v.ID] / by
	change := math.Abs(now - f.X[v.ID])
	f.X[v.ID] = now
	return change
}

// measure returns the elements of a vector, or their squares.
//
//foray:functor
type measure struct {
	X      []float64
	Square uint32
}

func (f *measure) Vertex(v traverse.Vertex) float64 {
	x := f.X[v.ID]
	if f.Square != 0 {
		return x * x
	}
	return x
}
