// This file draws random graphs: their vertices and edges, and how they are built.

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/foray-graph/foray/graph"
)

// Most graphs are small. A few are larger, with a bounded number of vertices: workers share work only
// if there is enough of it, and a row only if it has more than 4,096 edges.
const (
	smallVertices  = 40
	mediumEvery    = 50
	mediumVertices = 600
	largeEvery     = 1000
	largeVertices  = 2000
	hugeEvery      = 5000
	hugeVertices   = 9000
)

// recipe is the description from which a graph is built.
type recipe struct {
	n                 int
	given             []edge // by number of the model
	directed, reverse bool
	loops, duplicates bool // are kept
	weighted          bool // the graph has the weights
	rows              bool // it is made of rows, by graph.FromCSR, else by a Builder
	order             graph.Order
	ids               ids
	seed              uint64 // of the order of rows, edges and vertices
	shapes            []string
	kind              string // of the weights
}

// draw draws a recipe.
func draw(r *rand.Rand) recipe {
	x := recipe{directed: r.IntN(2) == 0, reverse: r.IntN(4) > 0, loops: r.IntN(2) == 0, duplicates: r.IntN(2) == 0,
		weighted: r.IntN(4) > 0, rows: r.IntN(4) > 0, seed: r.Uint64(),
		order: []graph.Order{graph.OrderGiven, graph.OrderDegree, graph.OrderAuto}[r.IntN(3)]}
	most := smallVertices
	switch {
	case one(r, hugeEvery):
		most = hugeVertices
	case one(r, largeEvery):
		most = largeVertices
	case one(r, mediumEvery):
		most = mediumVertices
	}
	switch k := r.IntN(16); {
	case most > smallVertices:
		x.n = smallVertices + 1 + r.IntN(most-smallVertices)
	case k == 0:
		x.n = r.IntN(3)
	case k < 10:
		x.n = 1 + r.IntN(12)
	default:
		x.n = 1 + r.IntN(smallVertices)
	}
	pairs := x.pairs(r)
	sides := 0 // vertices below it are sources, others targets
	if !x.rows && x.directed && x.n > 1 && r.IntN(16) == 0 {
		sides = 1 + r.IntN(x.n-1)
		for i := range pairs {
			pairs[i] = [2]int{pairs[i][0] % sides, sides + pairs[i][1]%(x.n-sides)}
		}
	}
	if len(pairs) == 0 {
		x.rows = true // a Builder has nothing to build
		sides = 0
	}
	w := weightKinds[r.IntN(len(weightKinds))]
	x.kind = w.name
	for _, p := range pairs {
		x.given = append(x.given, edge{p[0], p[1], w.draw(r)})
	}
	x.ids = drawIDs(r, x.n, sides, x.rows)
	if x.rows && x.order == graph.OrderAuto {
		x.order = graph.OrderGiven
	}
	if x.ids.kind == "none" {
		x.order = graph.OrderGiven
	}
	return x
}

// pairs draws the ends of the edges.
func (x *recipe) pairs(r *rand.Rand) (pairs [][2]int) {
	parts := 1
	if r.IntN(3) == 0 {
		parts += r.IntN(4)
	}
	for lo := 0; parts > 0; parts-- {
		n := x.n - lo
		if parts > 1 {
			n = r.IntN(n + 1)
		}
		if n == 0 {
			continue
		}
		s := shapes[r.IntN(len(shapes))]
		if x.n > smallVertices && x.n <= largeVertices && one(r, 4) {
			s, n = layers, x.n-lo // path counts beyond 2^53, and of 450 bits, are in large ones alone
		}
		x.shapes = append(x.shapes, s.name)
		for _, p := range s.draw(r, n) {
			pairs = append(pairs, [2]int{lo + p[0], lo + p[1]})
		}
		lo += n
	}
	if x.n > 0 && r.IntN(3) == 0 {
		pairs = append(pairs, uniform(r, x.n, r.IntN(x.n/4+2))...)
	}
	if r.IntN(3) == 0 {
		for range r.IntN(x.n/3 + 1) {
			v := r.IntN(x.n)
			pairs = append(pairs, [2]int{v, v})
		}
	}
	turn := r.IntN(4) // none, all, some, or both ways
	for i, p := range pairs {
		if back := [2]int{p[1], p[0]}; turn == 1 || turn == 2 && r.IntN(2) == 0 {
			pairs[i] = back
		} else if turn == 3 && r.IntN(2) == 0 {
			pairs = append(pairs, back)
		}
	}
	if len(pairs) > 0 && r.IntN(3) == 0 {
		for range r.IntN(len(pairs)/2 + 2) {
			p := pairs[r.IntN(len(pairs))]
			if r.IntN(3) == 0 {
				p[0], p[1] = p[1], p[0]
			}
			pairs = append(pairs, p)
		}
	}
	if r.IntN(4) > 0 {
		name := r.Perm(x.n)
		for i, p := range pairs {
			pairs[i] = [2]int{name[p[0]], name[p[1]]}
		}
	}
	return pairs
}

// String describes a graph, so that a difference can be understood.
func (x *recipe) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d vertices, %s, directed %v, reverse %v, loops %v, duplicates %v, rows %v, order %v, ids %s; weights (%v) %s; edges",
		x.n, strings.Join(x.shapes, "+"), x.directed, x.reverse, x.loops, x.duplicates, x.rows, x.order, x.ids.kind, x.weighted, x.kind)
	for i, e := range x.given {
		if i == 100 {
			fmt.Fprintf(&b, " and %d more", len(x.given)-i)
			break
		}
		fmt.Fprintf(&b, " %d-%d:%v", e.from, e.to, e.weight)
	}
	return b.String()
}
