package bfs

import (
	"context"
	"testing"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
)

// TestMesh: what couplingAuto takes for a mesh, before a search and after one.
func TestMesh(t *testing.T) {
	for name, want := range map[string]bool{
		"grid2d:100x100": true, "road:100x100": true, "path:1000": true,
		"smallworld:n=10000": false, "kron10": false, "urand10": false, "star:1000": false,
	} {
		spec, err := gen.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		g, err := gen.Build(context.Background(), spec, graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.On(host.New(1))
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		f := figuresOf(p)
		if f.mesh() != want {
			t.Errorf("%s: taken for a mesh: %t, growth %.1f", name, !want, f.growth)
		}
		f.learn(&Result{Levels: 18, Reached: 4_000_000, Limited: true})
		f.learn(&Result{Levels: 3, Reached: 10})
		if f.mesh() != want {
			t.Errorf("%s: learned from a part of a search", name)
		}
		f.learn(&Result{Levels: 18, Reached: 4_000_000})
		if f.mesh() {
			t.Errorf("%s: taken for a mesh after a search with large levels", name)
		}
		f.learn(&Result{Levels: 3000, Reached: 4_000_000})
		if !f.mesh() {
			t.Errorf("%s: not taken for a mesh after a search with many small levels", name)
		}
	}
}
