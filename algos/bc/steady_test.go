package bc_test

import (
	"testing"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/internal/testgraph"
)

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
