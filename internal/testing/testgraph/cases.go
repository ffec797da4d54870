// This file holds the cases: which shapes there are and how their edges are
// drawn.

package testgraph

import "math/rand/v2"

// All returns the cases, the small ones first.
func All() []Case {
	cs := []Case{
		{Name: "none", n: 0},
		{Name: "one", n: 1},
		{Name: "loop", n: 1, make: loops},
		{Name: "two", n: 2, make: path},
		{Name: "isolated", n: 65},
	}
	for _, n := range []int{63, 64, 65} {
		cs = append(cs,
			Case{Name: sized("sparse", n), n: n, make: uniform(1)},
			Case{Name: sized("dense", n), n: n, make: uniform(10), Kind: WithReverse},
		)
	}
	for _, k := range []Kind{Undirected, Directed, WithReverse} {
		cs = append(cs,
			Case{Name: "uniform-" + k.String(), n: 3000, make: uniform(6), Kind: k},
			Case{Name: "skewed-" + k.String(), n: 4001, make: skewed(8), Kind: k},
			Case{Name: "road-" + k.String(), n: 2 * HubRow, make: road, Kind: k},
		)
	}
	return append(cs,
		Case{Name: "sorted", n: 2048, make: sorted, sort: true},
		Case{Name: "star", n: HubRow + 1, make: star},
		Case{Name: "hubs", n: 7000, make: hubs, Kind: WithReverse},
		Case{Name: "path", n: 1500, make: path},
		Case{Name: "line", n: 700, make: path, Kind: WithReverse},
		Case{Name: "cycle", n: 999, make: cycle, Kind: WithReverse},
		Case{Name: "lattice", n: 60 * 70, make: lattice(60)},
		Case{Name: "components", n: 5000, make: components},
		Case{Name: "complete", n: 70, make: complete},
		Case{Name: "tree", n: 5000, make: tree, Kind: WithReverse},
	)
}

// Small returns the cases with a part of their vertices, for devices that are
// slow. Hubs keep their rows, and two cases are as large as they were: one has
// several tiles of everything, and arrays of the other fill their memory up.
func Small() []Case {
	cs := All()
	for i := range cs {
		switch c := &cs[i]; {
		case c.Name == "uniform-reverse" || c.Name == "sorted":
		case c.n > 1000 && c.Name != "path": // a hundred levels and more are left
			c.n /= 20
		case c.n > 100:
			c.n /= 10
		}
	}
	return cs
}

// ByName returns the case of that name.
func ByName(name string) Case {
	for _, c := range All() {
		if c.Name == name {
			return c
		}
	}
	panic("testgraph: no case " + name)
}

// Uniform returns a uniform random case of n vertices and n*degree edges, for
// tests that need another size than the cases have.
func Uniform(n, degree int, k Kind) Case {
	return Case{Name: sized("uniform", n), n: n, make: uniform(degree), Kind: k}
}

// Path returns a path of n vertices.
func Path(n int) Case { return Case{Name: sized("path", n), n: n, make: path} }

// Skewed returns a case of n vertices and n*degree edges, with hubs.
func Skewed(n, degree int, k Kind) Case {
	return Case{Name: sized("skewed", n), n: n, make: skewed(degree), Kind: k}
}

func sized(name string, n int) string {
	digits := []byte{}
	for ; n > 0; n /= 10 {
		digits = append([]byte{byte('0' + n%10)}, digits...)
	}
	return name + "-" + string(digits)
}

// loops is a self-loop at every vertex.
func loops(_ *rand.Rand, n int) (es []Edge) {
	for v := range uint32(n) {
		es = append(es, Edge{v, v})
	}
	return es
}

// uniform draws both ends of each edge alike, which yields self-loops, parallel edges and
// isolated vertices.
func uniform(degree int) func(*rand.Rand, int) []Edge {
	return func(r *rand.Rand, n int) (es []Edge) {
		for range n * degree {
			es = append(es, Edge{uint32(r.IntN(n)), uint32(r.IntN(n))})
		}
		return es
	}
}

// sorted has every edge once, rows ascending, and no self-loop.
func sorted(r *rand.Rand, n int) (es []Edge) {
	for v := range uint32(n) {
		for t := v + 1; t < uint32(n); t += 1 + uint32(r.IntN(n/4)) {
			es = append(es, Edge{v, t})
		}
	}
	return es
}

// skewed draws the ends by the fourth power of a uniform number: a few
// vertices have a good part of all edges.
func skewed(degree int) func(*rand.Rand, int) []Edge {
	return func(r *rand.Rand, n int) (es []Edge) {
		at := func() uint32 {
			x := r.Float64()
			return uint32(x * x * x * x * float64(n))
		}
		for range n * degree {
			es = append(es, Edge{at(), at()})
		}
		return es
	}
}

// road is a path with shortcuts, a few vertices of a degree past four, some
// self-loops and parallel edges, and one hub: a graph that gets rows of fixed
// width, with rows that don't fit into them.
func road(r *rand.Rand, n int) (es []Edge) {
	for v := uint32(1); int(v) < n; v++ {
		es = append(es, Edge{v - 1, v})
	}
	for range n / 50 {
		a, b := uint32(r.IntN(n)), uint32(r.IntN(n))
		es = append(es, Edge{a, b}, Edge{a, a})
	}
	for range n / 200 {
		v := uint32(r.IntN(n))
		for range 4 + r.IntN(5) {
			t := uint32(r.IntN(n))
			es = append(es, Edge{v, t}, Edge{v, t})
		}
	}
	hub := uint32(n / 2)
	for range HubRow {
		es = append(es, Edge{hub, uint32(r.IntN(n))})
	}
	return es
}

// star joins vertex 0 with all others.
func star(_ *rand.Rand, n int) (es []Edge) {
	for v := uint32(1); int(v) < n; v++ {
		es = append(es, Edge{0, v})
	}
	return es
}

// hubs is five vertices with long rows that have each other and one another's
// neighbors, and a sparse rest.
func hubs(r *rand.Rand, n int) (es []Edge) {
	for range 5 {
		hub := uint32(r.IntN(n))
		for range HubRow {
			t := uint32(r.IntN(n))
			es = append(es, Edge{hub, t})
			if t%7 == 0 {
				es = append(es, Edge{t, hub})
			}
		}
	}
	return append(es, uniform(2)(r, n)...)
}

func path(_ *rand.Rand, n int) (es []Edge) {
	for v := uint32(1); int(v) < n; v++ {
		es = append(es, Edge{v - 1, v})
	}
	return es
}

func cycle(r *rand.Rand, n int) []Edge {
	return append(path(r, n), Edge{uint32(n - 1), 0})
}

// lattice joins every vertex of a grid of so many columns with those to its
// right and below.
func lattice(columns int) func(*rand.Rand, int) []Edge {
	return func(_ *rand.Rand, n int) (es []Edge) {
		for v := range n {
			if v%columns+1 < columns && v+1 < n {
				es = append(es, Edge{uint32(v), uint32(v + 1)})
			}
			if v+columns < n {
				es = append(es, Edge{uint32(v), uint32(v + columns)})
			}
		}
		return es
	}
}

// components is four uniform graphs side by side, and a fifth part of isolated
// vertices.
func components(r *rand.Rand, n int) (es []Edge) {
	part := n / 5
	for i := range 4 {
		base := uint32(i * part)
		for _, e := range uniform(5)(r, part) {
			es = append(es, Edge{base + e.From, base + e.To})
		}
	}
	return es
}

func complete(_ *rand.Rand, n int) (es []Edge) {
	for v := range uint32(n) {
		for t := v + 1; t < uint32(n); t++ {
			es = append(es, Edge{v, t})
		}
	}
	return es
}

// tree has edges from every vertex to its children, drawn so that some have
// many.
func tree(r *rand.Rand, n int) (es []Edge) {
	for v := 1; v < n; v++ {
		es = append(es, Edge{uint32(r.IntN(1 + v/3)), uint32(v)})
	}
	return es
}

// Tiny returns cases of a few hundred vertices at most.
func Tiny() []Case {
	cs := []Case{
		{Name: "parallel", n: 5, make: parallel, Kind: WithReverse},
		{Name: "loops", n: 40, make: manyLoops},
		{Name: "clique-directed", n: 30, make: complete, Kind: Directed},
		{Name: "star-reverse", n: 300, make: star, Kind: WithReverse},
	}
	for _, c := range All() {
		if c.Name == "hubs" { // it has as many vertices as its rows are long
			continue
		}
		c.n = min(c.n, 300)
		cs = append(cs, c)
	}
	return cs
}

// parallel joins a few vertices by many edges.
func parallel(r *rand.Rand, n int) (es []Edge) {
	for range 200 {
		es = append(es, Edge{uint32(r.IntN(n)), uint32(r.IntN(n))})
	}
	return es
}

// manyLoops gives every vertex a loop, and some edges besides.
func manyLoops(r *rand.Rand, n int) []Edge {
	return append(loops(r, n), uniform(2)(r, n)...)
}
