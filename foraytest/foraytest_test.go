package foraytest_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/foraytest"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// A search on the emulated GPU, from outside of the project's own test suite.
func TestEmulatedGPU(t *testing.T) {
	testlong.Only(t)
	gpu := foraytest.EmulatedGPU(t)
	if name := gpu.Info().Model; !strings.Contains(name, "Emulated") {
		t.Fatalf("this is %s", name)
	}
	for _, g := range foraytest.Graphs(1) {
		if g.Graph.NumVertices() == 0 {
			continue
		}
		p, err := g.Graph.On(gpu)
		if err != nil {
			t.Fatalf("%s: %v", g.Name, err)
		}
		r, err := bfs.Run(context.Background(), p, 0, bfs.Options{})
		if err != nil {
			t.Fatalf("%s: %v", g.Name, err)
		}
		if want := oracle.Depths(g.Graph.Out(), 0); !slices.Equal(testgraph.Array(r.Depths()), want) {
			t.Errorf("%s: %v, want %v", g.Name, testgraph.Array(r.Depths()), want)
		}
		r.Close()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	// A second call gives the same device again.
	if again := foraytest.EmulatedGPU(t); again.Info().Model != gpu.Info().Model {
		t.Errorf("the second time it is %v", again.Info())
	}
}

func TestGraphs(t *testing.T) {
	directed, reverse, loops, parallel, isolated := 0, 0, 0, 0, 0
	again := foraytest.Graphs(7)
	for i, g := range foraytest.Graphs(7) {
		out := g.Graph.Out()
		if !same(out, again[i].Graph.Out()) || g.Name != again[i].Name {
			t.Errorf("%s is another graph the second time", g.Name)
		}
		if n := g.Graph.NumVertices(); n > 300 || len(out.Weights) != len(out.Targets) || len(out.EdgeIDs) != len(out.Targets) {
			t.Errorf("%s: %d vertices, %d edges, %d weights and %d ids", g.Name, n, len(out.Targets), len(out.Weights), len(out.EdgeIDs))
		}
		if g.Graph.Directed() {
			directed++
			if g.Graph.In() != nil {
				reverse++
			}
		}
		for v := range uint32(g.Graph.NumVertices()) {
			row := slices.Clone(out.Neighbors(v))
			slices.Sort(row)
			if len(row) == 0 {
				isolated++
			}
			if slices.Contains(row, v) {
				loops++
			}
			if len(slices.Compact(row)) < len(out.Neighbors(v)) {
				parallel++
			}
		}
	}
	if directed == 0 || reverse == 0 || reverse == directed || loops == 0 || parallel == 0 || isolated == 0 {
		t.Errorf("%d directed, %d with the reverse, %d self-loops, %d rows with parallel edges, %d isolated vertices", directed, reverse, loops, parallel, isolated)
	}
}

func same(a, b *graph.CSR) bool {
	return slices.Equal(a.Offsets, b.Offsets) && slices.Equal(a.Targets, b.Targets) && slices.Equal(a.Weights, b.Weights) && slices.Equal(a.EdgeIDs, b.EdgeIDs)
}

// TestGraphsAscend: rows ascend, in both directions, and undirected graphs are symmetric.
func TestGraphsAscend(t *testing.T) {
	for _, g := range foraytest.Graphs(3) {
		for v := range uint32(g.Graph.NumVertices()) {
			if !slices.IsSorted(g.Graph.Out().Neighbors(v)) || g.Graph.HasReverse() && !slices.IsSorted(g.Graph.In().Neighbors(v)) {
				t.Fatalf("%s: a row of vertex %d doesn't ascend", g.Name, v)
			}
		}
		if err := g.Graph.Out().CheckSymmetric(); err != nil && !g.Graph.Directed() {
			t.Errorf("%s: %v", g.Name, err)
		}
		if len(g.Graph.Out().Weights) != len(g.Graph.Out().Targets) || len(g.Graph.Out().EdgeIDs) != len(g.Graph.Out().Targets) {
			t.Errorf("%s: edges have lost weights or ids", g.Name)
		}
	}
}
