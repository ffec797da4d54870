package bfs

import (
	"context"
	"testing"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/tuning"
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
		if f.mesh() != want || f.small() {
			t.Errorf("%s: before a search: a mesh: %t, small levels: %t, growth %.1f", name, f.mesh(), f.small(), f.growth)
		}
		n := g.NumVertices()
		f.learn(g, &Result{Levels: 18, Reached: n, Limited: true})
		f.learn(g, &Result{Levels: 1, Reached: 1})
		if f.mesh() != want || f.small() {
			t.Errorf("%s: learned from a part of a search", name)
		}
		f.learn(g, &Result{Levels: 5, Reached: n})
		if f.mesh() != want || !f.small() {
			t.Errorf("%s: after a search with small levels: a mesh: %t, small levels: %t", name, f.mesh(), f.small())
		}
		f.levelEdges.Store(tuning.FusedLongEdges + 1)
		if f.mesh() || f.small() {
			t.Errorf("%s: after a search with large levels: a mesh: %t, small levels: %t", name, f.mesh(), f.small())
		}
		f.learn(g, &Result{Levels: 3000, Reached: 4_000_000})
		if !f.mesh() {
			t.Errorf("%s: not taken for a mesh after a search with many small levels", name)
		}
	}
}
