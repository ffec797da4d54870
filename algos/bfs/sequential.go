// This file holds the plain sequential search, the oracle that all others are
// compared with.

package bfs

import "github.com/foray-graph/foray/graph"

// Sequential is a plain breadth-first search on one goroutine: a queue and a
// depth array, nothing else. It returns the depth of every vertex, -1 where
// not reached. It exists to check the other searches against; sources that
// the graph doesn't have are skipped.
func Sequential(c *graph.CSR, sources ...uint32) []int32 {
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
	for head := 0; head < len(queue); head++ {
		v := queue[head]
		next := depths[v] + 1
		for _, t := range c.Neighbors(v) {
			if depths[t] < 0 {
				depths[t] = next
				queue = append(queue, t)
			}
		}
	}
	return depths
}
