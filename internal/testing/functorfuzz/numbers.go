// This file turns numbers of Go into bits and back.

package functorfuzz

import "math"

// Scalar is a type that fields and results may have.
type Scalar interface {
	bool | Element
}

// Element is a type that slices may be of.
type Element interface {
	int32 | uint32 | int64 | uint64 | float32 | float64
}

// Number returns the number of bits.
func Number[T Scalar](bits uint64) (x T) {
	switch p := any(&x).(type) {
	case *bool:
		*p = bits != 0
	case *int32:
		*p = int32(bits)
	case *uint32:
		*p = uint32(bits)
	case *int64:
		*p = int64(bits)
	case *uint64:
		*p = bits
	case *float32:
		*p = math.Float32frombits(uint32(bits))
	case *float64:
		*p = math.Float64frombits(bits)
	}
	return x
}

// Word returns a number's bits.
func Word[T Scalar](x T) uint64 {
	switch x := any(x).(type) {
	case bool:
		return bit(x)
	case int32:
		return uint64(uint32(x))
	case uint32:
		return uint64(x)
	case int64:
		return uint64(x)
	case uint64:
		return x
	case float32:
		return uint64(math.Float32bits(x))
	case float64:
		return math.Float64bits(x)
	}
	return 0
}
