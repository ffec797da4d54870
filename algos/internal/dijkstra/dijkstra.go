// Package dijkstra has what searches by Dijkstra's algorithm on one goroutine share: weights in the type of lengths, and the
// heap of vertices.
package dijkstra

import (
	"math"

	"github.com/foray-graph/foray/graph"
)

// Length is a type of weights and of their sums.
type Length interface{ int64 | float32 | float64 }

// Floating reports a type of floats.
func Floating[T Length]() bool {
	half := T(1)
	half /= 2
	return half != 0
}

// Unreached is the length of a path that there isn't: +Inf, or the largest integer.
func Unreached[T Length]() T {
	var x T
	switch p := any(&x).(type) {
	case *float32:
		*p = float32(math.Inf(1))
	case *float64:
		*p = math.Inf(1)
	case *int64:
		*p = math.MaxInt64
	}
	return x
}

// Weights returns the weights of all edges. It is the slice of the graph, unless that has another type.
func Weights[T Length](c *graph.CSR) []T {
	switch any(T(0)).(type) {
	case float32:
		return any(c.Weights).([]T)
	case float64:
		if c.FloatWeights != nil {
			return any(c.FloatWeights).([]T)
		}
	case int64:
		if c.IntWeights != nil {
			return any(c.IntWeights).([]T)
		}
	}
	all := make([]T, len(c.Weights))
	for e := range all {
		if Floating[T]() {
			all[e] = T(c.FloatWeight(uint64(e)))
		} else {
			all[e] = T(c.IntWeight(uint64(e)))
		}
	}
	return all
}

// Entry is a vertex in a heap; it may be there at other lengths too.
type Entry[T Length] struct {
	Length T
	V      uint32
}

// Heap has the entry of the least length first. container/heap allocates each entry.
type Heap[T Length] []Entry[T]

// Push adds an entry.
func (h *Heap[T]) Push(e Entry[T]) {
	*h = append(*h, e)
	x, i := *h, len(*h)-1
	for i > 0 {
		up := (i - 1) / 2
		if x[up].Length <= e.Length {
			break
		}
		x[i], i = x[up], up
	}
	x[i] = e
}

// Pop removes the first entry and returns it. The heap must have one.
func (h *Heap[T]) Pop() Entry[T] {
	x := *h
	first, e, n := x[0], x[len(x)-1], len(x)-1
	*h = x[:n]
	i := 0
	for down := 1; down < n; down = 2*i + 1 {
		if down+1 < n && x[down+1].Length < x[down].Length {
			down++
		}
		if e.Length <= x[down].Length {
			break
		}
		x[i], i = x[down], down
	}
	x[i] = e
	return first
}
