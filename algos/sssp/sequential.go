// This file holds the plain sequential search, the oracle that the other is compared with.

package sssp

import (
	"cmp"
	"container/heap"

	"github.com/foray-graph/foray/graph"
)

// Sequential is Dijkstra's algorithm with a heap, on one goroutine: it returns the distances of a
// query, +Inf for what isn't reached, and the parents, graph.NoVertex for what isn't. It exists to
// check Run against, which finds the same bits. Sources and targets that the graph doesn't have
// are skipped; weights must be 0 or more.
func Sequential(c *graph.CSR, q Query) (distances []float32, parents []uint32) {
	n, limit := c.NumVertices(), cmp.Or(q.Limit, inf)
	distances, parents = make([]float32, n), make([]uint32, n)
	for v := range distances {
		distances[v], parents[v] = inf, graph.NoVertex
	}
	target, left := make([]bool, n), 0
	for _, v := range q.Targets {
		if int64(v) < int64(n) && !target[v] {
			target[v] = true
			left++
		}
	}
	ends := left > 0
	var h entries
	for _, v := range q.Sources {
		if int64(v) < int64(n) && distances[v] > 0 {
			distances[v], parents[v] = 0, v
			h = append(h, entry{0, v})
		}
	}
	settled := make([]bool, n)
	var order []uint32 // of settling
	for len(h) > 0 {
		e := heap.Pop(&h).(entry)
		if settled[e.v] || e.distance > limit {
			continue
		}
		settled[e.v] = true
		order = append(order, e.v)
		if target[e.v] {
			if left--; left == 0 && ends {
				limit = e.distance // the others at this distance count too
			}
		}
		for i := c.Offsets[e.v]; i < c.Offsets[e.v+1]; i++ {
			if d, v := e.distance+c.Weights[i], c.Targets[i]; d < distances[v] {
				distances[v] = d
				heap.Push(&h, entry{d, v})
			}
		}
	}
	for v := range distances {
		if !settled[v] {
			distances[v] = inf
		}
	}
	sequentialParents(c, distances, parents, order)
	return distances, parents
}

// sequentialParents finds the parents of vertices, given by rising distance: the least neighbour that
// is nearer, else, in a search by breadth, the least of those at the same distance that have
// one.
func sequentialParents(c *graph.CSR, distances []float32, parents, order []uint32) {
	var flat, next []uint32
	for _, u := range order {
		for i := c.Offsets[u]; i < c.Offsets[u+1]; i++ {
			v := c.Targets[i]
			if distances[u] < distances[v] && distances[u]+c.Weights[i] == distances[v] && distances[v] < inf {
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
				if parents[v] != graph.NoVertex || distances[u] != distances[v] || distances[u]+c.Weights[i] != distances[u] {
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
type entry struct {
	distance float32
	v        uint32
}

type entries []entry

func (h entries) Len() int           { return len(h) }
func (h entries) Less(i, j int) bool { return h[i].distance < h[j].distance }
func (h entries) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *entries) Push(x any)        { *h = append(*h, x.(entry)) }
func (h *entries) Pop() any {
	e := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return e
}
