// This file compares shortest paths with those of Dijkstra's algorithm, in the type that they have.

package conformance

import (
	"fmt"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/traverse"
)

// comparePaths compares what a search found with what one goroutine finds.
func comparePaths(g *graph.Graph, q sssp.Query, res *sssp.Result) error {
	switch d := res.Distances; d.Type() {
	case graph.WeightsInt64:
		return comparePathsOf(g, q, d.Int64, res.Parents)
	case graph.WeightsFloat64:
		return comparePathsOf(g, q, d.Float64, res.Parents)
	default:
		return comparePathsOf(g, q, d.Float32, res.Parents)
	}
}

func comparePathsOf[T interface {
	device.Elem
	int64 | float32 | float64
}](g *graph.Graph, q sssp.Query, got *traverse.Values[T], gotParents *traverse.Values[uint32]) error {
	distances, parents, err := sssp.Sequential[T](g.Out(), q)
	if err != nil {
		return err
	}
	if err := compare(got, distances); err != nil {
		return fmt.Errorf("distances: %w", err)
	}
	if gotParents == nil {
		return nil
	}
	if err := compare(gotParents, parents); err != nil {
		return fmt.Errorf("parents: %w", err)
	}
	byID, err := got.ByID()
	if err != nil {
		return err
	}
	for i, d := range byID {
		if v := g.IDs().AtRank(uint32(i)); d != distances[v] {
			return fmt.Errorf("by id, entry %d is %v, that of vertex %d %v", i, d, v, distances[v])
		}
	}
	return nil
}
