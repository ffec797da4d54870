// This file tests which graphs have pushes claim vertices in the result's array.

package bfs

import (
	"context"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// TestClaims checks which searches claim in the result's array. TestEvenDegrees of dobfs
// relies on it.
func TestClaims(t *testing.T) {
	for _, c := range []struct {
		c       testgraph.Case
		workers int
		pulls   bool
		want    bool
	}{
		{testgraph.Uniform(10_000, 8, testgraph.Undirected), 2, true, true},
		{testgraph.Uniform(10_000, 8, testgraph.WithReverse), 5, true, true},
		{testgraph.Uniform(10_000, 8, testgraph.Undirected), 1, true, false},
		{testgraph.Uniform(10_000, 8, testgraph.Undirected), 2, false, false},
		{testgraph.Uniform(1_000, 8, testgraph.Undirected), 2, true, false},
		{testgraph.Skewed(10_000, 8, testgraph.Undirected), 2, true, false},
		{testgraph.Path(100), 1, false, true},
	} {
		p := testgraph.Place(c.c.Graph(3), c.workers)
		got := !c.want
		looks := algorithm{
			space: workspaceOptions{Depths: true, Pulls: c.pulls},
			variant: &Variant{Name: "test", Pulls: func(t *Turn) bool {
				got = t.Builds
				return false
			}},
		}
		r, err := looks.run(context.Background(), p, []uint32{1})
		if err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%s, %d workers, pulls %t: by array %t", c.c.Name, c.workers, c.pulls, got)
		}
		r.Close()
	}
}
