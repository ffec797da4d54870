// This file holds tests of algorithms that go through the levels of a search: the same result on
// every device.

package conformance

import (
	"errors"
	"math"
	"testing"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// AlgorithmBC tests betweenness centrality.
func (s Suite) AlgorithmBC(t *testing.T) {
	for i, c := range append(testgraph.Small(), testgraph.Tiny()...) {
		g := c.Graph(uint64(i))
		var sources []uint32
		if n := uint32(g.NumVertices()); n > 0 {
			sources = []uint32{n / 3, n - 1}
		}
		s.betweenness(t, c.Name+" "+c.Kind.String(), g, sources)
	}
	// Counts of paths that a float64 doesn't hold, in levels of three vertices each.
	const levels = 700
	var edges []testgraph.Edge
	for v := range uint32(3 * (levels - 1)) {
		for w := range uint32(3) {
			edges = append(edges, testgraph.Edge{From: v, To: v/3*3 + 3 + w})
		}
	}
	deep := testgraph.Build(3*levels, edges, testgraph.Undirected)
	s.betweenness(t, "levels", deep, []uint32{0, 3 * levels / 2, 0})
	defer func(levels uint32) { tuning.SweepLevels = levels }(tuning.SweepLevels)
	tuning.SweepLevels = 3
	s.betweenness(t, "levels, more than a sweep has", deep, []uint32{0, 3 * levels / 2, 0})
	defer func(rows uint64) { tuning.ShortRows = rows }(tuning.ShortRows)
	tuning.ShortRows = 0
	s.betweenness(t, "levels, a launch each", deep, []uint32{0, 3 * levels / 2, 0})
}

// betweenness compares scores with the oracle's.
func (s Suite) betweenness(t *testing.T, name string, g *graph.Graph, sources []uint32) {
	t.Helper()
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	search, err := bc.NewSearcher(p, bc.Options{Unnormalized: true})
	if err != nil {
		t.Fatal(err)
	}
	defer search.Close()
	r, err := search.Run(t.Context(), sources[:min(1, len(sources))]) // which leaves its arrays and steps to the next run
	if err == nil {
		r, err = search.Run(t.Context(), sources)
	}
	if g.In() == nil {
		if !errors.Is(err, graph.ErrNoReverse) {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	got, err := r.Betweenness.Slice()
	if err != nil {
		t.Fatal(err)
	}
	for v, x := range oracle.Betweenness(g, sources) {
		want := x * r.Scale
		others := 0.0 // sources whose paths the vertex may be on
		for _, s := range sources {
			if s != uint32(v) {
				others++
			}
		}
		if sources != nil && g.NumVertices() > 2 {
			want *= float64(len(sources)) / others // 0/0 is not a number where it is the only source
		}
		if math.IsNaN(want) != math.IsNaN(got[v]) || math.Abs(got[v]-want) > 1e-11*max(1, want) {
			t.Fatalf("%s: vertex %d has %v, want %v", name, v, got[v], want)
		}
	}
	if err := errors.Join(bc.Validate(g, r), r.Close()); err != nil {
		t.Fatal(err)
	}
	if r, err = bc.Run(t.Context(), p, bc.Options{Sources: sources, Edges: true}); err != nil {
		t.Fatal(err)
	}
	if (r.WhyHost != "") != (p.Remote() != nil) || r.Stats.Device == "" {
		t.Errorf("%s: edges on the host: %q, %q", name, r.WhyHost, r.Stats.Device)
	}
	if err := errors.Join(bc.Validate(g, r), r.Close()); err != nil {
		t.Fatal(err)
	}
}
