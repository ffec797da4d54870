// This file holds the shapes of random graphs.

package main

import "math/rand/v2"

// shape draws edges among vertices 0 to n-1. The number of edges is in proportion to n where n is large.
type shape struct {
	name string
	draw func(r *rand.Rand, n int) [][2]int
}

// Up to cliqueMost vertices are all joined with each other, and up to layersMost are layers.
const (
	cliqueMost = 64
	layersMost = 1500
)

// layers are each joined with all of the next one, which makes many shortest paths: no more than a float64 can count.
var layers = shape{"layers", func(r *rand.Rand, n int) (es [][2]int) {
	width := 1 + r.IntN(4)
	n = min(n, layersMost)
	for v := range n {
		for w := (v/width + 1) * width; w < min((v/width+2)*width, n); w++ {
			es = append(es, [2]int{v, w})
		}
	}
	return es
}}

var shapes = []shape{
	{"none", func(*rand.Rand, int) [][2]int { return nil }},
	{"path", func(_ *rand.Rand, n int) [][2]int { return chain(n) }},
	{"cycle", func(_ *rand.Rand, n int) [][2]int { return append(chain(n), [2]int{n - 1, 0}) }},
	{"star", func(_ *rand.Rand, n int) (es [][2]int) {
		for v := 1; v < n; v++ {
			es = append(es, [2]int{0, v})
		}
		return es
	}},
	{"stars", func(r *rand.Rand, n int) (es [][2]int) { // whose hubs come last, and are joined in a path
		hubs := 1 + r.IntN(min(n, 4))
		for v := range n - 1 {
			to := v + 1
			if v < n-hubs {
				to = n - 1 - r.IntN(hubs)
			}
			es = append(es, [2]int{v, to})
		}
		return es
	}},
	{"clique", func(_ *rand.Rand, n int) (es [][2]int) {
		for v := range min(n, cliqueMost) {
			for w := range v {
				es = append(es, [2]int{w, v})
			}
		}
		return es
	}},
	{"tree", func(r *rand.Rand, n int) (es [][2]int) {
		for v := 1; v < n; v++ {
			es = append(es, [2]int{r.IntN(v), v})
		}
		return es
	}},
	{"grid", func(r *rand.Rand, n int) (es [][2]int) {
		columns := 1 + r.IntN(max(n, 1))
		if r.IntN(2) == 0 {
			columns = min(columns, 4)
		}
		for v := range n {
			if v%columns+1 < columns && v+1 < n {
				es = append(es, [2]int{v, v + 1})
			}
			if v+columns < n {
				es = append(es, [2]int{v, v + columns})
			}
		}
		return es
	}},
	{"comb", func(_ *rand.Rand, n int) (es [][2]int) { // a path with a tooth at each vertex
		for v := 1; v < n; v++ {
			es = append(es, [2]int{v - 2 + v%2, v}) // teeth are odd, and follow their vertex of the path
		}
		return es
	}},
	layers,
	{"bipartite", func(r *rand.Rand, n int) (es [][2]int) {
		if n < 2 {
			return nil
		}
		left := 1 + r.IntN(n-1)
		for range r.IntN(2 * n) {
			es = append(es, [2]int{r.IntN(left), left + r.IntN(n-left)})
		}
		return es
	}},
	{"sparse", func(r *rand.Rand, n int) [][2]int { return uniform(r, n, r.IntN(2*n+1)) }},
	{"dense", func(r *rand.Rand, n int) [][2]int { return uniform(r, n, r.IntN(6*n+1)) }},
	{"skewed", func(r *rand.Rand, n int) (es [][2]int) {
		at := func() int { x := r.Float64(); return int(x * x * x * x * float64(n)) }
		for range r.IntN(4*n + 1) {
			es = append(es, [2]int{at(), at()})
		}
		return es
	}},
	{"function", func(r *rand.Rand, n int) (es [][2]int) { // an edge from each vertex: cycles with trees that lead to them
		for v := range n {
			es = append(es, [2]int{v, r.IntN(n)})
		}
		return es
	}},
	{"lollipop", func(r *rand.Rand, n int) (es [][2]int) { // a clique at the end of a path
		k := min(r.IntN(n+1), cliqueMost)
		for v := range k {
			for w := range v {
				es = append(es, [2]int{w, v})
			}
		}
		for v := max(k, 1); v < n; v++ {
			es = append(es, [2]int{v - 1, v})
		}
		return es
	}},
}

func chain(n int) (es [][2]int) {
	for v := 1; v < n; v++ {
		es = append(es, [2]int{v - 1, v})
	}
	return es
}

func uniform(r *rand.Rand, n, edges int) (es [][2]int) {
	for range edges {
		es = append(es, [2]int{r.IntN(n), r.IntN(n)})
	}
	return es
}
