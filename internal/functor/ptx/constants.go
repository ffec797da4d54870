// This file computes what NVIDIA's assembler would compute wrongly. ptxas (of CUDA 11.8 and of
// a driver of CUDA 13.0) rounds the sum of two float32 constants towards zero, one in a hundred
// wrongly; it shifts a product with a constant by 64 bits and more not at all; where a branch
// says that a register is a constant, it takes x &^ r for x & r, and gives both halves of a
// register of 64 bits the lower one's bits; it borrows from the upper half where 0 is taken from a
// constant 0 of 64 bits that a float was converted to. nvcc folds constants before ptxas sees them. Random
// functors found all of them (bench/notes/functors.md). ops.go and call.go avoid the last two.

package ptx

import (
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// constants are the values that are known at an instruction.
type constants map[int]uint64

// fold returns instructions with constant results instead of sums of float32 and of
// integers of 64 bits, and with counts of shifts where they are known. m is their method; known becomes what holds behind them.
func fold(m *ir.Method, list []ir.Instr, known constants) []ir.Instr {
	list = slices.Clone(list)
	for i := range list {
		in := &list[i]
		switch in.Op {
		case ir.If, ir.Block, ir.Loop:
			if in.Op == ir.Loop {
				known.forget(in.Then)
			}
			was := *in
			in.Then = fold(m, was.Then, maps.Clone(known))
			in.Else = fold(m, was.Else, maps.Clone(known))
			known.forget(was.Then)
			known.forget(was.Else)
			continue
		case ir.Shl, ir.Shr:
			if n, ok := known.of(in.Args[1]); ok {
				in.Args = []ir.Arg{in.Args[0], ir.Const(n)}
			}
		}
		x, ok := known.value(m, in)
		if ok && wrong(in, m.Values[in.Dst].Type) {
			*in = ir.Instr{Op: ir.Move, Type: m.Values[in.Dst].Type, Dst: in.Dst, Args: []ir.Arg{ir.Const(x)}, Line: in.Line}
		}
		switch {
		case in.Dst < 0 || in.Op == ir.Leave || in.Op == ir.Continue || in.Op == ir.Return:
		case ok:
			known[in.Dst] = x
		default:
			delete(known, in.Dst)
		}
	}
	return list
}

// wrong reports whether the assembler may compute an instruction wrongly whose arguments are
// constants.
func wrong(in *ir.Instr, to ir.Type) bool {
	switch in.Op {
	case ir.Move, ir.Bits:
		return false
	case ir.Add, ir.Sub:
		if in.Type == ir.Float32 {
			return true
		}
	}
	return to.Integer() && to.Bits() == 64
}

// forget drops the values that instructions assign.
func (k constants) forget(list []ir.Instr) {
	for i := range list {
		if in := &list[i]; in.Op != ir.If && in.Op != ir.Block && in.Op != ir.Loop {
			delete(k, in.Dst)
		}
		k.forget(list[i].Then)
		k.forget(list[i].Else)
	}
}

func (k constants) of(a ir.Arg) (uint64, bool) {
	if a.Value < 0 {
		return a.Bits, true
	}
	x, ok := k[a.Value]
	return x, ok
}

// value returns what an instruction assigns, if that is a constant.
func (k constants) value(m *ir.Method, in *ir.Instr) (uint64, bool) {
	switch in.Op {
	case ir.Move, ir.Bits, ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Rem, ir.And, ir.Or, ir.Xor, ir.AndNot, ir.Shl, ir.Shr, ir.Neg, ir.Not, ir.Convert:
	case ir.Call:
		if in.Func != ir.Min && in.Func != ir.Max && in.Func != ir.MulHigh {
			return 0, false
		}
	default:
		return 0, false
	}
	var args [2]uint64
	for i := range in.Args {
		var ok bool
		if args[i], ok = k.of(in.Args[i]); !ok {
			return 0, false
		}
	}
	x, y := args[0], args[1]
	switch t := in.Type; {
	case in.Op == ir.Move || in.Op == ir.Bits:
		return x, true
	case in.Op == ir.Convert:
		return convert(x, t, m.Values[in.Dst].Type)
	case t == ir.Float32:
		a, b := math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y))
		r, ok := arithmetic(in.Op, a, b)
		return uint64(math.Float32bits(r)), ok
	case t == ir.Float64:
		r, ok := arithmetic(in.Op, math.Float64frombits(x), math.Float64frombits(y))
		return math.Float64bits(r), ok
	case !t.Integer():
		return 0, false
	default:
		return integersOf(t)(in, x, y)
	}
}

func arithmetic[T float32 | float64](op ir.Op, a, b T) (T, bool) {
	switch op {
	case ir.Add:
		return a + b, true
	case ir.Sub:
		return a - b, true
	case ir.Mul:
		return a * b, true
	case ir.Div:
		return a / b, true
	case ir.Neg:
		return -a, true
	}
	return 0, false
}

// integersOf returns what computes with integers of a type.
func integersOf(t ir.Type) func(in *ir.Instr, a, b uint64) (uint64, bool) {
	switch t {
	case ir.Int32:
		return integers[int32]
	case ir.Uint32:
		return integers[uint32]
	case ir.Int64:
		return integers[int64]
	}
	return integers[uint64]
}

func integers[T int32 | uint32 | int64 | uint64](in *ir.Instr, x, y uint64) (uint64, bool) {
	a, b := T(x), T(y)
	switch in.Op {
	case ir.Add:
		a += b
	case ir.Sub:
		a -= b
	case ir.Mul:
		a *= b
	case ir.Div, ir.Rem:
		if b == 0 {
			return 0, false
		}
		if in.Op == ir.Div {
			a /= b
		} else {
			a %= b
		}
	case ir.And:
		a &= b
	case ir.Or:
		a |= b
	case ir.Xor:
		a ^= b
	case ir.AndNot:
		a &^= b
	case ir.Shl:
		a <<= y
	case ir.Shr:
		a >>= y
	case ir.Neg:
		a = -a
	case ir.Not:
		a = ^a
	case ir.Call:
		switch in.Func {
		case ir.Min:
			a = min(a, b)
		case ir.Max:
			a = max(a, b)
		default:
			high, _ := bits.Mul64(x, y)
			return high, true
		}
	default:
		return 0, false
	}
	return cut(uint64(a), in.Type), true
}

// cut leaves the bits that a type has.
func cut(x uint64, t ir.Type) uint64 {
	if t.Bits() == 32 {
		return uint64(uint32(x))
	}
	return x
}

// convert converts a constant, but not a float that is out of an integer's range.
func convert(x uint64, from, to ir.Type) (uint64, bool) {
	var f float64
	var n int64
	switch from {
	case ir.Float32:
		f = float64(math.Float32frombits(uint32(x)))
	case ir.Float64:
		f = math.Float64frombits(x)
	case ir.Int32:
		n = int64(int32(x))
	case ir.Uint32:
		n = int64(uint32(x))
	case ir.Int64, ir.Uint64:
		n = int64(x)
	default:
		return 0, false
	}
	switch {
	case to.Integer() && from.Integer():
		return cut(uint64(n), to), true
	case to == ir.Bool:
		return 0, false
	case to.Integer():
		return truncate(f, to)
	case from == ir.Uint64 && to == ir.Float32:
		return uint64(math.Float32bits(float32(x))), true
	case from == ir.Uint64:
		return math.Float64bits(float64(x)), true
	case from.Integer() && to == ir.Float32:
		return uint64(math.Float32bits(float32(n))), true
	case from.Integer():
		return math.Float64bits(float64(n)), true
	case to == ir.Float32:
		return uint64(math.Float32bits(float32(f))), true
	}
	return math.Float64bits(f), true
}

// truncate converts a float to an integer, towards zero, if it is in the range of every type of
// that sign: others are as on amd64, which lower.go writes out.
func truncate(f float64, to ir.Type) (uint64, bool) {
	if !(f > -1<<31 && f < 1<<31) || f <= -1 && !to.Signed() {
		return 0, false
	}
	return cut(uint64(int64(f)), to), true
}
