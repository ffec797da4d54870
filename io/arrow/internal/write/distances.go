// This file holds columns of distances, which have the type of the weights that they are sums of.

package write

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
)

// weightTypeOf returns the type of columns of weights, and of distances.
func weightTypeOf(t graph.WeightType) outType {
	switch t {
	case graph.WeightsInt64:
		return outType{kind: kindInt, bits: 64}
	case graph.WeightsFloat64:
		return outType{kind: kindFloat, bits: 64}
	}
	return weightType
}

// distanceType returns the type of a slice of distances, and how many there are.
func distanceType(distances any) (t graph.WeightType, n int, err error) {
	switch d := distances.(type) {
	case nil:
		return graph.WeightsAuto, 0, nil
	case []int64:
		return graph.WeightsInt64, len(d), nil
	case []float64:
		return graph.WeightsFloat64, len(d), nil
	case []float32:
		return graph.WeightsFloat32, len(d), nil
	}
	return 0, 0, fmt.Errorf("%w: distances are %T; want []int64, []float64 or []float32", ErrResult, distances)
}

// addDistance appends a distance to a column of their type.
func (c *outColumn) addDistance(distances any, at uint32) {
	switch d := distances.(type) {
	case []int64:
		c.ints = append(c.ints, d[at])
	case []float64:
		c.doubles = append(c.doubles, d[at])
	case []float32:
		c.floats = append(c.floats, d[at])
	}
}

// clear empties a column of numbers.
func (c *outColumn) clear() {
	c.ints, c.doubles, c.floats = c.ints[:0], c.doubles[:0], c.floats[:0]
}

// addWeight appends the weight of an edge to a column of that type.
func (c *outColumn) addWeight(from *graph.CSR, t graph.WeightType, e uint64) {
	switch t {
	case graph.WeightsInt64:
		c.ints = append(c.ints, from.IntWeight(e))
	case graph.WeightsFloat64:
		c.doubles = append(c.doubles, from.FloatWeight(e))
	default:
		c.floats = append(c.floats, from.Weights[e])
	}
}

// batchWeights returns the type of columns of the weights of a batch; WeightsAuto: it has none.
func batchWeights(b *graph.Batch) graph.WeightType {
	switch {
	case b.IntWeights != nil:
		return graph.WeightsInt64
	case b.FloatWeights != nil:
		return graph.WeightsFloat64
	case b.Weights != nil:
		return graph.WeightsFloat32
	}
	return graph.WeightsAuto
}

// WeightCount returns how many weights a batch has.
func WeightCount(b *graph.Batch) int {
	return max(len(b.IntWeights), len(b.FloatWeights), len(b.Weights))
}

// setWeights makes weights lo to hi-1 of a batch the values of a column of that type.
func (c *outColumn) setWeights(b *graph.Batch, t graph.WeightType, lo, hi int) {
	switch {
	case b.FloatWeights == nil && t == graph.WeightsFloat64:
		c.doubles = make([]float64, 0, hi-lo)
		for i := lo; i < hi; i++ {
			c.doubles = append(c.doubles, b.FloatWeight(i))
		}
	case b.IntWeights != nil:
		c.ints = b.IntWeights[lo:hi]
	case b.FloatWeights != nil:
		c.doubles = b.FloatWeights[lo:hi]
	default:
		c.floats = b.Weights[lo:hi]
	}
}
