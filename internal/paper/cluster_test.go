// This file holds the tests of searches over ranks.

package paper

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/page"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

func generated(ctx context.Context, spec string) (*graph.Graph, error) {
	g, err := gen.Parse(spec)
	if err != nil {
		return nil, err
	}
	return gen.Build(ctx, g, graph.Options{})
}

func loaded(t *testing.T, spec string) *clusterGraph {
	t.Helper()
	g, err := loadCluster(t.Context(), "gen:"+spec, Options{Sources: 3, Generate: generated})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.close() })
	return g
}

// TestClusterRun: the subgraphs have all edges, those that the threshold leaves; parts add up; one rank sends nothing.
func TestClusterRun(t *testing.T) {
	testlong.Project(t)
	for _, spec := range []string{"kron8", "grid2d:20x20", "star:40"} {
		g := loaded(t, spec)
		for _, ranks := range []int{1, 2, 3, 4, 6} {
			for _, threshold := range []int64{-1, 0, 2, 16, 1 << 40} {
				for _, byMachine := range []bool{false, true} {
					x := ClusterRun{Input: g.input, Ranks: ranks, Asked: threshold, ByMachine: byMachine}
					if err := g.measure(t.Context(), []*ClusterRun{&x}, 2, perMachine, onGoroutines); err != nil {
						t.Fatal(err)
					}
					fail := func(what string) { t.Errorf("%s, threshold %d: %s: %+v", spec, threshold, what, x) }
					if x.NN+x.ND+x.DN+x.DD != x.DirectedEdges || x.DirectedEdges != g.graph.NumDirectedEdges() || x.Vertices != g.graph.NumVertices() {
						fail("edges are missing")
					}
					switch {
					case threshold == 0 && (x.NN != 0 || x.Sent != 0):
						fail("all vertices with edges are delegates, but there are nn edges")
					case threshold == 1<<40 && (x.NN != x.DirectedEdges || x.Delegates != 0 || x.United != 0):
						fail("without delegates all edges are nn")
					case threshold == 1<<40 && spec == "kron8" && ranks > 1 && x.Sent == 0:
						fail("nothing was sent")
					case ranks == 1 && (x.Sent != 0 || x.United != 0):
						fail("one rank sent")
					case x.Across > x.Sent || ranks <= perMachine && x.Across > 0 || ranks > perMachine && !byMachine && x.LocalMS > 0:
						fail("exchange between machines")
					}
					if sum := x.ComputingMS + x.CountingMS + x.UnitingMS + x.LocalMS + x.ExchangingMS; math.Abs(sum-x.MedianMS) > 1e-9 && x.CountingMS > 0 {
						fail("parts don't add up")
					}
					if x.perEdge() <= 0 || x.GTEPS <= 0 || x.ComputingMS <= 0 || x.MinMS <= 0 || x.MinMS > x.MedianMS || x.MedianMS > x.MaxMS || !x.Checked || x.Source == "" {
						fail("figures are missing")
					}
				}
			}
		}
	}
}

// TestClusterWrong: a depth that isn't the sequential search's ends all ranks, with an error that names the vertex.
func TestClusterWrong(t *testing.T) {
	g := loaded(t, "kron8")
	wrong := slices.Index(g.depths[1], 2)
	g.depths[1][wrong] = 1
	for _, ranks := range []int{1, 4} {
		err := g.measure(t.Context(), []*ClusterRun{{Ranks: ranks, Asked: 16}}, 1, perMachine, onGoroutines)
		if named := "vertex " + g.graph.IDs().Format(uint32(wrong)) + " has depth 2, the sequential search says 1"; !errors.Is(err, bench.ErrWrong) || !strings.HasSuffix(err.Error(), named) || strings.Contains(err.Error(), "comm") {
			t.Errorf("%d ranks: %v, want %q", ranks, err, named)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.measure(ctx, []*ClusterRun{{Ranks: 4}}, 1, perMachine, onGoroutines); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestClusterResumes: runs that were measured before aren't measured again, and each is saved.
func TestClusterResumes(t *testing.T) {
	testlong.Project(t)
	saved := 0
	measure := func(had *Report, o Options) *Report {
		r := &Report{}
		saved = 0
		if err := clustered(t.Context(), true, o, r, had, func(string) {}, func() error { saved++; return nil }); err != nil {
			t.Fatal(err)
		}
		return r
	}
	o := Options{Scale: Small, Sources: 1, Trials: 1, NoCheck: true, Generate: generated}
	r := measure(&Report{}, o)
	if len(r.Cluster.Runs) < 6+5+3+3 || saved == 0 || !r.Cluster.Host || r.Cluster.Runs[0].Checked {
		t.Errorf("%d runs, saved %d: %+v", len(r.Cluster.Runs), saved, r.Cluster.Runs[0])
	}
	o.Generate = nil // nothing is left to measure
	if again := measure(r, o); saved != 0 || !slices.Equal(again.Cluster.Runs, r.Cluster.Runs) {
		t.Errorf("measured again: %d", saved)
	}
	p := page.New("ranks")
	r.writeCluster(p)
	var html strings.Builder
	if err := p.End(&html); err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"goroutines of one process", "not a network", "They search on the host", "Depths were not checked", "auto: "} {
		if !strings.Contains(html.String(), says) {
			t.Errorf("the page lacks %q", says)
		}
	}
}

func TestRankCounts(t *testing.T) {
	for cores, want := range map[int][]int{1: {1, 2, 4}, 2: {1, 2, 4}, 7: {1, 2, 4}, 8: {1, 2, 4, 8}, 128: {1, 2, 4, 8}} {
		if got := rankCounts(0, cores); !slices.Equal(got, want) {
			t.Errorf("%d cores: %v, want %v", cores, got, want)
		}
	}
	for processes, want := range map[int][]int{2: {1, 2}, 3: {1, 2, 3}, 4: {1, 2, 4}, 16: {1, 2, 4, 8, 16}} {
		if got := rankCounts(processes, 1); !slices.Equal(got, want) {
			t.Errorf("%d processes: %v, want %v", processes, got, want)
		}
	}
}

// TestBandwidthEnds: the first copy, which is slow on busy machines, ends with the context.
func TestBandwidthEnds(t *testing.T) {
	from, to := make([]byte, 3*bandwidthLeast+5), make([]byte, 3*bandwidthLeast+5)
	fill(t.Context(), from, to)
	if last := len(to) - 5; to[last-64] != from[last-64] || from[64] != 64 || to[64] != 64 {
		t.Error("it doesn't copy")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	from[64] = 1
	if fill(ctx, from, to); from[64] != 1 {
		t.Error("it fills after the context ended")
	}
}
