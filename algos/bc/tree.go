// This file holds a search from one source on one goroutine, of paths whose lengths are sums of weights or numbers of edges.

package bc

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/algos/internal/dijkstra"
)

// tree is a search. Its memory is used again for the next source.
type tree[T dijkstra.Length] struct {
	*ground[T]
	length []T       // of the shortest paths to every vertex; none where there is no path
	count  []float64 // of shortest paths; 0 where there is none
	share  []float64 // what a path to the vertex brings to those before it; 0 where there is none, and of the source
	on     []float64 // the dependency of the source on every vertex
	power  []int32   // of two, by which counts are multiplied and shares divided; nil: as long as counts were small
	large  bool      // they have powers
	order  []uint32  // the vertices that were reached, the nearest first
	heap   dijkstra.Heap[T]
	far    []uint64 // edges with which a path is longer than T holds, to vertices that weren't reached
}

func newTree[T dijkstra.Length](x *ground[T]) *tree[T] {
	n := x.rows.NumVertices()
	b := &tree[T]{ground: x, length: make([]T, n), count: make([]float64, n), share: make([]float64, n), on: make([]float64, n), order: make([]uint32, 0, n)}
	for v := range b.length {
		b.length[v] = x.none
	}
	return b
}

// from searches from a source and goes back.
func (b *tree[T]) from(source uint32) error {
	for _, v := range b.order {
		b.length[v], b.count[v], b.share[v], b.on[v] = b.none, 0, 0, 0
	}
	b.order, b.large = b.order[:0], false
	b.length[source], b.count[source] = 0, 1
	search := b.byWeight
	if b.weights == nil {
		search = b.byEdges
	}
	if err := search(source); err != nil {
		return err
	}
	if b.large {
		b.recount(source)
	}
	b.back()
	return b.ctx.Err()
}

// byEdges finds the paths of the fewest edges.
func (b *tree[T]) byEdges(source uint32) error {
	length, count, offsets, targets := b.length, b.count, b.rows.Offsets, b.rows.Targets
	b.order = append(b.order, source)
	for i := 0; i < len(b.order); i++ {
		v := b.order[i]
		n, next := count[v], length[v]+1
		b.large = b.large || n > plainLimit
		for _, w := range targets[offsets[v]:offsets[v+1]] {
			switch l := length[w]; {
			case l == b.none:
				length[w], count[w] = next, n
				if b.order = append(b.order, w); len(b.order)%lookVertices == 0 && b.ctx.Err() != nil {
					return b.ctx.Err()
				}
			case l == next:
				count[w] += n
			}
		}
	}
	return nil
}

// byWeight finds the paths of the least sum of weights, which is made from the source on, by Dijkstra's algorithm. All
// edges have weights above 0, so that the vertices before one on a shortest path are nearer: all of them are found before it.
// Rounding may have it otherwise, which is an error.
func (b *tree[T]) byWeight(source uint32) error {
	length, count, offsets, targets, weights, none := b.length, b.count, b.rows.Offsets, b.rows.Targets, b.weights, b.none
	b.far = b.far[:0]
	h := b.heap[:0]
	h.Push(dijkstra.Entry[T]{V: source})
	for len(h) > 0 {
		x := h.Pop()
		v, here := x.V, x.Length
		if here != length[v] {
			continue // it was found at a lesser one
		}
		if b.order = append(b.order, v); len(b.order)%lookVertices == 0 && b.ctx.Err() != nil {
			return b.ctx.Err()
		}
		n := count[v]
		b.large = b.large || n > plainLimit
		for e := offsets[v]; e < offsets[v+1]; e++ {
			w, next := targets[e], here+weights[e]
			switch l := length[w]; {
			case next > l:
			case next < here || next == none: // the sum is past the largest number, or the edge can't be used
				if l == none && float64(weights[e]) <= math.MaxFloat64 {
					b.far = append(b.far, e)
				}
			case next == here:
				if w != v {
					return b.refuse(e, fmt.Sprintf("added to a length of %v it makes no difference, so that shortest paths can't be counted", here))
				}
			case next < l:
				length[w], count[w] = next, n
				h.Push(dijkstra.Entry[T]{Length: next, V: w})
			default:
				count[w] += n
			}
		}
	}
	b.heap = h
	for _, e := range b.far {
		if length[targets[e]] == none {
			return b.refuse(e, "with it a path is longer than the largest number of the type of weights")
		}
	}
	return nil
}

// weight returns the weight of an edge.
func (b *tree[T]) weight(e uint64) T {
	if b.weights == nil {
		return 1
	}
	return b.weights[e]
}

// recount counts paths again, each count with a power of two.
func (b *tree[T]) recount(source uint32) {
	if b.power == nil {
		b.power = make([]int32, len(b.count))
	}
	length, count, at, offsets, targets := b.length, b.count, b.power, b.rows.Offsets, b.rows.Targets
	for _, v := range b.order {
		count[v] = 0
	}
	count[source], at[source] = 1, 0
	for _, v := range b.order {
		k := exponent(count[v]) // all that leads to v was added
		count[v] *= power(-k)
		at[v] += k
		n := count[v]
		for e := offsets[v]; e < offsets[v+1]; e++ {
			w := targets[e]
			if next := length[v] + b.weight(e); next != length[w] || next == b.none || w == v {
				continue
			}
			switch {
			case count[w] == 0:
				count[w], at[w] = n, at[v]
			case at[w] >= at[v]:
				count[w] += n * power(at[v]-at[w])
			default:
				count[w], at[w] = count[w]*power(at[w]-at[v])+n, at[v]
			}
		}
	}
}

// back adds up the dependencies from the farthest vertex to the source, each in the order of the vertex' edges.
func (b *tree[T]) back() {
	length, count, share, offsets, targets := b.length, b.count, b.share, b.rows.Offsets, b.rows.Targets
	for i := len(b.order) - 1; i > 0; i-- {
		if i%lookVertices == 0 && b.ctx.Err() != nil {
			return
		}
		v := b.order[i]
		here, total := length[v], 0.0
		switch {
		case b.large:
			for e := offsets[v]; e < offsets[v+1]; e++ {
				if w := targets[e]; here+b.weight(e) == length[w] {
					total += share[w] * b.ratio(v, w)
				}
			}
		case b.weights == nil:
			for _, w := range targets[offsets[v]:offsets[v+1]] {
				if here+1 == length[w] {
					total += share[w]
				}
			}
		default:
			for e := offsets[v]; e < offsets[v+1]; e++ {
				if w := targets[e]; here+b.weights[e] == length[w] {
					total += share[w] // 0 where w isn't reached
				}
			}
		}
		n := count[v]
		b.on[v] = n * total
		share[v] = (1 + b.on[v]) / n
	}
}

// ratio returns the power of two that the shares of w are multiplied by to be those of v, before it on a shortest path.
func (b *tree[T]) ratio(v, w uint32) float64 {
	if !b.large || b.share[w] == 0 {
		return 1
	}
	return power(min(b.power[v]-b.power[w], 0))
}

// add adds the dependencies on vertices from lo to below hi to their scores, and those on the edges of these vertices if
// edgeScore isn't nil. Each edge of an undirected graph is one of the larger vertex.
func (b *tree[T]) add(lo, hi int, score, edgeScore []float64) {
	if len(b.order) >= len(b.count)/sparseTree {
		for v := lo; v < hi; v++ {
			if v%lookVertices == 0 && b.ctx.Err() != nil {
				return
			}
			score[v] += b.on[v]
			if edgeScore != nil && b.count[v] != 0 {
				b.addEdges(uint32(v), edgeScore)
			}
		}
		return
	}
	for _, v := range b.order {
		if int(v) < lo || int(v) >= hi {
			continue
		}
		score[v] += b.on[v]
		if edgeScore != nil {
			b.addEdges(v, edgeScore)
		}
	}
}

// addEdges adds the dependencies on the edges of a vertex.
func (b *tree[T]) addEdges(v uint32, edgeScore []float64) {
	here, n := b.length[v], b.count[v]
	for e := b.rows.Offsets[v]; e < b.rows.Offsets[v+1]; e++ {
		w := b.rows.Targets[e]
		if w == v || !b.directed && w > v {
			continue
		}
		long := b.weight(e)
		switch there := b.length[w]; {
		case here+long == there:
			edgeScore[e] += n * (b.share[w] * b.ratio(v, w))
		case !b.directed && there != b.none && there+long == here:
			edgeScore[e] += b.count[w] * (b.share[v] * b.ratio(w, v))
		}
	}
}
