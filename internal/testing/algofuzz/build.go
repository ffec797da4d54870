// This file builds graphs from recipes, and checks that they match the recipe.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/foray-graph/foray/graph"
)

// built is a graph with the model of it.
type built struct {
	*model
	graph  *graph.Graph
	vertex []uint32 // of the graph, for each of the model
	number []int    // of the model, for each of the graph
	placed map[int]*graph.Placed
}

// build builds the graph.
func (x *recipe) build(ctx context.Context) (*built, error) {
	b := &built{model: newModel(x.n, x.directed, x.loops, x.duplicates, x.given), placed: map[int]*graph.Placed{}}
	var err error
	if x.rows {
		b.graph, err = x.fromRows(b.model)
	} else {
		b.graph, err = x.byBuilder(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("building: %w", err)
	}
	if err := b.locate(x); err != nil {
		return nil, fmt.Errorf("building: %w", err)
	}
	return b, nil
}

// byBuilder builds it of edges, in batches.
func (x *recipe) byBuilder(ctx context.Context) (*graph.Graph, error) {
	r := rand.New(rand.NewPCG(x.seed, 1))
	o := graph.Options{Directed: x.directed, Reverse: x.reverse, KeepSelfLoops: x.loops, KeepDuplicates: x.duplicates, Order: x.order,
		Weights: x.weighted, Bipartite: x.ids.sides > 0, Workers: 1 + r.IntN(2), MemoryLimit: 1 << 30}
	if x.ids.kind == "dense" {
		o.DenseIDs, o.Vertices = true, uint64(x.n)
	}
	b := graph.NewBuilder(o)
	given := slices.Clone(x.given)
	r.Shuffle(len(given), func(i, j int) { given[i], given[j] = given[j], given[i] })
	if x.ids.kind != "dense" {
		for _, side := range x.isolated(r) {
			if err := b.Add(side); err != nil {
				return nil, err
			}
		}
	}
	for len(given) > 0 {
		k := 1 + r.IntN(len(given))
		batch, src, dst := graph.Batch{Type: x.ids.typ}, []int{}, []int{}
		for _, e := range given[:k] {
			src, dst = append(src, e.from), append(dst, e.to)
			batch.Weights = append(batch.Weights, e.weight)
		}
		batch.Src, batch.SrcStrings = x.ids.column(src)
		batch.Dst, batch.DstStrings = x.ids.column(dst)
		if err := b.Add(batch); err != nil {
			return nil, err
		}
		given = given[k:]
	}
	return b.Build(ctx)
}

// isolated returns batches of all vertices.
func (x *recipe) isolated(r *rand.Rand) (batches []graph.Batch) {
	var sides [2][]int
	for _, v := range r.Perm(x.n) {
		side := graph.Source
		if x.ids.sides > 0 && v >= x.ids.sides {
			side = graph.Target
		}
		sides[side] = append(sides[side], v)
	}
	for side, vs := range sides {
		if len(vs) > 0 {
			batch := graph.Batch{Type: x.ids.typ, Vertices: true, Side: graph.Side(side)}
			batch.Src, batch.SrcStrings = x.ids.column(vs)
			batches = append(batches, batch)
		}
	}
	return batches
}

// column returns the ids of vertices.
func (x *ids) column(vs []int) ([]int64, *graph.Strings) {
	if x.strings == nil {
		ints := make([]int64, len(vs))
		for i, v := range vs {
			ints[i] = x.ints[v]
		}
		return ints, nil
	}
	s := &graph.Strings{Offsets: []int64{0}, Binary: x.typ == graph.Binary}
	for _, v := range vs {
		s.Data = append(s.Data, x.strings[v]...)
		s.Offsets = append(s.Offsets, int64(len(s.Data)))
	}
	return nil, s
}

// fromRows makes it of rows, whose edges are in any order, of vertices in any order.
func (x *recipe) fromRows(m *model) (*graph.Graph, error) {
	r := rand.New(rand.NewPCG(x.seed, 2))
	number := r.Perm(x.n) // of the model, for each vertex of the graph
	if x.ids.kind == "none" || x.order == graph.OrderGiven && r.IntN(2) == 0 {
		slices.Sort(number)
	}
	if x.order == graph.OrderDegree {
		degree := func(v int) int {
			if x.directed {
				return len(m.out[v]) + len(m.in[v])
			}
			return len(m.out[v])
		}
		slices.SortStableFunc(number, func(a, b int) int { return cmp.Compare(degree(b), degree(a)) })
	}
	vertex := make([]uint32, x.n)
	for v, i := range number {
		vertex[i] = uint32(v)
	}
	out := x.csr(m.out, number, func(e edge) uint32 { return vertex[e.to] }, r)
	p := graph.CSROptions{Directed: x.directed, Order: x.order}
	if x.directed && x.reverse {
		in := x.csr(m.in, number, func(e edge) uint32 { return vertex[e.from] }, r)
		p.In = &in
	}
	if x.ids.kind != "none" {
		p.IDs = &graph.IDs{Type: x.ids.typ, Len: x.n}
		switch {
		case x.ids.strings != nil:
			p.IDs.StringOffsets = []uint64{0}
			for _, i := range number {
				p.IDs.Data = append(p.IDs.Data, x.ids.strings[i]...)
				p.IDs.StringOffsets = append(p.IDs.StringOffsets, uint64(len(p.IDs.Data)))
			}
		case x.ids.kind == "dense":
			p.IDs.Dense32 = make([]uint32, x.n)
			for v, i := range number {
				p.IDs.Dense32[v] = uint32(i)
			}
		default:
			p.IDs.Ints = make([]int64, x.n)
			for v, i := range number {
				p.IDs.Ints[v] = x.ids.ints[i]
			}
		}
	}
	return graph.FromCSR(out, p)
}

// csr returns rows, in the order of the graph's vertices.
func (x *recipe) csr(rows [][]edge, number []int, target func(edge) uint32, r *rand.Rand) graph.CSR {
	c := graph.CSR{Offsets: []uint64{0}}
	sorted := r.IntN(2) == 0
	for _, i := range number {
		row := slices.Clone(rows[i])
		if sorted {
			slices.SortStableFunc(row, func(a, b edge) int { return cmp.Compare(target(a), target(b)) })
		} else {
			r.Shuffle(len(row), func(i, j int) { row[i], row[j] = row[j], row[i] })
		}
		for _, e := range row {
			c.Targets = append(c.Targets, target(e))
			if x.weighted {
				c.Weights = append(c.Weights, e.weight)
			}
		}
		c.Offsets = append(c.Offsets, uint64(len(c.Targets)))
	}
	return c
}

// locate finds the vertices by their ids, and checks that the graph has the edges of the model.
func (b *built) locate(x *recipe) error {
	g := b.graph
	if g.NumVertices() != x.n || g.Directed() != x.directed || (g.In() != nil) != (x.reverse || !x.directed) {
		return fmt.Errorf("%d vertices, directed %v, reverse %v", g.NumVertices(), g.Directed(), g.In() != nil)
	}
	b.vertex, b.number = make([]uint32, x.n), make([]int, x.n)
	for i := range x.n {
		side, found := graph.Source, false
		if x.ids.sides > 0 && i >= x.ids.sides {
			side = graph.Target
		}
		if x.ids.strings != nil {
			b.vertex[i], found = g.IDs().FindBytes(side, x.ids.strings[i])
		} else {
			b.vertex[i], found = g.IDs().FindInt(side, x.ids.ints[i])
		}
		if !found || g.IDs().Rank(b.vertex[i]) != uint32(i) {
			return fmt.Errorf("vertex %d of the model is vertex %d, found %v", i, b.vertex[i], found)
		}
		b.number[b.vertex[i]] = i
	}
	err := b.same(g.Out(), b.out, func(e edge) int { return e.to }, x.weighted)
	if in := g.In(); in != nil {
		err = errors.Join(err, b.same(in, b.in, func(e edge) int { return e.from }, x.weighted))
	}
	return err
}

// same compares rows with the model's.
func (b *built) same(c *graph.CSR, rows [][]edge, other func(edge) int, weighted bool) error {
	type entry struct {
		other  int
		weight uint32
	}
	byBoth := func(x, y entry) int { return cmp.Or(x.other-y.other, cmp.Compare(x.weight, y.weight)) }
	bits := func(x float32) uint32 {
		if !weighted || x == 0 || isNaN(x) { // -0 and 0 are the same weight
			return 0
		}
		return math.Float32bits(x)
	}
	var got, want []entry
	for i, row := range rows {
		got, want = got[:0], want[:0]
		for _, e := range row {
			want = append(want, entry{other(e), bits(e.weight)})
		}
		v := b.vertex[i]
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			w := float32(0)
			if weighted {
				w = c.Weights[e]
			}
			got = append(got, entry{b.number[c.Targets[e]], bits(w)})
		}
		slices.SortFunc(got, byBoth)
		slices.SortFunc(want, byBoth)
		if !slices.Equal(got, want) {
			return fmt.Errorf("row of vertex %d of the model: %v, want %v", i, got, want)
		}
	}
	return nil
}
