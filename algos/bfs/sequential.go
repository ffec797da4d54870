// This file holds the plain sequential search, the oracle that all others are
// compared with.

package bfs

import (
	"context"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/search"
)

// Sequential is a plain breadth-first search on one goroutine: a queue and a
// depth array, nothing else. It returns the depth of every vertex, -1 where
// not reached. It exists to check the other searches against; sources that
// the graph doesn't have are skipped.
func Sequential(c *graph.CSR, sources ...uint32) []int32 {
	return search.Sequential(context.Background(), c, sources...)
}
