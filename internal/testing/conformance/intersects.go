// This file holds the tests of intersect.

package conformance

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/operators/intersect"
)

// Intersects tests common neighbors by every strategy, over all edges and those
// of frontiers, against the definition. Rows have self-loops and entries that are
// there several times.
func (s Suite) Intersects(t *testing.T) {
	for _, c := range s.quick() {
		t.Run(c.Name, func(t *testing.T) {
			given := c.Graph(51)
			if firstDescent(given) >= 0 {
				s.refusesUnsorted(t, given)
			}
			x := s.rig(t, sortRows(t, given), 52)
			in, err := intersect.New(x.s, x.p)
			x.must(err)
			t.Cleanup(func() { x.must(in.Close()) })
			for i, o := range []intersect.Options{{}, {Ascending: true}, {Triangles: true}} {
				x.common(in, s.Small || !s.GPU, o, allVertices(x.g), i)
			}
			vs := x.draw(0.3, true)
			x.common(in, s.Small || !s.GPU, intersect.Options{From: x.queue(vs), Ascending: x.r.IntN(2) == 0}, vs, 1)
			vs = x.draw(0.1, false)
			x.common(in, s.Small || !s.GPU, intersect.Options{From: x.bitmap(vs), Triangles: x.r.IntN(2) == 0}, vs, 0)
			x.common(in, s.Small || !s.GPU, intersect.Options{From: x.queue(nil)}, nil, 0)
			x.common(in, s.Small || !s.GPU, intersect.Options{From: x.bitmap(nil)}, nil, 0)
		})
	}
}

func firstDescent(g *graph.Graph) int {
	for v := range g.NumVertices() {
		if !slices.IsSorted(g.Out().Neighbors(uint32(v))) {
			return v
		}
	}
	return -1
}

func (s Suite) refusesUnsorted(t *testing.T, g *graph.Graph) {
	t.Helper()
	x := s.rig(t, g, 53)
	in, err := intersect.New(x.s, x.p)
	x.must(err)
	for range 2 {
		if err := in.Run(intersect.Options{}, intersect.Count(nil)); !errors.Is(err, graph.ErrMalformed) {
			t.Errorf("rows that don't ascend: %v", err)
		}
	}
	x.must(in.Close())
}

// sortRows returns the graph with its rows sorted.
func sortRows(t *testing.T, g *graph.Graph) *graph.Graph {
	t.Helper()
	sorted := func(c *graph.CSR) *graph.CSR {
		s := &graph.CSR{Offsets: slices.Clone(c.Offsets), Targets: slices.Clone(c.Targets)}
		for v := range g.NumVertices() {
			slices.Sort(s.Targets[c.Offsets[v]:c.Offsets[v+1]])
		}
		return s
	}
	var in *graph.CSR
	if g.Directed() && g.In() != nil {
		in = sorted(g.In())
	}
	g, err := graph.FromCSR(*sorted(g.Out()), graph.CSROptions{In: in, Directed: g.Directed()})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func allVertices(g *graph.Graph) []uint32 {
	vs := make([]uint32, g.NumVertices())
	for v := range vs {
		vs[v] = uint32(v)
	}
	return vs
}

// expected is the expected result of a run.
type expected struct {
	edges, common uint64
	perEdge       []uint32
	perVertex     []uint32
	across        []uint64            // common neighbors that the vertex is
	steps         float64             // of merging
	list          map[uint64][]uint32 // by edge; nil where there are too many
}

func expect(g *graph.Graph, o intersect.Options, vs []uint32) expected {
	c, n := g.Out(), g.NumVertices()
	e := expected{perEdge: make([]uint32, c.NumEdges()), perVertex: make([]uint32, n), across: make([]uint64, n), list: map[uint64][]uint32{}}
	in := make([]uint32, n) // who has the vertex in its row, and one more
	for _, u := range vs {
		for _, w := range c.Neighbors(u) {
			in[w] = u + 1
		}
		for edge := c.Offsets[u]; edge < c.Offsets[u+1]; edge++ {
			v := c.Targets[edge]
			if (o.Ascending || o.Triangles) && u >= v {
				continue
			}
			e.edges++
			e.steps += float64(c.Degree(u) + c.Degree(v))
			last := graph.NoVertex
			for _, w := range c.Neighbors(v) {
				if in[w] != u+1 || w == last || o.Triangles && w >= u {
					continue
				}
				last = w
				e.common++
				e.perEdge[edge]++
				e.perVertex[u]++
				e.perVertex[v]++
				e.perVertex[w]++
				e.across[w]++
				if e.common < 1<<20 {
					e.list[edge] = append(e.list[edge], w)
				}
			}
		}
	}
	return e
}

func (x *rig) common(in *intersect.Intersector, small bool, o intersect.Options, vs []uint32, round int) {
	x.t.Helper()
	want := expect(x.g, o, vs)
	defer func() { tuning.IntersectBy = "auto" }()
	for _, strategy := range []string{"auto", "merge", "search", "table"} {
		what := fmt.Sprintf("%s, ascending %v, triangles %v, %d sources", strategy, o.Ascending, o.Triangles, len(vs))
		tuning.IntersectBy = strategy
		if want.steps > 3e6 && small && (strategy == "merge" || strategy == "search") {
			continue // which take seconds on an emulated GPU
		}
		passes := 2
		if want.steps > 1e6 && small {
			passes = 1
		}
		for pass := range passes {
			// One round counts per edge, the other at vertices, and
			// existing counts grow.
			size, counts := len(want.perEdge), want.perEdge
			if (round+pass)%2 == 1 {
				size, counts = len(want.perVertex), want.perVertex
			}
			b, err := device.NewBuffer[uint32](x.p.Device(), size)
			x.must(err)
			had := make([]uint32, size)
			for i := range had {
				had[i] = x.r.Uint32N(3)
			}
			x.must(b.Write(x.p.Device(), 0, had))
			var f intersect.Functor = intersect.Count(b)
			if (round+pass)%2 == 1 {
				f = intersect.Corners(b)
			}
			x.must(in.Run(o, f))
			edges, common, err := in.Totals()
			x.must(err)
			if edges != want.edges || common != want.common {
				x.t.Fatalf("%s: %d edges, %d in common, want %d and %d", what, edges, common, want.edges, want.common)
			}
			got := make([]uint32, size)
			x.must(b.Read(x.p.Device(), 0, got))
			x.must(b.Close())
			for i := range got {
				if got[i] != had[i]+counts[i] {
					x.t.Fatalf("%s: %T: entry %d is %d, want %d", what, f, i, got[i]-had[i], counts[i])
				}
			}
		}
		if x.p.Remote() == nil {
			x.listed(what, in, o, want, vs)
		}
	}
}

// listed checks the arguments of the host's functor calls.
func (x *rig) listed(what string, in *intersect.Intersector, o intersect.Options, want expected, vs []uint32) {
	x.t.Helper()
	if want.common >= 1<<20 {
		return
	}
	var mu sync.Mutex
	got := map[uint64][]uint32{}
	x.must(in.Run(o, intersect.Func(func(_ int, pairs []intersect.Pair, common []uint32) {
		mu.Lock()
		defer mu.Unlock()
		for _, p := range pairs {
			if p.Len == 0 || x.g.Out().Targets[p.Edge] != p.V || p.Edge < x.g.Out().Offsets[p.U] || p.Edge >= x.g.Out().Offsets[p.U+1] {
				x.t.Errorf("%s: a pair %+v", what, p)
			}
			got[p.Edge] = append(got[p.Edge], common[p.First:p.First+p.Len]...)
		}
	})))
	for edge, list := range want.list {
		ws := got[edge]
		if len(vs) != len(unique(vs)) { // edges of a vertex that is there twice
			slices.Sort(ws)
			list = slices.Clone(list)
			slices.Sort(list)
		}
		if !slices.Equal(ws, list) {
			x.t.Fatalf("%s: edge %d has %v in common, want %v", what, edge, ws, list)
		}
	}
	if len(got) != len(want.list) {
		x.t.Fatalf("%s: %d edges with common neighbors, want %d", what, len(got), len(want.list))
	}
}
