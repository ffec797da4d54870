// This file tests functors of triangles, against naive loops.

package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/functor"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/intersect"
	"github.com/foray-graph/foray/traverse"
)

// Triangles tests functors with Common on all shapes, and on random graphs with many triangles, self-loops and parallel
// edges.
func (s Suite) Triangles(t *testing.T) {
	s.shapes(t, 181, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		if p.Graph().NumDirectedEdges() > 3000 {
			return
		}
		if firstDescent(p.Graph()) >= 0 {
			x := traverse.New(t.Context(), p)
			x.Do(x.All(), intersect.Triangles(composed.NewSome(traverse.EdgeArray[uint32](x, 0), traverse.EdgeArray[uint32](x, 0), 0, 1)))
			if err := x.Close(); !errors.Is(err, graph.ErrMalformed) {
				t.Errorf("rows that don't ascend: %v", err)
			}
		}
		s.triangles(t, sortRows(t, p.Graph()), r)
	})
	for i := range s.times(40, 4) {
		r := rand.New(rand.NewPCG(182, uint64(i)))
		s.triangles(t, tangled(t, r, i%2 == 0, s.Small), r)
	}
}

// tangled returns a graph of few vertices with many edges, of which some are loops and some are there several times, and
// with a hub.
func tangled(t *testing.T, r *rand.Rand, directed, small bool) *graph.Graph {
	n := 1 + r.IntN(40)
	if small {
		n = 5 + r.IntN(10)
	}
	rows := make([][]uint32, n)
	add := func(u, v int) {
		rows[u] = append(rows[u], uint32(v))
		if !directed && u != v {
			rows[v] = append(rows[v], uint32(u))
		}
	}
	for range r.IntN(6 * n) {
		u, v := r.IntN(n), r.IntN(n)
		add(u, v)
		for r.IntN(5) == 0 {
			add(u, v)
		}
	}
	hub := r.IntN(n)
	for v := range n {
		add(hub, v)
	}
	out := graph.CSR{Offsets: make([]uint64, 1, n+1)}
	for _, row := range rows {
		slices.Sort(row)
		out.Targets = append(out.Targets, row...)
		out.Offsets = append(out.Offsets, uint64(len(out.Targets)))
	}
	g, err := graph.FromCSR(out, graph.CSROptions{Directed: directed})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// triangles tests functors on a graph, to which it gives weights.
func (s Suite) triangles(t *testing.T, g *graph.Graph, r *rand.Rand) {
	t.Helper()
	out := *g.Out()
	out.EdgeIDs, out.Weights = nil, make([]float32, len(out.Targets))
	for e := range out.Weights {
		out.Weights[e] = float32(r.IntN(4))
	}
	g, err := graph.FromCSR(out, graph.CSROptions{Directed: g.Directed()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, e := range s.engines() {
		x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
		err := supports(x)
		if err := errors.Join(err, x.Close()); err != nil {
			t.Fatalf("%s, directed %v, rows %v: %v", e, g.Directed(), out.Offsets, err)
		}
		x = traverse.New(t.Context(), p, traverse.Options{Engine: e})
		err = some(x, float32(r.IntN(3)), 1+r.Uint32N(4))
		if err := errors.Join(err, x.Close()); err != nil {
			t.Fatalf("%s, directed %v, rows %v: %v", e, g.Directed(), out.Offsets, err)
		}
		if err := errors.Join(thirds[uint32](t, p, e), thirds[uint64](t, p, e)); err != nil {
			t.Fatalf("%s, directed %v, rows %v: %v", e, g.Directed(), out.Offsets, err)
		}
	}
}

// thirds compares a functor with a type parameter, and has it fault where there is a triangle.
func thirds[T uint32 | uint64](t *testing.T, p *graph.Placed, e traverse.Engine) error {
	want := make([]T, p.NumVertices())
	triangles := 0
	eachTriangle(p.Graph(), func(c traverse.Corner) bool {
		want[c.C]++
		triangles++
		return true
	})
	x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
	of := traverse.Array(x, T(0))
	x.Repeat(x.All(), intersect.Triangles(composed.NewThirds(of, 0)), traverse.MaxRounds(1))
	err := equal(x, of, want)
	if err := errors.Join(err, x.Close()); err != nil {
		return err
	}
	x = traverse.New(t.Context(), p, traverse.Options{Engine: e})
	x.Repeat(x.All(), intersect.Triangles(composed.NewThirds(traverse.Array(x, T(0)), uint32(len(want)))), traverse.MaxRounds(1))
	err = x.Close()
	fault := new(functor.Fault)
	if is := errors.As(err, &fault); is != (triangles > 0) || is && (fault.Len != len(want) || fault.Site.File != "triangles.go") {
		return fmt.Errorf("a fault: %v, with %d triangles", err, triangles)
	}
	return nil
}

// supports compares counts of triangles.
func supports(x *traverse.Traversal) error {
	g := x.Placed().Graph()
	of, edges := traverse.Array[uint32](x, 0), traverse.EdgeArray[uint32](x, 0)
	corners, sum, last := traverse.Scalar[uint64](x, operators.Sum), traverse.Scalar[uint64](x, operators.Sum), traverse.Scalar[uint64](x, operators.Max)
	x.Repeat(x.All(), intersect.Triangles(composed.NewSupports(of, edges, corners, sum, last)), traverse.MaxRounds(1))
	wantOf, wantEdges := make([]uint32, g.NumVertices()), make([]uint32, g.NumDirectedEdges())
	var count, total, most uint64
	eachTriangle(g, func(c traverse.Corner) bool {
		for _, v := range []uint32{c.A, c.B, c.C} {
			wantOf[v]++
		}
		for _, e := range []uint64{c.AB, c.AC, c.BC} {
			wantEdges[e]++
			most = max(most, e)
		}
		count++
		total += uint64(c.A) + 3*uint64(c.B) + 5*uint64(c.C) + 7*c.AB + 11*c.AC + 13*c.BC
		return true
	})
	return errors.Join(is(x, "Corners", corners, count), is(x, "Vertices", sum, total), is(x, "Last", last, most),
		equal(x, of, wantOf), equalEdges(x, edges, wantEdges))
}

// some compares the first triangles of edges.
func some(x *traverse.Traversal, least float32, most uint32) error {
	g := x.Placed().Graph()
	found, third := traverse.EdgeArray[uint32](x, 0), traverse.EdgeArray[uint32](x, 0)
	x.Repeat(x.All(), intersect.Triangles(composed.NewSome(found, third, least, most)), traverse.MaxRounds(1))
	wantFound, wantThird := make([]uint32, g.NumDirectedEdges()), make([]uint32, g.NumDirectedEdges())
	keeps := func(u, v uint32, e uint64) bool { return g.Out().Weights[e] >= least && u+v != 1 }
	eachTriangle(g, func(c traverse.Corner) bool {
		if c.C == 3 || !keeps(c.A, c.B, c.AB) || !keeps(c.A, c.C, c.AC) || !keeps(c.B, c.C, c.BC) {
			return true
		}
		wantFound[c.AB]++
		wantThird[c.AB] = c.C
		return wantFound[c.AB] < most
	})
	return errors.Join(equalEdges(x, found, wantFound), equalEdges(x, third, wantThird))
}

// eachTriangle calls back for triangles by their definition, those of an edge from A to B in ascending order of C; false
// ends them.
func eachTriangle(g *graph.Graph, yield func(c traverse.Corner) bool) {
	out := g.Out()
	edges := map[[2]uint32][]uint64{}
	for u := range uint32(g.NumVertices()) {
		for e := out.Offsets[u]; e < out.Offsets[u+1]; e++ {
			edges[[2]uint32{u, out.Targets[e]}] = append(edges[[2]uint32{u, out.Targets[e]}], e)
		}
	}
	of := func(ab uint64, a, b uint32) {
		for ac := out.Offsets[a]; ac < out.Offsets[a+1]; ac++ {
			c := out.Targets[ac]
			if a == b || a == c || b == c || !g.Directed() && (a < b || b < c) {
				continue
			}
			for _, bc := range edges[[2]uint32{b, c}] {
				if !yield(traverse.Corner{A: a, B: b, C: c, AB: ab, AC: ac, BC: bc}) {
					return
				}
			}
		}
	}
	for a := range uint32(g.NumVertices()) {
		for ab := out.Offsets[a]; ab < out.Offsets[a+1]; ab++ {
			of(ab, a, out.Targets[ab])
		}
	}
}

// equalEdges compares an array with an entry per edge.
func equalEdges[T device.Elem](x *traverse.Traversal, b *device.Buffer[T], want []T) error {
	r, err := traverse.EdgeResult(x, b)
	if err != nil {
		return err
	}
	got, err := r.Slice()
	if err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("by edge: %v, want %v", got, want)
	}
	return errors.Join(err, r.Close())
}
