// This file holds shortest paths.

package oracle

import (
	"container/heap"
	"math"

	"github.com/foray-graph/foray/graph"
)

// Weight is a type of weights and distances.
type Weight interface{ int64 | float32 | float64 }

// Shortest has the distances and the parents of vertices. An unreached vertex has the parent
// graph.NoVertex, and the distance +Inf, or -1 if distances are integers.
type Shortest[T Weight] struct {
	Distances []T
	Parents   []uint32
	// Overflow says that the type doesn't hold the distance of a vertex within the limit.
	Overflow bool
}

// ShortestPaths is Dijkstra's algorithm with a heap, on one goroutine. Distances are sums of T along
// a path. A path whose sum is +Inf, or is more than an int64 holds, leads nowhere (Overflow). Vertices farther than limit count as
// unreached; 0 means no limit. If all targets are reached, vertices farther than the farthest target
// count as unreached too. Sources and targets that the graph doesn't have are skipped.
//
// The parent of a source is the source. Other vertices have the least nearer neighbor that ends a
// shortest path. A vertex without one has a neighbor at the same distance: the one with the fewest
// edges that add nothing behind it, and of these the least.
func ShortestPaths[T Weight](c *graph.CSR, sources, targets []uint32, limit float64) Shortest[T] {
	weight := weightOf[T](c)
	s := Shortest[T]{Distances: make([]T, c.NumVertices()), Parents: make([]uint32, c.NumVertices())}
	reached := make([]bool, c.NumVertices())
	h := &nearest[T]{}
	for _, v := range sources {
		if int64(v) < int64(len(reached)) {
			h.Push(near[T]{0, v})
		}
	}
	for h.Len() > 0 {
		x := heap.Pop(h).(near[T])
		if reached[x.vertex] || limit > 0 && exceeds(x.distance, limit) {
			continue
		}
		reached[x.vertex], s.Distances[x.vertex] = true, x.distance
		for e := c.Offsets[x.vertex]; e < c.Offsets[x.vertex+1]; e++ {
			d := x.distance + weight(e)
			if d < x.distance || math.IsInf(float64(d), 1) || reached[c.Targets[e]] {
				continue
			}
			heap.Push(h, near[T]{d, c.Targets[e]})
		}
	}
	farthest, all := T(-1), len(targets) > 0
	for _, v := range targets {
		if int64(v) < int64(len(reached)) {
			all = all && reached[v]
			farthest = max(farthest, s.Distances[v])
		}
	}
	for v, is := range reached {
		if s.Parents[v] = graph.NoVertex; is && all && farthest >= 0 && s.Distances[v] > farthest {
			reached[v] = false
		}
		if !reached[v] {
			s.Distances[v] = unreached[T]()
		}
	}
	s.Overflow = s.overflows(c, reached, limit, farthest >= 0 && all, weight)
	s.findParents(c, sources, reached, weight)
	return s
}

// overflows reports whether an edge without a sum in the type leads from a reached vertex to another one within the
// limit. aimed says that the targets set the limit.
func (s *Shortest[T]) overflows(c *graph.CSR, reached []bool, limit float64, aimed bool, weight func(e uint64) T) bool {
	for u, is := range reached {
		for e := c.Offsets[u]; is && !aimed && e < c.Offsets[u+1]; e++ {
			w := c.FloatWeight(e)
			if reached[c.Targets[e]] || math.IsInf(w, 1) {
				continue
			}
			if d := s.Distances[u] + weight(e); d < s.Distances[u] || math.IsInf(float64(d), 1) {
				if limit == 0 || float64(s.Distances[u])+w <= limit {
					return true
				}
			}
		}
	}
	return false
}

func (s *Shortest[T]) findParents(c *graph.CSR, sources []uint32, reached []bool, weight func(e uint64) T) {
	// ends calls do with the edges that end a shortest path from u.
	ends := func(u uint32, do func(v uint32)) {
		for e := c.Offsets[u]; e < c.Offsets[u+1]; e++ {
			if v := c.Targets[e]; reached[v] && s.Distances[u]+weight(e) == s.Distances[v] {
				do(v)
			}
		}
	}
	for v, is := range reached {
		u := uint32(v)
		if is {
			ends(u, func(v uint32) {
				if s.Distances[u] < s.Distances[v] {
					s.Parents[v] = min(s.Parents[v], u)
				}
			})
		}
	}
	for _, v := range sources {
		if int64(v) < int64(len(reached)) {
			s.Parents[v] = v
		}
	}
	var round []uint32 // vertices that have got a parent
	for v, u := range s.Parents {
		if u != graph.NoVertex {
			round = append(round, uint32(v))
		}
	}
	for len(round) > 0 {
		found := map[uint32]uint32{}
		for _, u := range round {
			ends(u, func(v uint32) {
				if s.Distances[u] == s.Distances[v] && s.Parents[v] == graph.NoVertex {
					if now, ok := found[v]; !ok || u < now {
						found[v] = u
					}
				}
			})
		}
		round = round[:0]
		for v, u := range found {
			s.Parents[v] = u
			round = append(round, v)
		}
	}
}

// weightOf returns a function that returns the weight of an edge by its index.
func weightOf[T Weight](c *graph.CSR) func(e uint64) T {
	switch any(T(0)).(type) {
	case int64:
		return func(e uint64) T { return T(c.IntWeight(e)) }
	case float64:
		return func(e uint64) T { return T(c.FloatWeight(e)) }
	}
	return func(e uint64) T { return T(c.Weights[e]) }
}

// exceeds reports whether a distance is larger than a limit. Integers of more than 53 bits aren't rounded.
func exceeds[T Weight](distance T, limit float64) bool {
	if d, ok := any(distance).(int64); ok {
		return limit < 1<<63 && d > int64(math.Floor(limit))
	}
	return float64(distance) > limit
}

func unreached[T Weight]() T {
	if inf := math.Inf(1); any(T(0)) != any(int64(0)) {
		return T(inf)
	}
	return T(0) - 1
}

// near is a vertex and the length of a path to it.
type near[T Weight] struct {
	distance T
	vertex   uint32
}

// nearest is a heap of container/heap, the nearest vertex first.
type nearest[T Weight] []near[T]

func (h nearest[T]) Len() int           { return len(h) }
func (h nearest[T]) Less(i, j int) bool { return h[i].distance < h[j].distance }
func (h nearest[T]) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *nearest[T]) Push(x any)        { *h = append(*h, x.(near[T])) }
func (h *nearest[T]) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
