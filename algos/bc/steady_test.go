package bc_test

import (
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// TestSearcherSame: runs of a Searcher have the bits of a Run, whichever way the runs before took. Counts of some
// sources have powers.
func TestSearcherSame(t *testing.T) {
	defer func(rows uint64, narrow int) { tuning.ShortRows, tuning.NarrowEdges = rows, narrow }(tuning.ShortRows, tuning.NarrowEdges)
	tuning.NarrowEdges = 0
	for _, rows := range []uint64{tuning.ShortRows, 0} {
		tuning.ShortRows = rows
		for name, g := range map[string]*graph.Graph{"stages": stages(700, 3), "skewed": testgraph.ByName("skewed-undirected").Graph(4)} {
			n := uint32(g.NumVertices())
			p := place(t, g, 3)
			s, err := bc.NewSearcher(p, bc.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i, sources := range [][]uint32{{n / 2}, {0, n - 1, n / 2}, {n / 2}, {0}, {n / 2, n - 1}} {
				r, err := s.Run(t.Context(), sources)
				if err != nil {
					t.Fatal(err)
				}
				got, err := r.Betweenness.Slice()
				if err != nil {
					t.Fatal(err)
				}
				same := func(a, b float64) int {
					if a == b || a != a && b != b {
						return 0
					}
					return 1
				}
				if want := scores(t, p, sources, bc.Options{}); slices.CompareFunc(got, want, same) != 0 {
					t.Errorf("%s, run %d from %v, rows of up to %d: others than those of Run", name, i, sources, rows)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestSearcherAllocates: a run in steady state allocates next to nothing, whichever way it takes.
func TestSearcherAllocates(t *testing.T) {
	if testgraph.Race {
		t.Skip("needs a build without -race, whose detector allocates too")
	}
	for _, name := range []string{"skewed-reverse", "uniform-undirected", "road-undirected", "lattice", "path", "complete", "star"} {
		g := testgraph.ByName(name).Graph(7)
		for _, workers := range []int{1, 3} {
			for _, few := range []bool{true, false} {
				s, err := bc.NewSearcher(place(t, g, workers), bc.Options{Samples: 2, Stats: few})
				if err != nil {
					t.Fatal(err)
				}
				var sources []uint32 // those of the options
				if few {
					sources = []uint32{0, 1, 1}
				}
				bytes, pieces := testgraph.Steady(func() {
					if few {
						sources[0] = (sources[0] + 7) % 50
					}
					if _, err := s.Run(t.Context(), sources); err != nil {
						t.Fatal(err)
					}
				})
				if t.Logf("%s, %d workers: a run takes %.0f bytes, in %v pieces", name, workers, bytes, pieces); bytes >= 1024 {
					t.Error("that is too much")
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
