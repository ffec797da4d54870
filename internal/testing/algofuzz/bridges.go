// This file compares biconnected components with their definition.

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/foray-graph/foray/algos/bridges"
	"github.com/foray-graph/foray/graph"
)

// blocks are the biconnected components of a model.
type blocks struct {
	name, edges map[[2]int]int // of each edge, from its smaller end: the name of its component, and how many edges that has
	cut         []uint32       // of every vertex: 1 for an articulation point
	count       int
}

// ends returns the key of an edge.
func ends(a, b int) [2]int { return [2]int{min(a, b), max(a, b)} }

// without labels vertices that are connected without one, and returns how many labels there are.
func without(near [][]int, removed int) (label []int, count int) {
	label = make([]int, len(near))
	label[removed] = -1
	for v := range near {
		if label[v] != 0 {
			continue
		}
		count++
		label[v] = count
		for stack := []int{v}; len(stack) > 0; {
			u := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, w := range near[u] {
				if label[w] == 0 {
					label[w] = count
					stack = append(stack, w)
				}
			}
		}
	}
	return label, count
}

// blocksOf joins two edges at a vertex if their other ends are connected without the vertex. The vertex through which
// paths enter a component is the first of the connected component, or one without which that isn't connected with the others.
func blocksOf(m *model) *blocks {
	near, first := m.near(), weakOf(m)
	b := &blocks{name: map[[2]int]int{}, edges: map[[2]int]int{}, cut: make([]uint32, m.n)}
	parent, entered := map[[2]int][2]int{}, map[[2]int]int{} // the edges of a component are a tree of parents
	root := func(e [2]int) [2]int {
		for parent[e] != e {
			parent[e] = parent[parent[e]]
			e = parent[e]
		}
		return e
	}
	for v, row := range near {
		for _, u := range row {
			parent[ends(v, u)] = ends(v, u)
		}
	}
	for v, row := range near {
		if len(row) == 0 {
			continue
		}
		label, count := without(near, v)
		of := make([]int, count+1) // of every label: the first neighbor with it, plus 1
		for _, u := range row {
			switch at := &of[label[u]]; {
			case *at == 0:
				*at = u + 1
			default:
				parent[root(ends(v, u))] = root(ends(v, *at-1))
			}
			if label[u] != label[row[0]] {
				b.cut[v] = 1
			}
			if first[v] == v || label[u] != label[first[v]] {
				entered[ends(v, u)] = v
			}
		}
	}
	enters, least, size := map[[2]int]int{}, map[[2]int]int{}, map[[2]int]int{} // of every root
	for e := range parent {
		r := root(e)
		size[r]++
		if v, is := entered[e]; is {
			enters[r] = v
		}
	}
	for e := range parent {
		r := root(e)
		for _, v := range e {
			if old, known := least[r]; v != enters[r] && (!known || v < old) {
				least[r] = v
			}
		}
	}
	for e := range parent {
		b.name[e], b.edges[e] = least[root(e)], size[root(e)]
	}
	b.count = len(size)
	return b
}

func checkBridges(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, err := c.as(ctx, form{})
	if err != nil {
		return err
	}
	o, validate, want := bridges.Options{Stats: one(r, 4), EachLevel: progress(r)}, one(r, 8), blocksOf(b.model)
	return b.each(r, func(p *graph.Placed) (err error) {
		res, err := bridges.Run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		if err := sameBlocks(b, res, want); err != nil || !validate {
			return err
		}
		return bridges.Validate(b.graph, res)
	})
}

// sameBlocks compares components, bridges, articulation points and their numbers.
func sameBlocks(b *built, res *bridges.Result, want *blocks) error {
	points, err := valuesOf(b, res.Articulation)
	if err != nil {
		return err
	}
	if err := equal("articulation points", points, want.cut); err != nil {
		return err
	}
	component, err := res.Component.Slice()
	if err != nil {
		return err
	}
	bridge, err := res.Bridge.Slice()
	if err != nil {
		return err
	}
	csr := b.graph.Out()
	for v := range uint32(b.n) {
		for at := csr.Offsets[v]; at < csr.Offsets[v+1]; at++ {
			u, name, is := csr.Targets[at], graph.NoVertex, uint32(0)
			if e := ends(b.number[v], b.number[u]); v != u && (b.directed || v > u) {
				if i, known := want.name[e]; known { // else the model lacks the edge
					name = b.vertex[i]
				}
				if want.edges[e] == 1 {
					is = 1
				}
			}
			if component[at] != name || bridge[at] != is {
				return fmt.Errorf("the edge from %d to %d has component %d and bridge %d, want %d and %d", b.number[v], b.number[u], component[at], bridge[at], name, is)
			}
		}
	}
	lone, cuts := 0, 0
	for _, edges := range want.edges {
		if edges == 1 {
			lone++
		}
	}
	for _, cut := range want.cut {
		cuts += int(cut)
	}
	if res.Components != want.count || res.Bridges != lone || res.Articulations != cuts {
		return fmt.Errorf("%d components, %d bridges, %d articulation points, want %d, %d and %d", res.Components, res.Bridges, res.Articulations, want.count, lone, cuts)
	}
	return nil
}
