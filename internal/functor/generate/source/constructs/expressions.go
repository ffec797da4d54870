// This file has functors of expressions: operators, conversions, calls.

//lint:file-ignore SA4012 functors may have such expressions

package constructs

import (
	"math"
	"math/bits"

	"github.com/foray-graph/foray/atomics"
	"github.com/foray-graph/foray/traverse"
)

// Integers has all operators of integers.
//
//foray:functor
type Integers struct {
	A    []int32
	B    []uint64
	C, D int32
	E, F uint64
}

// Gather returns a mixture.
//
//foray:reduce max
func (r *Integers) Gather(e traverse.Edge) int64 {
	x, y := r.A[e.Source], r.A[e.Target]
	z := x + y - x*y ^ y&x | x&^y
	z += x/(y|1) + x%(y|1) + x/7 - y%5 + -x + ^y + +z
	z += x<<3 + y>>2 + x<<uint32(y&63) + y>>r.E
	u := r.B[e.Index]
	u += r.E/(r.F|1) + r.E%3 + u<<r.F + u>>(r.F&127) - r.F
	if x <= y != (u >= r.E) {
		u = -u
	}
	return int64(z) + int64(u) + int64(uint32(z)) + int64(float32(z)) + int64(x/r.C) + int64(uint32(u)>>4)
}

// Apply keeps the total. Tests call it for one vertex at a time.
//
//foray:disjoint
func (r *Integers) Apply(v traverse.Vertex, total int64) uint64 {
	r.A[v.ID] = int32(total)
	return uint64(total) + uint64(v.Level)
}

// Floats has all operators and functions of floats.
//
//foray:functor
type Floats struct {
	X    []float32
	Y    []float64
	A    float32
	B    float64
	From int64
}

// Vertex returns a mixture.
func (r *Floats) Vertex(v traverse.Vertex) float64 {
	x, y := r.X[v.ID], r.Y[v.ID]
	s := x*r.A + x - r.A/x + float32(y) + 3.25
	d := y*r.B + float64(x) - y/r.B + -y + math.Pi
	d += math.Abs(y) + math.Floor(y) - math.Ceil(r.B) + math.Trunc(y) + math.Min(y, r.B) + math.Max(y, float64(x)) + min(y, r.B, 1.5) - max(d, y)
	s += float32(math.Sqrt(float64(x))) + float32(math.Floor(float64(s))) - float32(math.Abs(float64(r.A))) + float32(math.Min(float64(x), float64(r.A)))
	if math.IsNaN(d) || math.IsInf(y, 1) || math.IsInf(r.B, 0) && y > math.Inf(-1) {
		d = float64(s)
	}
	if d == y || s != x || d >= float64(s) {
		d++
	}
	if s != s || d != d { // the bits of a NaN aren't defined
		s, d = math.MaxFloat32, math.MaxFloat64
	}
	r.X[v.ID] = math.Float32frombits(math.Float32bits(s) ^ 1)
	r.Y[v.ID] = math.Float64frombits(math.Float64bits(d) + uint64(r.From))
	return d + float64(s) + math.Sqrt(y) + float64(r.From) + float64(uint64(r.From)) + float64(int32(r.From)) + math.NaN()*0
}

// Converted converts floats to integers.
//
//foray:functor
type Converted struct {
	X []float64
	Y []float32
}

// Vertex keeps to numbers that fit: Go leaves open what others become.
func (r *Converted) Vertex(v traverse.Vertex) int64 {
	x, y := r.X[v.ID], r.Y[v.ID]
	if !(math.Abs(x) < 1e9) || !(y > -1e9 && y < 1e9) {
		return -1
	}
	return int64(x) + int64(int32(x)) + int64(y) + int64(int(y)) + int64(uint32(math.Abs(x))) + int64(uint64(math.Abs(float64(y))))
}

// Bits has the functions of math/bits.
//
//foray:functor
type Bits struct {
	X []uint32
	Y []uint64
	K int64
}

// Vertex returns a mixture.
func (r *Bits) Vertex(v traverse.Vertex) int64 {
	x, y := r.X[v.ID], r.Y[v.ID]
	n := bits.OnesCount32(x) + bits.OnesCount64(y) + bits.LeadingZeros32(x)*2 + bits.LeadingZeros64(y)*3
	n += bits.TrailingZeros32(x)*5 + bits.TrailingZeros64(y)*7 + bits.Len32(x)*11 + bits.Len64(y)*13 + bits.Len(uint(y))
	r.X[v.ID] = bits.Reverse32(x) ^ bits.ReverseBytes32(x+1) ^ bits.RotateLeft32(x, int(r.K))
	r.Y[v.ID] = bits.Reverse64(y) ^ bits.ReverseBytes64(y+1) ^ bits.RotateLeft64(y, -n)
	return int64(n)
}

// Atomics has the functions of atomics.
//
//foray:functor
type Atomics struct {
	I []int32
	U []uint64
	F []float32
	D []float64
	A int32
	B float64
}

// Edge returns whether something got less.
func (r *Atomics) Edge(e traverse.Edge) bool {
	u, f, d := e.Source, e.Weight, r.B
	old := atomics.Add(&r.I[e.Source], r.A) + atomics.Max(&r.I[e.Target], r.A)
	less := r.A < atomics.Min(&r.I[u], r.A)
	w := atomics.Or(&r.U[e.Target], uint64(u)) ^ atomics.And(&r.U[e.Source], 0xffff0)
	w += atomics.Exchange(&r.U[e.Target], w+uint64(u))
	if atomics.CompareAndSwap(&r.U[e.Source], w, 3) || atomics.CompareAndSwap(&r.I[e.Source], old, atomics.Load(&r.I[e.Target])) {
		less = !less
	}
	atomics.Store(&r.F[e.Target], f+1)
	if f < atomics.Min(&r.F[e.Source], f) && f > 0 {
		less = less != (atomics.Add(&r.F[e.Target], f) > 2)
	}
	return less != (atomics.Max(&r.D[e.Target], d) < d && atomics.Add(&r.D[e.Source], 1) > atomics.Min(&r.D[e.Target], -d))
}

type weight float32

func (w weight) above(x weight) bool { return w > x }

// Helpers calls functions and methods of the package.
//
//foray:functor
type Helpers struct {
	X []float32
	Y []uint32
	N int64
}

// Edge returns a mixture.
//
//foray:disjoint
func (h *Helpers) Edge(e traverse.Edge) bool {
	a, b := divide(h.N, int64(e.Source)+1)
	h.note(e, uint32(a))
	if sum(divide(int64(e.Target), 3)) > b {
		h.Y[e.Target] = clamp(h.Y[e.Source], 2, 9) + clamp(uint32(b), 0, 5)
	}
	w := weight(e.Weight)
	xs := h.X
	f := e
	return w.above(weight(xs[f.Source])) || found(h, f.Target, h.N) && h.first(xs, e.Target) > h.len()
}

func (h *Helpers) note(e traverse.Edge, x uint32) {
	if x == 3 {
		return
	}
	x += uint32(e.ID)
	h.Y[e.Source] += x
}

func (h *Helpers) len() int { return len(h.X) }

func (h Helpers) first(xs []float32, v uint32) (at int) {
	for i, x := range xs {
		if x > xs[v] {
			at = i
			return
		}
		at++
	}
	return -at
}

func found(h *Helpers, v uint32, n int64) bool {
	for i := range n & 7 {
		if h.Y[v] == uint32(i) {
			return true
		}
	}
	return false
}

func divide(a, b int64) (quotient, remainder int64) {
	if b == 2 {
		return b, a
	}
	return a / b, a % b
}

func sum(a, b int64) int64 { return a + b }

func clamp(x, low, high uint32) uint32 {
	if x < low {
		x = low
	}
	if x > high {
		return high
	}
	return x
}

// Indexed has indices of all types, some of them wrong.
//
//foray:functor
type Indexed struct {
	X []uint32
	I []int32
	J []int64
}

// Vertex goes where indices point. Tests call it for one vertex at a time.
//
//foray:disjoint
func (r *Indexed) Vertex(v traverse.Vertex) uint64 {
	s := v.ID
	wide := uint64(s)
	x := r.X[wide] + r.X[3] + r.X[s>>1]
	x += r.X[r.I[s]]
	x += r.X[r.J[int64(s)]]
	r.X[x&7]++
	r.X[uint64(x)%19] = x
	return uint64(x)
}
