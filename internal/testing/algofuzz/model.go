// This file holds the model of a graph, which naive loops go over.

package main

import "math"

// edge leads from one vertex to another.
type edge struct {
	from, to int
	weight   float32
}

// model is a graph as lists of edges. Its vertices are numbered in ascending order of their external
// ids.
type model struct {
	n        int
	directed bool
	edges    []edge   // each in its direction: those of an undirected graph both ways, self-loops once
	out, in  [][]edge // the edges from each vertex, and those to it
}

// newModel makes a graph of the given edges by the rules of graph.Options: edges of an undirected graph lead
// both ways, and self-loops and duplicates are dropped unless they are kept. The lightest of duplicates stays;
// NaN is heavier than every number.
func newModel(n int, directed, loops, duplicates bool, given []edge) *model {
	m := &model{n: n, directed: directed}
	at := map[[2]int]int{}
	add := func(e edge) {
		if i, there := at[[2]int{e.from, e.to}]; there && !duplicates {
			if old := &m.edges[i].weight; e.weight < *old || isNaN(*old) {
				*old = e.weight
			}
			return
		}
		at[[2]int{e.from, e.to}] = len(m.edges)
		m.edges = append(m.edges, e)
	}
	for _, e := range given {
		if e.from == e.to && !loops {
			continue
		}
		add(e)
		if !directed && e.from != e.to {
			add(edge{e.to, e.from, e.weight})
		}
	}
	m.index()
	return m
}

// index lists the edges by vertex.
func (m *model) index() {
	m.out, m.in = make([][]edge, m.n), make([][]edge, m.n)
	for _, e := range m.edges {
		m.out[e.from] = append(m.out[e.from], e)
		m.in[e.to] = append(m.in[e.to], e)
	}
}

// near returns the neighbors of every vertex, whichever way edges lead, each once and without the vertex
// itself.
func (m *model) near() [][]int {
	near, met := make([][]int, m.n), make([]int, m.n)
	for v := range m.n {
		met[v] = v + 1
		for _, e := range m.out[v] {
			if met[e.to] != v+1 {
				met[e.to] = v + 1
				near[v] = append(near[v], e.to)
			}
		}
		for _, e := range m.in[v] {
			if met[e.from] != v+1 {
				met[e.from] = v + 1
				near[v] = append(near[v], e.from)
			}
		}
	}
	return near
}

func isNaN(x float32) bool { return x != x }

var inf32 = float32(math.Inf(1))
