// This file holds the plain sequential search, the oracle that the other is compared with.

package sssp

import (
	"container/heap"
	"context"
	"math"

	"github.com/foray-graph/foray/graph"
)

// Sequential is Dijkstra's algorithm with a heap, on one goroutine: it returns the distances of a
// query in the type T, and the parents, graph.NoVertex for what isn't reached. The distance of that is +Inf, of
// int64 -1. Sums are of T along the path; an int64 that overflows is ErrOverflow. It exists to
// check Run against, which finds the same bits. Sources and targets that the graph doesn't have
// are skipped; weights must be 0 or more, and for int64 those of a graph of graph.WeightsInt64.
func Sequential[T int64 | float32 | float64](c *graph.CSR, q Query) (distances []T, parents []uint32, err error) {
	s := sequential[T]{ctx: context.Background(), c: c}
	if err := s.run(q); err != nil {
		return nil, nil, err
	}
	for v := range s.distances {
		if !s.settled[v] && !floating[T]() {
			s.distances[v] = -1
		}
	}
	return s.distances, s.parents, nil
}

// beyond reports whether a distance is larger than a limit. Integers of more than 53 bits aren't rounded.
func beyond[T int64 | float32 | float64](distance T, limit float64) bool {
	if floating[T]() {
		return float64(distance) > limit
	}
	return limit < 1<<63 && int64(distance) > int64(math.Floor(limit))
}

// floating reports a type of floats.
func floating[T int64 | float32 | float64]() bool {
	half := T(1)
	half /= 2
	return half != 0
}

// sequential is a search on one goroutine.
type sequential[T int64 | float32 | float64] struct {
	ctx       context.Context
	c         *graph.CSR
	ids       *graph.IDs
	none      T // the distance of what isn't reached
	limit     float64
	distances []T
	parents   []uint32
	settled   []bool
}

// weightsAs returns all weights in a type.
func weightsAs[T int64 | float32 | float64](c *graph.CSR) []T {
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
		if floating[T]() {
			all[e] = T(c.FloatWeight(uint64(e)))
		} else {
			all[e] = T(c.IntWeight(uint64(e)))
		}
	}
	return all
}

// noDistance is the distance of what isn't reached: +Inf, or the largest integer.
func noDistance[T int64 | float32 | float64]() T {
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

func (s *sequential[T]) run(q Query) error {
	c, n, limit := s.c, s.c.NumVertices(), q.Limit
	if limit == 0 {
		limit = math.Inf(1)
	}
	weights := weightsAs[T](c)
	s.none = noDistance[T]()
	s.distances, s.parents, s.settled = make([]T, n), make([]uint32, n), make([]bool, n)
	for v := range s.distances {
		s.distances[v], s.parents[v] = s.none, graph.NoVertex
	}
	target, left := make([]bool, n), 0
	for _, v := range q.Targets {
		if int64(v) < int64(n) && !target[v] {
			target[v] = true
			left++
		}
	}
	ends := left > 0
	var h entries[T]
	for _, v := range q.Sources {
		if int64(v) < int64(n) && s.distances[v] > 0 {
			s.distances[v], s.parents[v] = 0, v
			h = append(h, entry[T]{0, v})
		}
	}
	var order, over []uint32 // of settling; and vertices at the end of a sum that T doesn't hold
	last := s.none           // the distance of the last target
	for len(h) > 0 {
		e := heap.Pop(&h).(entry[T])
		if s.settled[e.v] || beyond(e.distance, limit) || e.distance > last {
			continue
		}
		s.settled[e.v] = true
		order = append(order, e.v)
		if len(order)%1024 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if target[e.v] {
			if left--; left == 0 && ends {
				last = e.distance // the others at this distance count too
			}
		}
		for i := c.Offsets[e.v]; i < c.Offsets[e.v+1]; i++ {
			v := c.Targets[i]
			d := e.distance + weights[i]
			if d < e.distance || d == math.MaxInt64 && !floating[T]() {
				over = append(over, v)
				continue
			}
			if d < s.distances[v] {
				s.distances[v] = d
				heap.Push(&h, entry[T]{d, v})
			}
		}
	}
	if s.limit = limit; last != s.none { // a rounded one, as Result.Limit is
		s.limit = min(limit, float64(last))
	}
	for _, v := range over {
		if !s.settled[v] && math.IsInf(s.limit, 1) {
			return overflowed(s.ids, v)
		}
	}
	for v := range s.distances {
		if !s.settled[v] {
			s.distances[v] = s.none
		}
	}
	s.findParents(weights, order)
	return nil
}

// findParents finds the parents of vertices, given by rising distance: the least neighbour that
// is nearer, else, in a search by breadth, the least of those at the same distance that have
// one.
func (s *sequential[T]) findParents(weights []T, order []uint32) {
	c, distances, parents := s.c, s.distances, s.parents
	var flat, next []uint32
	for _, u := range order {
		for i := c.Offsets[u]; i < c.Offsets[u+1]; i++ {
			v := c.Targets[i]
			if distances[u] < distances[v] && distances[u]+weights[i] == distances[v] && distances[v] < s.none {
				parents[v] = min(parents[v], u)
			}
		}
	}
	for _, v := range order {
		if parents[v] != graph.NoVertex {
			flat = append(flat, v)
		}
	}
	for ; len(flat) > 0; flat, next = next, nil {
		found := map[uint32]uint32{}
		for _, u := range flat {
			for i := c.Offsets[u]; i < c.Offsets[u+1]; i++ {
				v := c.Targets[i]
				if parents[v] != graph.NoVertex || distances[u] != distances[v] || distances[u]+weights[i] != distances[u] {
					continue
				}
				if p, ok := found[v]; !ok || u < p {
					found[v] = u
				}
			}
		}
		for v, p := range found {
			parents[v] = p
			next = append(next, v)
		}
	}
}

// entry is a vertex in the heap; it may be there at other distances too.
type entry[T int64 | float32 | float64] struct {
	distance T
	v        uint32
}

type entries[T int64 | float32 | float64] []entry[T]

func (h entries[T]) Len() int           { return len(h) }
func (h entries[T]) Less(i, j int) bool { return h[i].distance < h[j].distance }
func (h entries[T]) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *entries[T]) Push(x any)        { *h = append(*h, x.(entry[T])) }
func (h *entries[T]) Pop() any {
	e := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return e
}
