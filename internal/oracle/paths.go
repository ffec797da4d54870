// This file holds the paths that go through vertices.

package oracle

import (
	"cmp"
	"math"
	"slices"

	"github.com/foray-graph/foray/graph"
)

// Number is part * 2^power, with part 0, or from 0.5 to below 1.
type Number struct {
	part  float64
	power int
}

// NumberOf returns x as a Number.
func NumberOf(x float64) Number {
	part, power := math.Frexp(x)
	return Number{part, power}
}

// Plus returns the sum.
func (a Number) Plus(b Number) Number {
	switch {
	case a.part == 0:
		return b
	case b.part == 0:
		return a
	case a.power < b.power:
		a, b = b, a
	}
	sum := NumberOf(a.part + math.Ldexp(b.part, b.power-a.power))
	sum.power += a.power
	return sum
}

// Over returns a quotient as a float64.
func (a Number) Over(b Number) float64 { return math.Ldexp(a.part/b.part, a.power-b.power) }

// Tree is what a search found: vertices by depth, their depths, and the paths to them.
type Tree struct {
	Order []uint32
	Depth []int // nil if paths are as long as their weights
	Count []Number

	on func(v uint32, e uint64) bool // the edge from v is on a shortest path
}

// Each calls do with each edge from a vertex that continues a shortest path, and its target.
func (x *Tree) Each(g *graph.Graph, v uint32, do func(e uint64, w uint32)) {
	for e := g.Out().Offsets[v]; e < g.Out().Offsets[v+1]; e++ {
		if x.on(v, e) {
			do(e, g.Out().Targets[e])
		}
	}
}

// PathsByWeight is Paths by the sums of weights, which are above 0.
func PathsByWeight(g *graph.Graph, source uint32) Tree {
	switch g.WeightType() {
	case graph.WeightsInt64:
		return pathsByWeight[int64](g, source)
	case graph.WeightsFloat32:
		return pathsByWeight[float32](g, source)
	}
	return pathsByWeight[float64](g, source)
}

func pathsByWeight[T Weight](g *graph.Graph, source uint32) Tree {
	c := g.Out()
	s, weight := ShortestPaths[T](c, []uint32{source}, nil, 0), weightOf[T](c)
	x := Tree{Count: make([]Number, g.NumVertices())}
	for v, u := range s.Parents {
		if u != graph.NoVertex {
			x.Order = append(x.Order, uint32(v))
		}
	}
	slices.SortStableFunc(x.Order, func(a, b uint32) int { return cmp.Compare(s.Distances[a], s.Distances[b]) })
	x.on = func(v uint32, e uint64) bool {
		w := c.Targets[e]
		return s.Parents[w] != graph.NoVertex && v != w && s.Distances[v]+weight(e) == s.Distances[w]
	}
	x.Count[source] = NumberOf(1)
	for _, v := range x.Order {
		x.Each(g, v, func(_ uint64, w uint32) { x.Count[w] = x.Count[w].Plus(x.Count[v]) })
	}
	return x
}

// Paths searches from a source.
func Paths(g *graph.Graph, source uint32) Tree {
	x := Tree{Order: []uint32{source}, Depth: make([]int, g.NumVertices()), Count: make([]Number, g.NumVertices())}
	for v := range x.Depth {
		x.Depth[v] = -1
	}
	x.Depth[source], x.Count[source] = 0, NumberOf(1)
	for i := 0; i < len(x.Order); i++ {
		v := x.Order[i]
		for _, w := range g.Out().Neighbors(v) {
			if x.Depth[w] < 0 {
				x.Depth[w] = x.Depth[v] + 1
				x.Order = append(x.Order, w)
			}
			if x.Depth[w] == x.Depth[v]+1 {
				x.Count[w] = x.Count[w].Plus(x.Count[v])
			}
		}
	}
	x.on = func(v uint32, e uint64) bool { return x.Depth[g.Out().Targets[e]] == x.Depth[v]+1 }
	return x
}

// EdgeBetweenness returns the sums of dependencies of Betweenness, and those on edges, with or without weights. The sum of an edge of
// an undirected graph is that of both directions, in the entry of the larger vertex.
func EdgeBetweenness(g *graph.Graph, sources []uint32, weighted bool) (score, edges []float64) {
	c := g.Out()
	score, edges = make([]float64, g.NumVertices()), make([]float64, g.NumDirectedEdges())
	EachSource(g, sources, func(source uint32) {
		search := Paths
		if weighted {
			search = PathsByWeight
		}
		x, on := search(g, source), make([]float64, g.NumVertices())
		for i := len(x.Order) - 1; i >= 0; i-- {
			v := x.Order[i]
			x.Each(g, v, func(e uint64, w uint32) {
				part := x.Count[v].Over(x.Count[w]) * (1 + on[w])
				on[v] += part
				edges[e] += part
			})
			if i > 0 {
				score[v] += on[v]
			}
		}
	})
	if g.Directed() {
		return score, edges
	}
	directed := slices.Clone(edges)
	for v := range uint32(g.NumVertices()) {
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			w := c.Targets[e]
			if edges[e] = 0; w >= v {
				continue
			}
			f := c.Offsets[w] // one of the same weight, since parallel edges of one weight have the same sum
			for c.Targets[f] != v || weighted && c.FloatWeight(f) != c.FloatWeight(e) {
				f++
			}
			edges[e] = directed[e] + directed[f]
		}
	}
	return score, edges
}

// Betweenness returns, of every vertex, the sum over the sources of the dependencies of the source
// on it, as Brandes has it, on one goroutine; nil are all sources.
func Betweenness(g *graph.Graph, sources []uint32) []float64 {
	score := make([]float64, g.NumVertices())
	EachSource(g, sources, func(source uint32) {
		x, on := Paths(g, source), make([]float64, g.NumVertices())
		for i := len(x.Order) - 1; i > 0; i-- {
			v := x.Order[i]
			for _, w := range g.Out().Neighbors(v) {
				if x.Depth[w] == x.Depth[v]+1 {
					on[v] += x.Count[v].Over(x.Count[w]) * (1 + on[w])
				}
			}
			score[v] += on[v]
		}
	})
	return score
}

// EachSource calls f with each of the sources; nil are all vertices.
func EachSource(g *graph.Graph, sources []uint32, f func(source uint32)) {
	if sources == nil {
		for v := range uint32(g.NumVertices()) {
			f(v)
		}
	}
	for _, v := range sources {
		f(v)
	}
}
