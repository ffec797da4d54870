// This file holds the distances of a result.

package sssp

import (
	"errors"
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/traverse"
)

// Distances has the distance of every vertex, in one of three types: the others are nil.
type Distances struct {
	Int64   *traverse.Values[int64]   // of integer weights; -1 where a vertex wasn't reached
	Float64 *traverse.Values[float64] // of float weights; +Inf where a vertex wasn't reached
	Float32 *traverse.Values[float32] // with Options.Float32 or graph.WeightsFloat32, rounded; +Inf likewise
}

// Type returns the type.
func (d Distances) Type() graph.WeightType {
	switch {
	case d.Int64 != nil:
		return graph.WeightsInt64
	case d.Float64 != nil:
		return graph.WeightsFloat64
	case d.Float32 != nil:
		return graph.WeightsFloat32
	}
	return graph.WeightsAuto
}

// Slice returns the distances by internal vertex in float64, whatever type they have: +Inf where a vertex
// wasn't reached. Integers of more than 53 bits are rounded; Int64 has them all. What it returns may be the
// result's own memory, valid until Close or, where the result is a Searcher's, its next run. It returns the errors of traverse.Values.Slice.
func (d Distances) Slice() ([]float64, error) {
	switch {
	case d.Int64 != nil:
		ints, err := d.Int64.Slice()
		if err != nil {
			return nil, err
		}
		all := make([]float64, len(ints))
		for v, x := range ints {
			if all[v] = float64(x); x < 0 {
				all[v] = math.Inf(1)
			}
		}
		return all, nil
	case d.Float32 != nil:
		floats, err := d.Float32.Slice()
		if err != nil {
			return nil, err
		}
		all := make([]float64, len(floats))
		for v, x := range floats {
			all[v] = float64(x)
		}
		return all, nil
	case d.Float64 != nil:
		return d.Float64.Slice()
	}
	return nil, fmt.Errorf("sssp: %w: the result; use its distances before Close", device.ErrClosed)
}

// Graph returns the graph that was searched.
func (d Distances) Graph() *graph.Graph {
	switch {
	case d.Int64 != nil:
		return d.Int64.Graph()
	case d.Float64 != nil:
		return d.Float64.Graph()
	}
	return d.Float32.Graph()
}

// of is traverse.Values.Of.
func (d Distances) of(p *graph.Placed) error {
	return errors.Join(ofGraph(d.Int64, p), ofGraph(d.Float64, p), ofGraph(d.Float32, p))
}

// free gives the memory to the next search.
func (d Distances) close() error {
	return errors.Join(d.Int64.Close(), d.Float64.Close(), d.Float32.Close())
}
