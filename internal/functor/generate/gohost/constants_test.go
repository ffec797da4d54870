package gohost

import (
	"math"
	"math/rand/v2"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// constantOf returns a number, often a special one.
func constantOf(r *rand.Rand, t ir.Type) uint64 {
	switch t {
	case ir.Bool:
		return uint64(r.IntN(2))
	case ir.Float32:
		if r.IntN(2) == 0 {
			return uint64(math.Float32bits(float32(r.NormFloat64() * 10)))
		}
		list := []float32{0, float32(math.Copysign(0, -1)), 1, -1, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 0.1, 3e9, -3e9, 1e20, math.SmallestNonzeroFloat32}
		return uint64(math.Float32bits(list[r.IntN(len(list))]))
	case ir.Float64:
		if r.IntN(2) == 0 {
			return math.Float64bits(r.NormFloat64() * 10)
		}
		list := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0.1, 3e9, -3e9, 1e20, math.SmallestNonzeroFloat64}
		return math.Float64bits(list[r.IntN(len(list))])
	}
	x := []uint64{0, 1, 2, 5, 31, 32, 33, 63, 64, math.MaxUint64, math.MaxInt64, 1 << 63, math.MaxInt32, 1 << 31, r.Uint64(), r.Uint64() >> 40, uint64(r.IntN(40))}[r.IntN(17)]
	if t.Bits() == 32 {
		x = uint64(uint32(x))
	}
	return x
}
