// This file holds the tests of reduces of numbers that aren't ordered as others are: of zeros and of NaN.

package conformance

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// composedZeros reduces floats, many of which are 0, -0 or NaN, by minimum and maximum: over the rows of in-edges, and
// over the vertices. The result has the same bits on all devices: it is never -0, and NaN is ignored.
func composedZeros(p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	return errors.Join(zeros[float32](p, r, x), zeros[float64](p, r, x))
}

func zeros[T float32 | float64](p *graph.Placed, r *rand.Rand, x *traverse.Traversal) error {
	if p.Graph().In() == nil {
		return nil
	}
	all := []float64{math.Copysign(0, -1), 0, math.NaN(), 3, -3, math.Inf(1), math.Inf(-1)}
	some := all[:1+r.IntN(len(all))]
	value, low, high := traverse.Array[T](x, 0), traverse.Array[T](x, 7), traverse.Array[T](x, 7)
	values := make([]T, p.NumVertices())
	for v := range values {
		values[v] = T(some[r.IntN(len(some))])
	}
	traverse.Get(x, traverse.Scalar[uint64](x, operators.Sum)) // waits for the zeros
	if x.Err() != nil {
		return x.Err()
	}
	if err := value.Write(p.Device(), 0, values); err != nil {
		return err
	}
	least, greatest := traverse.Scalar[float64](x, operators.Min), traverse.Scalar[float64](x, operators.Max)
	x.Repeat(x.All(), reduce.In(composed.NewLowest(value, low), least), reduce.In(composed.NewHighest(value, high), greatest), traverse.MaxRounds(1))
	lows, highs := filled(len(values), T(math.Inf(1))), filled(len(values), T(math.Inf(-1)))
	var errs []error
	for v := range values {
		for _, u := range p.Graph().In().Neighbors(uint32(v)) {
			if y := values[u] + 0; y == y {
				lows[v], highs[v] = min(lows[v], y), max(highs[v], y)
			}
		}
	}
	a, b := math.Inf(1), math.Inf(-1)
	for _, y := range values {
		if y := float64(y) + 0; y == y {
			a, b = min(a, y), max(b, y)
		}
	}
	for how, want := range map[*operators.Scalar[float64]]float64{least: a, greatest: b} {
		if got := traverse.Get(x, how); math.Float64bits(got) != math.Float64bits(want) {
			errs = append(errs, fmt.Errorf("the vertices reduce to %v, want %v", got, want))
		}
	}
	return errors.Join(append(errs, sameBits(x, low, lows), sameBits(x, high, highs))...)
}

// sameBits is same, which also tells -0 from 0.
func sameBits[T float32 | float64](x *traverse.Traversal, b *device.Buffer[T], want []T) error {
	got := make([]T, len(want))
	if err := b.Read(x.Placed().Device(), 0, got); err != nil {
		return err
	}
	for v, y := range got {
		if math.Float64bits(float64(y)) != math.Float64bits(float64(want[v])) {
			return fmt.Errorf("vertex %d: %v, want %v", v, y, want[v])
		}
	}
	return nil
}
