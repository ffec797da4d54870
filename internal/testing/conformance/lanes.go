// This file holds tests of searches from many sources at once.

package conformance

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// AlgorithmMSBFS tests searches from many sources, and closeness, which uses them.
func (s Suite) AlgorithmMSBFS(t *testing.T) {
	// The last ones have rows that a GPU's thread doesn't pull alone.
	for i, c := range append(testgraph.Tiny(), testgraph.Skewed(700, 12, testgraph.Undirected), testgraph.Skewed(700, 12, testgraph.WithReverse)) {
		g := c.Graph(uint64(i))
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		if n := uint32(g.NumVertices()); n > 0 {
			var sources []uint32
			var pairs []msbfs.Pair
			for i := range uint32(70) {
				sources = append(sources, i*7%n)
				pairs = append(pairs, msbfs.Pair{From: i * 5 % n, To: i * 11 % n})
			}
			for _, most := range []int{0, 100, 512} {
				lanes(t, p, sources, pairs, msbfs.Options{Lanes: most})
			}
			behind(t, p, sources, pairs)
			each(t, p, sources, msbfs.EachOptions{Parents: true})
			each(t, p, sources, msbfs.EachOptions{DepthLimit: 2})
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s.long(t)
	s.closeness(t)
}

// behind searches with lanes that are pushed while others are pulled: all lanes that have the graph's edges together at
// most, or only those that have far fewer than others.
func behind(t *testing.T, p *graph.Placed, sources []uint32, pairs []msbfs.Pair) {
	t.Helper()
	lane, all := tuning.LaneBehind, tuning.LanesBehind
	defer func() { tuning.LaneBehind, tuning.LanesBehind = lane, all }()
	for i, most := range []int{64, 256, 512} {
		tuning.LaneBehind, tuning.LanesBehind = []uint32{1, 2, 1}[i], 1
		lanes(t, p, sources, pairs, msbfs.Options{Lanes: most})
	}
}

// long searches a graph whose rows are all long, from all vertices.
func (s Suite) long(t *testing.T) {
	t.Helper()
	g := testgraph.Uniform(400, 400, testgraph.WithReverse).Graph(3)
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	sources := make([]uint32, g.NumVertices())
	for v := range sources {
		sources[v] = uint32(v)
	}
	behind(t, p, sources, []msbfs.Pair{{From: 1, To: 2}})
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

// each compares what Each hands out with plain searches.
func each(t *testing.T, p *graph.Placed, sources []uint32, o msbfs.EachOptions) {
	t.Helper()
	at := 0
	for f, err := range msbfs.Each(t.Context(), p, sources, o) {
		if err != nil {
			t.Fatal(err)
		}
		want := oracle.Depths(p.Graph().Out(), sources[at])
		reached := 0
		for _, d := range want {
			if d >= 0 && (o.DepthLimit == 0 || int(d) <= o.DepthLimit) {
				reached++
			}
		}
		if f.Source != sources[at] || len(f.Vertices) != reached {
			t.Fatalf("source %d, %d of %d: %d vertices, want %d", f.Source, at, len(sources), len(f.Vertices), reached)
		}
		for i, v := range f.Vertices {
			if f.Depths[i] != want[v] {
				t.Fatalf("source %d, vertex %d at depth %d, want %d", f.Source, v, f.Depths[i], want[v])
			}
			if !o.Parents || v == f.Source {
				continue
			}
			if u := f.Parents[i]; want[u] != want[v]-1 || !slices.Contains(p.Graph().Out().Neighbors(u), v) {
				t.Fatalf("source %d, vertex %d has parent %d", f.Source, v, u)
			}
		}
		at++
	}
	if at != len(sources) {
		t.Fatalf("%d of %d sources", at, len(sources))
	}
}

func lanes(t *testing.T, p *graph.Placed, sources []uint32, pairs []msbfs.Pair, o msbfs.Options) {
	t.Helper()
	r, err := msbfs.Run(t.Context(), p, sources, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range oracle.Counts(p.Graph(), sources) {
		if !slices.Equal(r.Counts[i], want) {
			t.Fatalf("source %d: %v, want %v", sources[i], r.Counts[i], want)
		}
	}
	distances, err := msbfs.Reach(t.Context(), p, pairs, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, pair := range pairs {
		if want := oracle.Depths(p.Graph().Out(), pair.From)[pair.To]; distances[i] != want {
			t.Fatalf("pair %v: %d, want %d", pair, distances[i], want)
		}
	}
}

// closeness tests all vertices, some alone, and bounds.
func (s Suite) closeness(t *testing.T) {
	t.Helper()
	for _, k := range []testgraph.Kind{testgraph.Undirected, testgraph.WithReverse} {
		// Of all vertices 256 at once on a GPU.
		s.closenessOf(t, testgraph.Uniform(250, 3, k).Graph(1), [][]uint32{nil, {1, 77, 149}})
	}
}

// closenessOf tests closeness of vertices, nil being all, and bounds.
func (s Suite) closenessOf(t *testing.T, g *graph.Graph, ofs [][]uint32) {
	t.Helper()
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, of := range ofs {
		r, err := closeness.Run(t.Context(), p, closeness.Options{Of: of})
		if _, several := s.Device.(*gpu.Group); several && g.Directed() && of != nil && g.HasReverse() {
			if !errors.Is(err, device.ErrNotSupported) {
				t.Errorf("some vertices of a directed graph: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := closeness.Validate(g, r); err != nil {
			t.Error(err)
		}
		all, err := r.Closeness.Slice()
		if err != nil {
			t.Fatal(err)
		}
		for v, x := range all {
			if (of == nil || slices.Contains(of, uint32(v))) == math.IsNaN(x) {
				t.Errorf("closeness of %d, asked for %v: %v", v, of, x)
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if g.Directed() {
		return
	}
	b, err := closeness.Bound(t.Context(), p, 70, 1, closeness.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := closeness.ValidateBounds(g, b); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}
