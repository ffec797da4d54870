// This file draws random numbers; numbers at the limits of types are more likely than
// others.

package functorfuzz

import (
	"math"
	"math/rand/v2"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// Rand is the source of all random choices.
type Rand struct{ *rand.Rand }

// NewRand returns one that gives the same for the same seed.
func NewRand(seed uint64) Rand { return Rand{rand.New(rand.NewPCG(seed, 0x666f726179))} }

// chance is true once in n times.
func (r Rand) chance(n int) bool { return r.IntN(n) == 0 }

func pick[T any](r Rand, from []T) T { return from[r.IntN(len(from))] }

var special = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, -2.5, 1e10, -1e10, 3e9, -3e9, 2147483647, 2147483648, -2147483648, -2147483649,
	4294967295, 4294967296, 9.223372036854775e18, 9223372036854775808, -9223372036854775808, 1.2e19, 18446744073709551616, -1e19, 3e38, -3e38,
	1e-38, 1.1754943e-38, 1e-40, -1e-40, 1e-45, 1e300, 1e-310, 5e-324, 0x1p-100, 0x1p-101, -0x1p-100, 0x1p-124, 0x1.8p-125,
	math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1), math.MaxFloat32, math.MaxFloat64}

// Bits returns random bits of a type.
func (r Rand) Bits(t ir.Type) uint64 {
	switch {
	case t == ir.Bool:
		return r.Uint64() & 1
	case t.Float():
		x := r.NormFloat64() * 10
		switch r.IntN(8) {
		case 0, 1:
			x = pick(r, special)
		case 2:
			x = math.Ldexp(x, r.IntN(400)-200)
		case 3:
			x = float64(r.IntN(9) - 4)
		case 4:
			bits := r.Uint64()
			if t == ir.Float32 {
				return bits & math.MaxUint32
			}
			return bits
		}
		if t == ir.Float32 {
			return uint64(math.Float32bits(float32(x)))
		}
		return math.Float64bits(x)
	}
	x := r.Uint64() >> r.IntN(64)
	switch r.IntN(8) {
	case 0, 1, 2, 3:
		x = r.Uint64N(10)
	case 4:
		x = 1<<r.IntN(64) - r.Uint64N(3)
	}
	if r.chance(4) {
		x = -x
	}
	return clip(t, x)
}

// Same reports whether bits of a type are the same. All NaN are.
func Same(t ir.Type, a, b uint64) bool {
	if t.Float() {
		x, y := float(t, a), float(t, b)
		if x != x && y != y {
			return true
		}
	}
	return clip(t, a) == clip(t, b)
}

// Case is a functor with data, and calls of its methods, in order.
type Case struct {
	Functor  *ir.Functor
	Vertices int
	Edges    int
	Data     *Data
	Calls    []Call
}

// Call is a call of a method.
type Call struct {
	Method *ir.Method
	Inputs Inputs
}

// types are the types of numbers.
var types = []ir.Type{ir.Int32, ir.Uint32, ir.Int64, ir.Uint64, ir.Float32, ir.Float64}

// fields makes fields: the first is of vertices.
func (r Rand) fields() []ir.Field {
	n := 1 + r.IntN(5)
	out := make([]ir.Field, n)
	for i := range out {
		out[i] = ir.Field{Name: string(rune('A' + i)), Type: pick(r, types), Slice: i == 0 || !r.chance(3)}
		if !out[i].Slice && r.chance(6) {
			out[i].Type = ir.Bool
		}
		if !out[i].Slice && r.chance(2) {
			out[i] = r.accumulator(out[i].Name)
		}
		if out[i].Slice {
			switch r.IntN(4) {
			case 0:
			case 1:
				out[i].PerEdge = i > 0
				out[i].PerVertex = i == 0
			default:
				out[i].PerVertex = true
			}
		}
	}
	return out
}

// accumulator makes one.
func (r Rand) accumulator(name string) ir.Field {
	x := ir.Field{Name: name, Accumulator: true, Fold: ir.Fold(r.IntN(4)), Type: pick(r, []ir.Type{ir.Int64, ir.Uint64})}
	if (x.Fold == ir.MinFold || x.Fold == ir.MaxFold) && r.chance(2) {
		x.Type = ir.Float64
	}
	return x
}

// fill makes data for a functor.
func (r Rand) fill(f *ir.Functor, vertices, edges int) *Data {
	d := &Data{}
	for i := range len(f.Fields) + 2 {
		x := f.FieldOf(i)
		var s []uint64
		var scalar uint64
		length := 0
		switch {
		case x.Accumulator:
			s = []uint64{Identity(x.Type, x.Fold)}
		case !x.Slice:
			scalar = r.Bits(x.Type)
		case x.PerVertex:
			length = vertices + r.IntN(3)
		case x.PerEdge:
			length = edges + r.IntN(3)
		case r.chance(3):
			length = r.IntN(8)
		default:
			length = 8 // most indices are smaller
		}
		if x.PerEdge {
			length = max(length, edges)
		}
		if x.Slice {
			s = make([]uint64, length)
			for j := range s {
				s[j] = r.Bits(x.Type)
			}
		}
		d.Slices = append(d.Slices, s)
		d.Scalars = append(d.Scalars, scalar)
	}
	return d
}

// data makes data and calls for a functor.
func (r Rand) data(f *ir.Functor) *Case {
	c := &Case{Functor: f, Vertices: 1 + r.IntN(6), Edges: 1 + r.IntN(10)}
	c.Data = r.fill(f, c.Vertices, c.Edges)
	for range 1 + r.IntN(6) {
		m := pick(r, f.Methods)
		in := Inputs{}
		in[ir.Source] = r.Uint64N(uint64(c.Vertices))
		in[ir.Target] = r.Uint64N(uint64(c.Vertices))
		in[ir.VertexID] = r.Uint64N(uint64(c.Vertices))
		in[ir.Index] = r.Uint64N(uint64(c.Edges))
		in[ir.Level] = 1 + r.Uint64N(5)
		in[ir.Weight] = c.Data.Slices[f.WeightsField()][in[ir.Index]]
		in[ir.EdgeID] = c.Data.Slices[f.IDsField()][in[ir.Index]]
		if f.Method(ir.Gather) != nil {
			in[ir.Total] = r.Bits(f.TotalOf(m.Kind))
		}
		in[ir.KeyOf] = r.Bits(ir.Uint32)
		c.Calls = append(c.Calls, Call{Method: m, Inputs: in})
	}
	return c
}
