// This file holds the weights of random graphs.

package main

import (
	"math"
	"math/rand/v2"
)

// weights draws the weights of a graph's edges; all weights of a graph are of one kind.
type weights struct {
	name string
	draw func(r *rand.Rand) float32
}

var weightKinds = []weights{
	{"small integers", func(r *rand.Rand) float32 { return float32(1 + r.IntN(3)) }},
	{"integers", func(r *rand.Rand) float32 { return float32(1 + r.IntN(255)) }},
	{"large integers", func(r *rand.Rand) float32 { return float32(r.IntN(1 << 24)) }},
	{"floats", func(r *rand.Rand) float32 { return r.Float32() }},
	{"equal", func(*rand.Rand) float32 { return 2.5 }},
	{"zero", func(*rand.Rand) float32 { return 0 }},
	{"mostly zero", func(r *rand.Rand) float32 { return float32(r.IntN(5) / 4) }},
	{"both zeros", func(r *rand.Rand) float32 {
		return []float32{0, float32(math.Copysign(0, -1)), 1}[r.IntN(3)]
	}},
	{"tiny", func(r *rand.Rand) float32 { return float32(math.Ldexp(r.Float64(), -149+r.IntN(30))) }},
	{"huge", func(r *rand.Rand) float32 { return float32(math.Ldexp(r.Float64(), 120+r.IntN(9))) }},
	{"largest", func(*rand.Rand) float32 { return math.MaxFloat32 }},
	{"all scales", func(r *rand.Rand) float32 {
		return float32(math.Ldexp(r.Float64(), []int{-149, -130, -20, 0, 20, 100, 127}[r.IntN(7)]))
	}},
	{"skewed", func(r *rand.Rand) float32 { return float32(math.Exp2(r.NormFloat64() * 8)) }},
	{"some infinite", func(r *rand.Rand) float32 { return []float32{inf32, 1, 2.5, math.MaxFloat32}[r.IntN(4)] }},
	{"some bad", func(r *rand.Rand) float32 {
		if r.IntN(8) > 0 {
			return float32(r.IntN(9))
		}
		return []float32{-1, -1e-45, float32(math.NaN()), -inf32}[r.IntN(4)]
	}},
}
