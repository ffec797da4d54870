// This file holds the search on one goroutine, for distances that no engine of the devices supports.

package sssp

import (
	"context"
	"math"
	"slices"

	"github.com/foray-graph/foray/algos/internal/dijkstra"
	"github.com/foray-graph/foray/graph"
)

// beyond reports whether a distance is larger than a limit. Integers of more than 53 bits aren't rounded.
func beyond[T int64 | float32 | float64](distance T, limit float64) bool {
	if dijkstra.Floating[T]() {
		return float64(distance) > limit
	}
	return limit < 1<<63 && int64(distance) > int64(math.Floor(limit))
}

// sequential is Dijkstra's algorithm with a heap. Sums are of T along a path; an int64 that overflows is ErrOverflow.
type sequential[T int64 | float32 | float64] struct {
	ctx       context.Context
	c         *graph.CSR
	ids       *graph.IDs
	none      T // the distance of an unreached vertex
	limit     float64
	distances []T
	parents   []uint32
	settled   []bool

	// Room, which a Searcher keeps.
	weights     []T
	target      []bool
	heap        dijkstra.Heap[T]
	order, over []uint32 // of settling; and vertices within the limit at the end of a sum that T doesn't hold
	flat, next  []uint32 // of the search for parents
	found       []uint32 // the parent that a vertex gets in this round of it
}

func (s *sequential[T]) run(q Query) error {
	c, n, limit := s.c, s.c.NumVertices(), q.Limit
	if limit == 0 {
		limit = math.Inf(1)
	}
	if s.distances == nil {
		s.weights, s.none = dijkstra.Weights[T](c), dijkstra.Unreached[T]()
		s.distances, s.parents, s.found = make([]T, n), make([]uint32, n), slices.Repeat([]uint32{graph.NoVertex}, n)
		s.settled, s.target = make([]bool, n), make([]bool, n)
	}
	for v := range s.distances {
		s.distances[v], s.parents[v] = s.none, graph.NoVertex
	}
	clear(s.settled)
	clear(s.target)
	weights, target, left := s.weights, s.target, 0
	for _, v := range q.Targets {
		if int64(v) < int64(n) && !target[v] {
			target[v] = true
			left++
		}
	}
	ends := left > 0
	h := s.heap[:0]
	for _, v := range q.Sources {
		if int64(v) < int64(n) && s.distances[v] > 0 {
			s.distances[v], s.parents[v] = 0, v
			h = append(h, dijkstra.Entry[T]{V: v})
		}
	}
	s.order, s.over = s.order[:0], s.over[:0]
	last := s.none // the distance of the last target
	for len(h) > 0 {
		e := h.Pop()
		if s.settled[e.V] || beyond(e.Length, limit) || e.Length > last {
			continue
		}
		s.settled[e.V] = true
		s.order = append(s.order, e.V)
		if len(s.order)%1024 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if target[e.V] {
			if left--; left == 0 && ends {
				last = e.Length // the others at this distance count too
			}
		}
		for i := c.Offsets[e.V]; i < c.Offsets[e.V+1]; i++ {
			v := c.Targets[i]
			d := e.Length + weights[i]
			if d < e.Length || d == math.MaxInt64 && !dijkstra.Floating[T]() {
				if float64(e.Length)+float64(weights[i]) <= limit {
					s.over = append(s.over, v)
				}
				continue
			}
			if d < s.distances[v] {
				s.distances[v] = d
				h.Push(dijkstra.Entry[T]{Length: d, V: v})
			}
		}
	}
	s.heap = h
	if s.limit = limit; last != s.none { // a rounded one, as Result.Limit is
		s.limit = min(limit, float64(last))
	}
	for _, v := range s.over {
		if !s.settled[v] && last == s.none {
			return overflowed(s.ids, v, graph.WeightsInt64)
		}
	}
	for v := range s.distances {
		if !s.settled[v] {
			s.distances[v] = s.none
		}
	}
	s.findParents(weights)
	return nil
}

// findParents finds the parents of vertices, by rising distance: the least neighbor that
// is nearer, else, in a search by breadth, the least of those at the same distance that have
// one.
func (s *sequential[T]) findParents(weights []T) {
	c, distances, parents, order, found := s.c, s.distances, s.parents, s.order, s.found
	flat, next := s.flat[:0], s.next[:0]
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
	for ; len(flat) > 0; flat, next = next, flat[:0] {
		for _, u := range flat {
			for i := c.Offsets[u]; i < c.Offsets[u+1]; i++ {
				v := c.Targets[i]
				if parents[v] != graph.NoVertex || distances[u] != distances[v] || distances[u]+weights[i] != distances[u] {
					continue
				}
				if found[v] == graph.NoVertex {
					next = append(next, v)
				}
				found[v] = min(found[v], u)
			}
		}
		for _, v := range next {
			parents[v], found[v] = found[v], graph.NoVertex
		}
	}
	s.flat, s.next = flat, next
}
