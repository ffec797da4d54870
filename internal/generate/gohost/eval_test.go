package gohost

import (
	"math"
	"math/bits"

	"github.com/foray-graph/foray/internal/ir"
)

// machine runs a functor's methods instruction by instruction: what generated code is
// compared with. Values are their bits.
type machine struct {
	f      *ir.Functor
	arrays [][]uint64
	scalar []uint64
	// Of the edges, as bits.
	weights []uint64
	fault   uint64
}

type flow struct {
	op    ir.Op // Move: goes on
	label int
}

// call calls a method; ok is false after a fault.
func (x *machine) call(m *ir.Method, in [ir.NumInputs]uint64) (result uint64, ok bool) {
	vals := make([]uint64, len(m.Values))
	for i, v := range m.Inputs {
		if v >= 0 {
			vals[v] = in[i]
		}
	}
	ok = true
	x.run(m, m.Body, vals, &result, &ok)
	return result, ok
}

func (x *machine) run(m *ir.Method, list []ir.Instr, vals []uint64, result *uint64, ok *bool) flow {
	for i := range list {
		in := &list[i]
		arg := func(i int) uint64 {
			if a := in.Args[i]; a.Value >= 0 {
				return vals[a.Value]
			} else {
				return a.Bits
			}
		}
		set := func(v uint64) {
			if in.Dst >= 0 {
				vals[in.Dst] = v
			}
		}
		fault := func(index uint64) flow {
			if x.fault == 0 {
				x.fault = uint64(in.Site)<<48 | index&(1<<48-1)
			}
			*ok, *result = false, 0
			return flow{op: ir.Return}
		}
		switch in.Op {
		case ir.If:
			then := in.Then
			if arg(0) == 0 {
				then = in.Else
			}
			if f := x.run(m, then, vals, result, ok); f.op != ir.Move {
				return f
			}
		case ir.Block:
			f := x.run(m, in.Then, vals, result, ok)
			if f.op != ir.Move && !(f.op == ir.Leave && f.label == in.Label) {
				return f
			}
		case ir.Loop:
			for {
				f := x.run(m, in.Then, vals, result, ok)
				if f.op == ir.Leave && f.label == in.Label {
					break
				}
				if f.op != ir.Move && !(f.op == ir.Continue && f.label == in.Label) {
					return f
				}
			}
		case ir.Leave, ir.Continue:
			return flow{in.Op, in.Label}
		case ir.Return:
			if len(in.Args) > 0 {
				*result = arg(0)
			}
			return flow{op: ir.Return}
		case ir.Check:
			if arg(0) >= uint64(len(x.arrays[in.Field])) {
				return fault(arg(0))
			}
		case ir.Load:
			if in.Field == x.f.WeightsField() {
				set(x.weights[arg(0)])
			} else {
				set(x.arrays[in.Field][arg(0)])
			}
		case ir.Store:
			x.arrays[in.Field][arg(0)] = arg(1)
		case ir.Scalar:
			set(x.scalar[in.Field])
		case ir.FieldLen:
			set(uint64(len(x.arrays[in.Field])))
		case ir.Atomic:
			p := &x.arrays[in.Field][arg(0)]
			var a, b uint64
			if len(in.Args) > 1 {
				a = arg(1)
			}
			if len(in.Args) > 2 {
				b = arg(2)
			}
			set(atomicOf(in.Func, in.Type, p, a, b))
		case ir.Div, ir.Rem:
			if !in.Type.Float() && arg(1) == 0 {
				return fault(0)
			}
			set(binary(in.Op, in.Type, arg(0), arg(1)))
		case ir.Move:
			set(arg(0))
		case ir.Convert:
			set(convert(in.Type, m.Values[max(in.Dst, 0)].Type, arg(0)))
		case ir.Bits:
			v := arg(0)
			if t := m.Values[max(in.Dst, 0)].Type; t == ir.Int32 {
				v = uint64(uint32(v))
			}
			set(v)
		case ir.Call:
			var b uint64
			if len(in.Args) > 1 {
				b = arg(1)
			}
			set(call(in.Func, in.Type, arg(0), b))
		case ir.Neg, ir.Not:
			set(binary(in.Op, in.Type, arg(0), 0))
		default:
			set(binary(in.Op, in.Type, arg(0), arg(1)))
		}
	}
	return flow{}
}

type number interface {
	int32 | uint32 | int64 | uint64 | float32 | float64
}

// value and word are a value's bits as a number, and back.
func value[T number](b uint64) T {
	var t T
	switch p := any(&t).(type) {
	case *int32:
		*p = int32(b)
	case *uint32:
		*p = uint32(b)
	case *int64:
		*p = int64(b)
	case *uint64:
		*p = b
	case *float32:
		*p = math.Float32frombits(uint32(b))
	case *float64:
		*p = math.Float64frombits(b)
	}
	return t
}

func word[T number](t T) uint64 {
	switch x := any(t).(type) {
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

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func binary(op ir.Op, t ir.Type, a, b uint64) uint64 {
	switch t {
	case ir.Bool:
		switch op {
		case ir.And:
			return a & b
		case ir.Or:
			return a | b
		case ir.Xor, ir.NotEqual:
			return a ^ b
		case ir.AndNot:
			return a &^ b
		case ir.Not:
			return a ^ 1
		}
		return a ^ b ^ 1
	case ir.Int32:
		return integer[int32](op, a, b)
	case ir.Uint32:
		return integer[uint32](op, a, b)
	case ir.Int64:
		return integer[int64](op, a, b)
	case ir.Uint64:
		return integer[uint64](op, a, b)
	case ir.Float32:
		return anyNumber[float32](op, a, b)
	}
	return anyNumber[float64](op, a, b)
}

func integer[T int32 | uint32 | int64 | uint64](op ir.Op, a, b uint64) uint64 {
	x, y := value[T](a), value[T](b)
	switch op {
	case ir.Rem:
		return word(x % y)
	case ir.And:
		return word(x & y)
	case ir.Or:
		return word(x | y)
	case ir.Xor:
		return word(x ^ y)
	case ir.AndNot:
		return word(x &^ y)
	case ir.Shl:
		return word(x << b)
	case ir.Shr:
		return word(x >> b)
	case ir.Not:
		return word(^x)
	}
	return anyNumber[T](op, a, b)
}

func anyNumber[T number](op ir.Op, a, b uint64) uint64 {
	x, y := value[T](a), value[T](b)
	switch op {
	case ir.Add:
		return word(x + y)
	case ir.Sub:
		return word(x - y)
	case ir.Mul:
		return word(x * y)
	case ir.Div:
		return word(x / y)
	case ir.Neg:
		return word(-x)
	case ir.Equal:
		return bit(x == y)
	case ir.Less:
		return bit(x < y)
	case ir.LessEqual:
		return bit(x <= y)
	case ir.NotEqual:
		return bit(x != y)
	}
	panic(op.String())
}

func convert(from, to ir.Type, a uint64) uint64 {
	switch from {
	case ir.Int32:
		return convertFrom(value[int32](a), to)
	case ir.Uint32:
		return convertFrom(value[uint32](a), to)
	case ir.Int64:
		return convertFrom(value[int64](a), to)
	case ir.Uint64:
		return convertFrom(value[uint64](a), to)
	case ir.Float32:
		return convertFrom(value[float32](a), to)
	}
	return convertFrom(value[float64](a), to)
}

func convertFrom[T number](x T, to ir.Type) uint64 {
	switch to {
	case ir.Int32:
		return word(int32(x))
	case ir.Uint32:
		return word(uint32(x))
	case ir.Int64:
		return word(int64(x))
	case ir.Uint64:
		return word(uint64(x))
	case ir.Float32:
		return word(float32(x))
	}
	return word(float64(x))
}

func call(f ir.Func, t ir.Type, a, b uint64) uint64 {
	if t.Integer() && f >= ir.OnesCount && f <= ir.RotateLeft {
		if t.Bits() == 32 {
			x := uint32(a)
			switch f {
			case ir.OnesCount:
				return uint64(bits.OnesCount32(x))
			case ir.LeadingZeros:
				return uint64(bits.LeadingZeros32(x))
			case ir.TrailingZeros:
				return uint64(bits.TrailingZeros32(x))
			case ir.BitLen:
				return uint64(bits.Len32(x))
			case ir.Reverse:
				return uint64(bits.Reverse32(x))
			case ir.ReverseBytes:
				return uint64(bits.ReverseBytes32(x))
			}
			return uint64(bits.RotateLeft32(x, int(b)))
		}
		switch f {
		case ir.OnesCount:
			return uint64(bits.OnesCount64(a))
		case ir.LeadingZeros:
			return uint64(bits.LeadingZeros64(a))
		case ir.TrailingZeros:
			return uint64(bits.TrailingZeros64(a))
		case ir.BitLen:
			return uint64(bits.Len64(a))
		case ir.Reverse:
			return bits.Reverse64(a)
		case ir.ReverseBytes:
			return bits.ReverseBytes64(a)
		}
		return bits.RotateLeft64(a, int(b))
	}
	switch t {
	case ir.Int32:
		return least[int32](f, a, b)
	case ir.Uint32:
		return least[uint32](f, a, b)
	case ir.Int64:
		return least[int64](f, a, b)
	case ir.Uint64:
		return least[uint64](f, a, b)
	case ir.Float32:
		switch f {
		case ir.Min, ir.Max:
			return least[float32](f, a, b)
		case ir.IsNaN:
			x := value[float32](a)
			return bit(x != x)
		}
		return word(float32(float(f, float64(value[float32](a)), float64(value[float32](b)))))
	}
	if f == ir.Min || f == ir.Max {
		return least[float64](f, a, b)
	}
	if f == ir.IsNaN {
		return bit(math.IsNaN(value[float64](a)))
	}
	return word(float(f, value[float64](a), value[float64](b)))
}

func least[T number](f ir.Func, a, b uint64) uint64 {
	switch f {
	case ir.Min:
		return word(min(value[T](a), value[T](b)))
	case ir.Max:
		return word(max(value[T](a), value[T](b)))
	}
	panic(f.String())
}

func float(f ir.Func, x, y float64) float64 {
	switch f {
	case ir.Abs:
		return math.Abs(x)
	case ir.Sqrt:
		return math.Sqrt(x)
	case ir.Floor:
		return math.Floor(x)
	case ir.Ceil:
		return math.Ceil(x)
	case ir.Trunc:
		return math.Trunc(x)
	case ir.MathMin:
		return math.Min(x, y)
	case ir.MathMax:
		return math.Max(x, y)
	case ir.Exp:
		return math.Exp(x)
	case ir.Log:
		return math.Log(x)
	case ir.Pow:
		return math.Pow(x, y)
	}
	panic(f.String())
}
