// This file tests statistics of searches of many levels.

package bfs_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// TestDeepStats: statistics of half a million levels add up, and take as much memory as
// is said, and as much garbage while their array grows.
func TestDeepStats(t *testing.T) {
	path, err := gen.Parse("path:500000")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.Build(t.Context(), path, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := testgraph.Place(g, 1)
	search := func(o bfs.Options) (allocated uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := bfs.Run(context.Background(), p, 3, o)
		runtime.ReadMemStats(&after)
		if err == nil {
			err = testsearch.Check(g, []uint32{3}, o, r)
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		return after.TotalAlloc - before.TotalAlloc
	}
	search(bfs.Options{})
	with, without := search(bfs.Options{Stats: true}), search(bfs.Options{})
	if with > without+2<<20 {
		t.Errorf("%d bytes with statistics, %d without", with, without)
	}
	plain, err := bfs.NewSearcher(p, bfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	counted, err := bfs.NewSearcher(p, bfs.Options{Stats: true})
	if err != nil {
		t.Fatal(err)
	}
	if more := counted.Bytes() - plain.Bytes(); more < 200_000 || more > 1<<20 {
		t.Errorf("statistics are said to take %d bytes", more)
	}
}
