package dobfs_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// TestEvenDegrees searches graphs of even degrees, where pushes claim in the
// result's array, with all arrays that a result can have, wherever the direction
// changes and the search ends, again and again in the same memory.
func TestEvenDegrees(t *testing.T) {
	for _, kind := range []testgraph.Kind{testgraph.Undirected, testgraph.WithReverse} {
		g := testgraph.Uniform(10_000, 8, kind).Graph(3)
		for _, workers := range []int{2, 5} {
			p := testgraph.Place(g, workers)
			for name, f := range factors {
				for _, o := range []dobfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents}, {Outputs: bfs.Parents}} {
					for _, limit := range []int{0, 1, 2, 3} {
						o, what := o, fmt.Sprintf("%v, %d workers, %s, %+v, limit %d", kind, workers, name, o, limit)
						o.Tuning.Alpha, o.Tuning.Beta, o.DepthLimit = f.Tuning.Alpha, f.Tuning.Beta, limit
						s, err := dobfs.NewSearcher(p, o)
						if err != nil {
							t.Fatal(err)
						}
						for _, sources := range [][]uint32{{1}, {9_999, 5}} {
							r, err := s.Run(context.Background(), bfs.Query{Sources: sources})
							if err != nil {
								t.Fatalf("%s: %v", what, err)
							}
							if err := testsearch.Check(g, sources, bfs.Options{Outputs: o.Outputs, DepthLimit: limit}, r); err != nil {
								t.Fatalf("%s: %v", what, err)
							}
						}
						if err := s.Close(); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			r, err := dobfs.Run(context.Background(), p, 1, dobfs.Options{Targets: []uint32{7, 77}, Outputs: bfs.Depths | bfs.Parents})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range []uint32{7, 77} {
				if want := oracle.Depths(g.Out(), 1)[v]; testgraph.Array(r.Depths())[v] != want {
					t.Errorf("target %d is at depth %d, want %d", v, testgraph.Array(r.Depths())[v], want)
				}
			}
			r.Close()
		}
	}
}
