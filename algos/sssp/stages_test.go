package sssp_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestStages searches graphs whose frontiers many workers share, so that they take vertices from each other: in narrow
// stages, in the graph's, and in one for all.
func TestStages(t *testing.T) {
	testlong.Project(t)
	n := testlong.Of(20_000, 60_000)
	for _, c := range []testgraph.Case{testgraph.Uniform(n, 3, testgraph.Undirected), testgraph.Skewed(n/2, 12, testgraph.Undirected), testgraph.Uniform(n/3, 40, testgraph.Directed)} {
		g := c.Weighted(3)
		want := oracle.ShortestPaths[float64](g.Out(), []uint32{7}, nil, 0).Distances
		for i, workers := range []int{1, 2, 5, 16} {
			if testgraph.Race && i%2 == 0 {
				continue // one worker does nothing at the same time, and five do as sixteen
			}
			p := placed(t, g, workers)
			for _, delta := range []float64{0, 1, 5, math.Inf(1)} {
				t.Run(fmt.Sprintf("%s/%d/%v", c.Name, workers, delta), func(t *testing.T) {
					for range 3 {
						r, err := sssp.Run(t.Context(), p, 7, sssp.Options{Delta: delta})
						if err != nil {
							t.Fatal(err)
						}
						got, err := r.Distances.Slice()
						if err != nil {
							t.Fatal(err)
						}
						for v := range want {
							if got[v] != want[v] {
								t.Fatalf("vertex %d is at distance %v, want %v", v, got[v], want[v])
							}
						}
						if err := r.Close(); err != nil {
							t.Fatal(err)
						}
					}
				})
			}
		}
	}
}
