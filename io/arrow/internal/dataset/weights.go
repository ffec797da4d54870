// This file holds weights of columns, which keep their type: integers are int64, all else is float64.

package dataset

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// addWeight makes a column that of the weights.
func (c *choice) addWeight(cols []columnar.Column, i int, o *Options) {
	col := &cols[i]
	c.weightClass, c.weightScale, c.weightType = col.Class, col.Scale, o.Graph.WeightType
	kind := columnar.Weights // of 32 bits: halves, singles, and what can't be compared
	switch {
	case col.Class == columnar.Float && !col.Single:
		kind = columnar.Numbers
	case col.Class == columnar.Signed || col.Class == columnar.Unsigned || col.Class == columnar.Decimal || col.Class == columnar.BigDecimal:
		kind = col.Class.Kind()
	}
	c.weight = c.add(cols, i, kind)
}

// whole reports whether weights are integers.
func (c *choice) whole() bool {
	return c.weightClass == columnar.Signed || c.weightClass == columnar.Unsigned || c.weightClass == columnar.Decimal && c.weightScale == 0
}

// checkWeights reports the first row whose weight, a finite number, the type of the weights doesn't hold.
func (c *choice) checkWeights(v *columnar.Vector, rows int, keep []bool) (row int, err error) {
	skip := func(i int) bool { return v.Nulls > 0 && !v.Valid[i] || keep != nil && !keep[i] }
	switch {
	case v.Kind == columnar.Weights:
		if c.weightClass == columnar.Float {
			return 0, nil
		}
		for i, x := range v.Floats[:rows] { // of decimals
			if math.IsInf(float64(x), 0) && !skip(i) {
				return i, fmt.Errorf("%w: a decimal past %g is no weight; scale them", input.ErrWeight, math.MaxFloat32)
			}
		}
	case c.weightType == graph.WeightsFloat32 && v.Kind == columnar.Numbers:
		for i, x := range v.Doubles[:rows] {
			if math.IsInf(float64(float32(x)), 0) && !math.IsInf(x, 0) && !skip(i) {
				return i, fmt.Errorf("%w: %g is past %g, the largest float32; leave Options.Graph.WeightType at WeightsAuto", input.ErrWeight, x, math.MaxFloat32)
			}
		}
	case c.weightClass == columnar.Unsigned && (c.weightType == graph.WeightsAuto || c.weightType == graph.WeightsInt64):
		for i, x := range v.Ints[:rows] {
			if x < 0 && !skip(i) {
				return i, fmt.Errorf("%w: %d is past %d, the largest int64; set Options.Graph.WeightType to WeightsFloat64", input.ErrWeight, uint64(x), int64(math.MaxInt64))
			}
		}
	case c.weightClass == columnar.Decimal:
		return checkDecimals(v, rows, keep)
	}
	return 0, nil
}

// setWeights makes the first n values of a column the weights of the batch.
func (s *slot) setWeights(c *choice, v *columnar.Vector, n int) {
	switch {
	case v.Kind == columnar.Weights:
		s.batch.Weights = v.Floats[:n]
		return
	case v.Kind == columnar.Numbers:
		s.batch.FloatWeights = v.Doubles[:n]
		return
	case c.whole() && !(c.weightClass == columnar.Unsigned && (c.weightType == graph.WeightsFloat64 || c.weightType == graph.WeightsFloat32)):
		s.batch.IntWeights = v.Ints[:n]
		return
	}
	s.floats = s.floats[:0]
	unit := math.Pow10(c.weightScale)
	for i := range n {
		var x float64
		switch c.weightClass {
		case columnar.Unsigned:
			x = float64(uint64(v.Ints[i]))
		case columnar.BigDecimal:
			x = columnar.DecimalFloat(v.Data[v.Offsets[i]:v.Offsets[i+1]], c.weightScale)
		default:
			x = float64(v.Ints[i]) / unit
		}
		s.floats = append(s.floats, x)
	}
	s.batch.FloatWeights = s.floats
}
