// This file makes deep graphs: those on which searches take very many levels.

package testgraph

import (
	"math/rand/v2"
	"slices"
)

// Deep returns graphs in which vertices are up to about so many edges apart, numbered in random order. They have
// from one vertex to some hundreds at each distance from another.
func Deep(levels int, seed uint64) []Case {
	var cases []Case
	add := func(name string, kind Kind, make func(d *deep)) {
		d := &deep{}
		make(d)
		number := rand.New(rand.NewPCG(seed, uint64(levels))).Perm(d.n)
		for i, e := range d.edges {
			d.edges[i] = Edge{uint32(number[e.From]), uint32(number[e.To])}
		}
		cases = append(cases, Case{Name: name, Kind: kind, n: d.n, make: func(*rand.Rand, int) []Edge { return slices.Clone(d.edges) }})
	}
	for _, k := range []Kind{Undirected, Directed, WithReverse} {
		add("path "+k.String(), k, func(d *deep) { d.chain(d.vertex(), levels) })
	}
	for _, k := range []Kind{Undirected, WithReverse} {
		add("cycle "+k.String(), k, func(d *deep) {
			v := d.vertex()
			d.join(v, v, 2*levels) // half as far, where it is undirected
		})
	}
	add("comb", Undirected, func(d *deep) { // teeth of up to three vertices
		spine := d.chain(d.vertex(), levels)
		for i, v := range spine {
			d.chain(v, i%4)
		}
	})
	add("ladder", Undirected, func(d *deep) { // a lattice of three by as many
		rows := [3][]uint32{d.chain(d.vertex(), levels), d.chain(d.vertex(), levels), d.chain(d.vertex(), levels)}
		for i := range rows[0] {
			d.edges = append(d.edges, Edge{rows[0][i], rows[1][i]}, Edge{rows[2][i], rows[1][i]})
		}
	})
	add("lattice of chains", Undirected, func(d *deep) { // an edge of a lattice of 4 by 4 is a chain
		var corner [4][4]uint32
		for i := range 4 {
			for j := range 4 {
				corner[i][j] = d.vertex()
				if i > 0 {
					d.join(corner[i-1][j], corner[i][j], levels/6)
				}
				if j > 0 {
					d.join(corner[i][j-1], corner[i][j], levels/6)
				}
			}
		}
	})
	add("beads", Undirected, func(d *deep) { // cliques of 12 on a chain
		v := d.vertex()
		for range max(levels/9, 1) {
			bead := []uint32{v}
			for len(bead) < 12 {
				w := d.vertex()
				for _, u := range bead {
					d.edges = append(d.edges, Edge{u, w})
				}
				bead = append(bead, w)
			}
			tail := d.chain(bead[len(bead)-1], 8)
			v = tail[len(tail)-1]
		}
	})
	add("tree at the end", Undirected, func(d *deep) { // of a path, where the last levels are large
		tail := d.chain(d.vertex(), levels)
		last := []uint32{tail[len(tail)-1]}
		for range 8 {
			var next []uint32
			for _, v := range last {
				for range 2 {
					w := d.vertex()
					d.edges = append(d.edges, Edge{v, w})
					next = append(next, w)
				}
			}
			last = next
		}
	})
	add("arms", Undirected, func(d *deep) { // chains that begin at one vertex
		hub := d.vertex()
		for range 5 {
			d.chain(hub, levels/2)
		}
	})
	return cases
}

// deep is a graph that grows.
type deep struct {
	n     int
	edges []Edge
}

func (d *deep) vertex() uint32 {
	d.n++
	return uint32(d.n - 1)
}

// chain adds a path of so many new vertices behind v, and returns all of it.
func (d *deep) chain(v uint32, vertices int) []uint32 {
	all := []uint32{v}
	for range vertices {
		w := d.vertex()
		d.edges = append(d.edges, Edge{v, w})
		all = append(all, w)
		v = w
	}
	return all
}

// join joins two vertices by a path of so many new ones.
func (d *deep) join(v, w uint32, vertices int) {
	all := d.chain(v, vertices)
	d.edges = append(d.edges, Edge{all[len(all)-1], w})
}
