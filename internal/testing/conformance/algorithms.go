// This file holds tests of algorithms: the same result on every device.

package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/traverse"
)

// AlgorithmCC tests weakly and strongly connected components.
func (s Suite) AlgorithmCC(t *testing.T) {
	for _, c := range append(smallGraphs(), named{"halves", halves(300, 80)}, named{"mesh", mesh(210, 200, 600, 600)}, named{"lattice", mesh(210, 200, 1000, 1000)}, named{"rows", mesh(210, 200, 990, 50)}, named{"uniform", uniform(110_000, 11)}) {
		name, g := c.name, c.g
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		is := func(want []uint32, r *cc.Result, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, err := r.Component.Slice()
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s, strong %v: other components than the oracle", name, r.Strong())
			}
			if tiles := name == "mesh"; strings.HasPrefix(r.Method, "tiles of vertices") != tiles && (tiles || name == "uniform") {
				t.Errorf("%s: found by %s", name, r.Method)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		r, err := cc.Run(t.Context(), p, cc.Options{})
		is(oracle.Components(g), r, err)
		if g.In() != nil {
			r, err = cc.Strong(t.Context(), p, cc.Options{})
			is(oracle.StrongComponents(g), r, err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s.withIDs(t)
}

type named struct {
	name string
	g    *graph.Graph
}

// smallGraphs makes the small cases.
func smallGraphs() (all []named) {
	for i, c := range append(testgraph.Small(), testgraph.Tiny()...) {
		all = append(all, named{fmt.Sprint(c.Name, " ", c.Kind), c.Graph(uint64(i))})
	}
	return all
}

// halves is two components, of even and odd vertices, in which every vertex has many neighbors: in the
// one that is taken to be the smaller all rows are long.
func halves(n, degree int) *graph.Graph {
	r := rand.New(rand.NewPCG(1, 2))
	var es []testgraph.Edge
	for range n * degree / 2 {
		v := r.IntN(n)
		es = append(es, testgraph.Edge{From: uint32(v), To: uint32((v + 2*r.IntN(n/2)) % n)})
	}
	return testgraph.Build(n, es, testgraph.Undirected)
}

// mesh is a lattice of several tiles of vertices (algos/cc/internal/unite). A vertex has an edge to the next one
// in next of 1,000 cases, and to the one below in below of 1,000.
func mesh(w, h, next, below int) *graph.Graph {
	r := rand.New(rand.NewPCG(3, 4))
	var es []testgraph.Edge
	for v := range w * h {
		if v%w < w-1 && r.IntN(1000) < next {
			es = append(es, testgraph.Edge{From: uint32(v), To: uint32(v + 1)})
		}
		if v+w < w*h && r.IntN(1000) < below {
			es = append(es, testgraph.Edge{From: uint32(v), To: uint32(v + w)})
		}
	}
	return testgraph.Build(w*h, es, testgraph.Undirected)
}

// uniform is a graph in which more than 4,096 vertices, but fewer than one in 20, have no smaller
// neighbor.
func uniform(n, edges int) *graph.Graph {
	r := rand.New(rand.NewPCG(5, 6))
	var es []testgraph.Edge
	for range n * edges {
		es = append(es, testgraph.Edge{From: uint32(r.IntN(n)), To: uint32(r.IntN(n))})
	}
	return testgraph.Build(n, es, testgraph.Undirected)
}

// chains is many paths of five vertices, and a star where hub isn't 0: all paths are peeled from
// their ends at once, by more vertices in a round than a block of threads keeps to itself.
func chains(paths, hub int) *graph.Graph {
	var es []testgraph.Edge
	for v := range 5 * paths {
		if v%5 > 0 {
			es = append(es, testgraph.Edge{From: uint32(v - 1), To: uint32(v)})
		}
	}
	n := 5*paths + hub
	for v := 5*paths + 1; v < n; v++ {
		es = append(es, testgraph.Edge{From: uint32(5 * paths), To: uint32(v)})
	}
	return testgraph.Build(n, es, testgraph.Undirected)
}

// built builds a graph and places it.
func (s Suite) built(t *testing.T, b *graph.Builder) *graph.Placed {
	t.Helper()
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// withIDs finds components of a graph whose ids aren't in the order of its vertices.
func (s Suite) withIDs(t *testing.T) {
	t.Helper()
	b := graph.NewBuilder(graph.Options{Order: graph.OrderDegree, Directed: true, Reverse: true})
	if err := graph.AddInts(b, []int64{90, 90, 70, 80, 10}, []int64{70, 80, 90, 60, 20}, nil); err != nil {
		t.Fatal(err)
	}
	p := s.built(t, b)
	defer p.Close()
	r, err := cc.Run(t.Context(), p, cc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := cc.Validate(p.Graph(), r); err != nil {
		t.Error(err)
	}
}

// AlgorithmTriangles tests triangles and clustering coefficients.
func (s Suite) AlgorithmTriangles(t *testing.T) {
	used := func() uint64 { return 0 }
	if d, ok := s.Device.(interface{ Used() uint64 }); ok {
		used = d.Used
	}
	for i, c := range append(testgraph.Small(), testgraph.Tiny()...) {
		g := c.Graph(uint64(i))
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		before := used()
		for _, o := range []triangles.Options{{}, {CountOnly: true}} {
			r, err := triangles.Run(t.Context(), p, o)
			if err != nil {
				t.Fatalf("%s %v: %v", c.Name, c.Kind, err)
			}
			if took, said := used()-before, triangles.Bytes(p, triangles.Options{}); took > said {
				t.Errorf("%s %v: takes %d bytes, %d foretold", c.Name, c.Kind, took, said)
			}
			if err := errors.Join(triangles.Validate(g, r), r.Close()); err != nil {
				t.Fatalf("%s %v: %v", c.Name, c.Kind, err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// AlgorithmKCore tests core numbers, by one engine or the other.
func (s Suite) AlgorithmKCore(t *testing.T) {
	skewed := tuning.SkewedDegree
	defer func() { tuning.SkewedDegree = skewed }()
	cases := smallGraphs()
	if len(cases)%2 == 1 {
		cases = append(cases, cases[0])
	}
	paths := 200_000 // more than all blocks keep
	if s.Small {
		paths = 3000 // more than they keep where rows are long
	}
	r := rand.New(rand.NewPCG(5, 6))
	for i := range s.times(60, 20) { // in all orders, by degree among them
		cases = append(cases, named{fmt.Sprint("random ", i), testgraph.Random(r, 4+r.IntN(300), 1+r.IntN(12), true)})
	}
	if len(cases)%2 == 1 {
		cases = append(cases, cases[0])
	}
	cases = append(cases, named{"stars", chains(10, 30)}, named{"chains and a star", chains(paths, 30)}, named{"lone star", chains(0, 30)}, named{"chains", chains(paths, 0)})
	for i, c := range cases {
		name, g := c.name, c.g
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		e := []traverse.Engine{traverse.LevelByLevel, traverse.Persistent}[i%2] // both take long on an emulated GPU
		tuning.SkewedDegree = []uint64{8, skewed}[i/2%2]
		r, err := kcore.Run(t.Context(), p, kcore.Options{Engine: e})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := r.Core.Slice()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, oracle.Cores(g)) {
			t.Fatalf("%s, %v: other core numbers than the oracle", name, e)
		}
		if err := errors.Join(kcore.Validate(g, r), r.Close()); err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
