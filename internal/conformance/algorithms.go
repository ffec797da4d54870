// This file holds tests of algorithms: the same result on every device.

package conformance

import (
	"errors"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testgraph"
	"github.com/foray-graph/foray/traverse"
)

// AlgorithmCC tests weakly and strongly connected components.
func (s Suite) AlgorithmCC(t *testing.T) {
	for i, c := range append(testgraph.Small(), testgraph.Tiny()...) {
		g := c.Graph(uint64(i))
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		is := func(want []uint32, r *cc.Result, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s %v: %v", c.Name, c.Kind, err)
			}
			got, err := r.Component.All()
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s %v, strong %v: other components than the oracle", c.Name, c.Kind, r.Strong())
			}
			if err := r.Free(); err != nil {
				t.Fatal(err)
			}
		}
		r, err := cc.Run(t.Context(), p, cc.Options{})
		is(cc.Sequential(g), r, err)
		if g.In() != nil {
			r, err = cc.Strong(t.Context(), p, cc.Options{})
			is(cc.SequentialStrong(g), r, err)
		}
		if err := p.Free(); err != nil {
			t.Fatal(err)
		}
	}
	s.withIDs(t)
}

// withIDs finds components of a graph whose ids aren't in the order of its vertices.
func (s Suite) withIDs(t *testing.T) {
	t.Helper()
	b := graph.NewBuilder(graph.Options{Order: graph.OrderDegree, Directed: true, Reverse: true})
	if err := graph.AddInts(b, []int64{90, 90, 70, 80, 10}, []int64{70, 80, 90, 60, 20}, nil); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Free()
	r, err := cc.Run(t.Context(), p, cc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Free()
	if err := cc.Validate(g, r); err != nil {
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
			if took, said := used()-before, triangles.Bytes(p); took > said {
				t.Errorf("%s %v: takes %d bytes, %d foretold", c.Name, c.Kind, took, said)
			}
			if err := errors.Join(triangles.Validate(g, r), r.Free()); err != nil {
				t.Fatalf("%s %v: %v", c.Name, c.Kind, err)
			}
		}
		if err := p.Free(); err != nil {
			t.Fatal(err)
		}
	}
}

// AlgorithmKCore tests core numbers, by one engine or the other.
func (s Suite) AlgorithmKCore(t *testing.T) {
	for i, c := range append(testgraph.Small(), testgraph.Tiny()...) {
		g := c.Graph(uint64(i))
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		e := []traverse.Engine{traverse.LevelByLevel, traverse.Persistent}[i%2] // both take long on an emulated GPU
		r, err := kcore.Run(t.Context(), p, kcore.Options{Engine: e})
		if err != nil {
			t.Fatalf("%s %v: %v", c.Name, c.Kind, err)
		}
		got, err := r.Core.All()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, kcore.Sequential(g)) {
			t.Fatalf("%s %v, %v: other core numbers than the oracle", c.Name, c.Kind, e)
		}
		if err := errors.Join(kcore.Validate(g, r), r.Free()); err != nil {
			t.Fatal(err)
		}
		if err := p.Free(); err != nil {
			t.Fatal(err)
		}
	}
}
