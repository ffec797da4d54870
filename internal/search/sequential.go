// This file holds the plain sequential search.

package search

import (
	"context"

	"github.com/foray-graph/foray/graph"
)

// Sequential is bfs.Sequential, for callers that a context ends: it returns nil then.
func Sequential(ctx context.Context, c *graph.CSR, sources ...uint32) []int32 {
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
			if edges = 0; ctx.Err() != nil {
				return nil
			}
		}
		for _, t := range row {
			if depths[t] < 0 {
				depths[t] = next
				queue = append(queue, t)
			}
		}
	}
	return depths
}
