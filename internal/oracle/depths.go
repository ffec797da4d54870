// Package oracle has algorithms as they are defined, on one goroutine: what checks of results, tests
// and benchmarks compare with.
package oracle

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
)

// lookEdges is after how many edges a search looks at its context: half a millisecond.
const lookEdges = 1 << 15

// Depths is a plain breadth-first search on one goroutine: a queue and a
// depth array, nothing else. It returns the depth of every vertex, -1 where
// not reached. Sources that the graph doesn't have are skipped.
func Depths(c *graph.CSR, sources ...uint32) []int32 {
	depths, _ := DepthsContext(context.Background(), c, sources...) // never canceled
	return depths
}

// DepthsContext is Depths with a context, whose error it returns.
func DepthsContext(ctx context.Context, c *graph.CSR, sources ...uint32) ([]int32, error) {
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

// Counts returns, for each source, how many vertices there are at each distance, 0 for itself.
func Counts(g *graph.Graph, sources []uint32) [][]uint64 {
	all := make([][]uint64, len(sources))
	for i, s := range sources {
		for _, d := range Depths(g.Out(), s) {
			for int(d) >= len(all[i]) {
				all[i] = append(all[i], 0)
			}
			if d >= 0 {
				all[i][d]++
			}
		}
	}
	return all
}
