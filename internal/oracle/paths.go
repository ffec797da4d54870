// This file holds the paths that go through vertices.

package oracle

import (
	"math"

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
	Depth []int
	Count []Number
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
	return x
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
