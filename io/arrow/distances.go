// This file holds columns of distances, which have the type of the weights that they are sums of.

package arrow

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
