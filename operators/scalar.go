// This file holds reductions, and Scalar, what a reduction over vertices leaves.

package operators

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/functor/link"
)

// Number is what a scalar may be.
type Number interface{ int64 | uint64 | float64 }

// Reduction is how values become one.
type Reduction uint8

// The reductions. Min and Max ignore NaN. Of no values, or of NaN alone, the smallest is +Inf
// or the largest integer, and the largest -Inf or the smallest.
const (
	Sum Reduction = iota
	Min
	Max
	Or // the union of bits; of integers
)

// String returns the reduction's name.
func (r Reduction) String() string {
	if r > Or {
		return fmt.Sprintf("reduction %d", uint8(r))
	}
	return [...]string{"Sum", "Min", "Max", "Or"}[r]
}

// Join reduces two values.
func Join[T int32 | uint32 | int64 | uint64 | float32 | float64](how Reduction, a, b T) T {
	switch how {
	case Min:
		if b < a || a != a {
			return b
		}
		return a
	case Max:
		if b > a || a != a {
			return b
		}
		return a
	case Or:
		switch x := any(a).(type) {
		case int64:
			return T(x | any(b).(int64))
		case uint64:
			return T(x | any(b).(uint64))
		case int32:
			return T(x | any(b).(int32))
		case uint32:
			return T(x | any(b).(uint32))
		}
	}
	return a + b
}

// Identity returns what changes nothing in a reduction.
func Identity[T int64 | uint64 | float64](how Reduction) T {
	var x T
	switch p := any(&x).(type) {
	case *int64:
		switch how {
		case Min:
			*p = math.MaxInt64
		case Max:
			*p = math.MinInt64
		}
	case *uint64:
		if how == Min {
			*p = math.MaxUint64
		}
	case *float64:
		switch how {
		case Min:
			*p = math.Inf(1)
		case Max:
			*p = math.Inf(-1)
		}
	}
	return x
}

// Scalar is a number on a device, into which steps reduce what functors return, or bring to
// their accumulators (traverse.Sum). Steps replace what was there. traverse.Scalar makes one, which
// belongs to one traversal, and traverse.Get returns its value.
type Scalar[T Number] link.Scalar[T]

// Array returns the scalar as an array, whose element 0 is the value: functors of the steps
// behind the one that reduces into it read it there, without a look by the host. They mustn't
// write it. It is the scalar's.
func (s *Scalar[T]) Array() *device.Buffer[T] { return (*link.Scalar[T])(s).Array() }
