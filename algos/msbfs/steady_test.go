package msbfs_test

import (
	"reflect"
	"testing"

	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestSearcherAllocates: a run in steady state allocates next to nothing, and finds what the first one does.
func TestSearcherAllocates(t *testing.T) {
	testlong.Project(t)
	if testgraph.Race {
		t.Skip("needs a build without -race, whose detector allocates too")
	}
	for _, name := range []string{"skewed-undirected", "uniform-directed", "line"} {
		g := testgraph.ByName(name).Graph(7)
		sources := make([]uint32, 70)
		for i := range sources {
			sources[i] = uint32(i * i % 100)
		}
		want := oracle.Counts(g, sources)
		for _, workers := range []int{1, 3} {
			for _, o := range []msbfs.Options{{Stats: true}, {Lanes: 256}} {
				s, err := msbfs.NewSearcher(testgraph.Place(g, workers), o)
				if err != nil {
					t.Fatal(err)
				}
				var r *msbfs.Result
				bytes, pieces := testgraph.Steady(func() {
					if r, err = s.Run(t.Context(), sources); err != nil {
						t.Fatal(err)
					}
				})
				if !reflect.DeepEqual(r.Counts, want) {
					t.Errorf("%s, %d workers, %+v: other counts", name, workers, o)
				}
				if t.Logf("%s, %d workers, %+v: a run takes %.0f bytes, in %v pieces", name, workers, o, bytes, pieces); bytes >= 1024 {
					t.Error("that is too much")
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
