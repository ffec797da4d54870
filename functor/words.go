// This file holds what generated host loops call at edges and vertices. All of it is inlined.

package functor

import (
	"math"
	"unsafe"
)

// Word32 returns the address of a float as the address of its bits, for sync/atomic.
func Word32(p *float32) *uint32 { return (*uint32)(unsafe.Pointer(p)) }

// Word64 is Word32 of a float64.
func Word64(p *float64) *uint64 { return (*uint64)(unsafe.Pointer(p)) }

// Lowers32 reports whether atomics.Min replaces old by x: -0 is less than 0, a NaN given is
// ignored, and one that is there is replaced.
func Lowers32(x, old float32) bool {
	return x < old || x == x && (old != old || x == old && math.Float32bits(x) > math.Float32bits(old))
}

// Raises32 is Lowers32 of atomics.Max.
func Raises32(x, old float32) bool {
	return x > old || x == x && (old != old || x == old && math.Float32bits(x) < math.Float32bits(old))
}

// Lowers64 is Lowers32 of float64.
func Lowers64(x, old float64) bool {
	return x < old || x == x && (old != old || x == old && math.Float64bits(x) > math.Float64bits(old))
}

// Raises64 is Raises32 of float64.
func Raises64(x, old float64) bool {
	return x > old || x == x && (old != old || x == old && math.Float64bits(x) < math.Float64bits(old))
}
