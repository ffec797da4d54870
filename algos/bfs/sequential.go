// This file holds the plain sequential search, the oracle that all others are
// compared with.

package bfs

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
)

// Sequential is a plain breadth-first search on one goroutine: a queue and a
// depth array, nothing else. It returns the depth of every vertex, -1 where
// not reached. It exists to check the other searches against; sources that
// the graph doesn't have are skipped.
func Sequential(c *graph.CSR, sources ...uint32) []int32 {
	depths, _ := SequentialContext(context.Background(), c, sources...) // never canceled
	return depths
}

// SequentialContext is Sequential with a context, whose error it returns.
func SequentialContext(ctx context.Context, c *graph.CSR, sources ...uint32) ([]int32, error) {
	if err := callctx.Check(ctx, "bfs"); err != nil {
		return nil, err
	}
	depths := make([]int32, c.NumVertices())
	for v := range depths {
		depths[v] = -1
	}
	queue := make([]uint32, 0, len(depths))
	for _, v := range sources {
		if int64(v) < int64(len(depths)) && depths[v] < 0 {
			depths[v] = 0
			queue = append(queue, v)
		}
	}
	edges := 0
	for head := 0; head < len(queue); head++ {
		v := queue[head]
		next := depths[v] + 1
		row := c.Neighbors(v)
		if edges += len(row) + 1; edges >= lookEdges {
			edges = 0
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("bfs: %w", err)
			}
		}
		for _, t := range row {
			if depths[t] < 0 {
				depths[t] = next
				queue = append(queue, t)
			}
		}
	}
	return depths, nil
}
