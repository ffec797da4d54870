// This file runs the IR of functors: what their PTX is compared with.

package functorfuzz

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// Data is the contents of a functor's fields, as bits.
type Data struct {
	// By field, those of weights and ids behind them; nil of scalars, and one element, what it
	// came to so far, of accumulators.
	Slices  [][]uint64
	Scalars []uint64 // by field
}

// Clone returns a copy.
func (d *Data) Clone() *Data {
	c := &Data{Scalars: append([]uint64(nil), d.Scalars...)}
	for _, s := range d.Slices {
		c.Slices = append(c.Slices, append([]uint64(nil), s...))
	}
	return c
}

// Inputs are what an operator hands to a method, as bits.
type Inputs [ir.NumInputs]uint64

// Outcome is how a call of a method ended.
type Outcome struct {
	Result uint64 // bits; 0 after a fault
	Site   int    // of a fault, or 0
	Index  int64  // that was out of range, as fault words have it
}

// ErrSteps is the error of a method that ran for too long.
var ErrSteps = errors.New("the method doesn't end")

// ErrMalformed is the error of IR that isn't right.
var ErrMalformed = errors.New("malformed IR")

// Run calls a method, which writes to the data.
func Run(f *ir.Functor, m *ir.Method, d *Data, in *Inputs, steps int) (out Outcome, err error) {
	r := &runner{f: f, m: m, d: d, values: make([]uint64, len(m.Values)), steps: steps}
	for _, a := range m.Arrays {
		r.arrays = append(r.arrays, make([]uint64, a.Len))
	}
	for i, v := range m.Inputs {
		switch {
		case v < 0:
		case ir.Input(i) == ir.Weight:
			r.values[v] = d.Slices[f.WeightsField()][in[ir.Index]]
		case ir.Input(i) == ir.EdgeID:
			r.values[v] = d.Slices[f.IDsField()][in[ir.Index]]
		default:
			r.values[v] = in[i]
		}
	}
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("%w: %v", ErrMalformed, x)
		}
	}()
	_, err = r.list(m.Body)
	return r.out, err
}

type runner struct {
	f      *ir.Functor
	m      *ir.Method
	d      *Data
	values []uint64
	arrays [][]uint64
	out    Outcome
	steps  int
}

// next is where control continues.
type next struct {
	op    ir.Op // Move: the next instruction; Leave, Continue, Return
	label int
}

var onward = next{op: ir.Move}

func (r *runner) list(list []ir.Instr) (next, error) {
	for i := range list {
		in := &list[i]
		if r.steps--; r.steps < 0 {
			return onward, ErrSteps
		}
		n := onward
		var err error
		switch in.Op {
		case ir.If:
			if r.arg(in, 0) != 0 {
				n, err = r.list(in.Then)
			} else {
				n, err = r.list(in.Else)
			}
		case ir.Block:
			n, err = r.list(in.Then)
			if n.op == ir.Leave && n.label == in.Label {
				n = onward
			}
		case ir.Loop:
			for err == nil {
				n, err = r.list(in.Then)
				if r.steps--; r.steps < 0 {
					err = ErrSteps
				}
				if n.op == ir.Leave && n.label == in.Label {
					n = onward
					break
				}
				if n.op != ir.Move && (n.op != ir.Continue || n.label != in.Label) {
					break
				}
			}
		case ir.Leave, ir.Continue:
			return next{op: in.Op, label: in.Label}, nil
		case ir.Return:
			if len(in.Args) > 0 {
				r.out.Result = r.arg(in, 0)
			}
			return next{op: ir.Return}, nil
		default:
			if r.simple(in) {
				return next{op: ir.Return}, nil
			}
		}
		if err != nil || n.op != ir.Move {
			return n, err
		}
	}
	return onward, nil
}

func (r *runner) arg(in *ir.Instr, i int) uint64 {
	a := in.Args[i]
	if a.Value >= 0 {
		return r.values[a.Value]
	}
	return clip(in.ArgType(r.m, i), a.Bits)
}

// clip returns the bits that a type has.
func clip(t ir.Type, x uint64) uint64 {
	switch t.Bits() {
	case 1:
		return x & 1
	case 32:
		return x & math.MaxUint32
	}
	return x
}

// fault notes one.
func (r *runner) fault(in *ir.Instr, index uint64) bool {
	r.out = Outcome{Site: in.Site, Index: ir.FaultIndex(in.Type, index)}
	return true
}

// simple runs an instruction that isn't control flow; it reports a fault.
func (r *runner) simple(in *ir.Instr) (fault bool) {
	var x uint64
	switch in.Op {
	case ir.Move, ir.Bits:
		x = clip(r.m.Values[in.Dst].Type, r.arg(in, 0))
	case ir.Convert:
		x = convert(r.m.Values[in.Dst].Type, in.Type, r.arg(in, 0))
	case ir.Call:
		a := r.arg(in, 0)
		var b uint64
		if len(in.Args) > 1 {
			b = r.arg(in, 1)
		}
		x = call(in.Func, in.Type, a, b)
	case ir.Scalar:
		x = r.d.Scalars[in.Field]
	case ir.FieldLen:
		x = uint64(len(r.d.Slices[in.Field]))
	case ir.Load:
		x = r.d.Slices[in.Field][r.arg(in, 0)]
	case ir.Store:
		r.d.Slices[in.Field][r.arg(in, 0)] = clip(in.Type, r.arg(in, 1))
		return false
	case ir.Check:
		if i := r.arg(in, 0); i >= uint64(len(r.d.Slices[in.Field])) {
			return r.fault(in, i)
		}
		return false
	case ir.ZeroLocal:
		clear(r.arrays[in.Field])
		return false
	case ir.LoadLocal:
		x = r.arrays[in.Field][r.arg(in, 0)]
	case ir.StoreLocal:
		r.arrays[in.Field][r.arg(in, 0)] = clip(in.Type, r.arg(in, 1))
		return false
	case ir.CheckLocal:
		if i := r.arg(in, 0); i >= uint64(len(r.arrays[in.Field])) {
			return r.fault(in, i)
		}
		return false
	case ir.Accumulate:
		p := &r.d.Slices[in.Field][0]
		*p = join(in.Type, r.f.Fields[in.Field].Fold, *p, r.arg(in, 0))
		return false
	case ir.Atomic:
		p := &r.d.Slices[in.Field][r.arg(in, 0)]
		var a, b uint64
		if len(in.Args) > 1 {
			a = r.arg(in, 1)
		}
		if len(in.Args) > 2 {
			b = r.arg(in, 2)
		}
		x = atomic(in.Func, in.Type, p, a, b)
		if in.Dst < 0 {
			return false
		}
	case ir.Div, ir.Rem:
		b := r.arg(in, 1)
		if in.Type.Integer() && b == 0 {
			return r.fault(in, 0)
		}
		x = binary(in.Op, in.Type, r.arg(in, 0), b)
	case ir.Neg, ir.Not:
		x = unary(in.Op, in.Type, r.arg(in, 0))
	default:
		x = binary(in.Op, in.Type, r.arg(in, 0), r.arg(in, 1))
	}
	r.values[in.Dst] = x
	return false
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

func float(t ir.Type, x uint64) float64 {
	if t == ir.Float32 {
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

func unary(op ir.Op, t ir.Type, a uint64) uint64 {
	switch {
	case t == ir.Bool:
		return a ^ 1
	case op == ir.Not:
		return clip(t, ^a)
	case t.Float():
		return a ^ 1<<(t.Bits()-1)
	}
	return clip(t, -a)
}

// The numbers of Go, so that Go computes.
type integer interface {
	~int32 | ~uint32 | ~int64 | ~uint64
}

func integers[T integer](op ir.Op, a, b T, count uint64) (x T, is bool) {
	switch op {
	case ir.Add:
		return a + b, false
	case ir.Sub:
		return a - b, false
	case ir.Mul:
		return a * b, false
	case ir.Div:
		return a / b, false
	case ir.Rem:
		return a % b, false
	case ir.And:
		return a & b, false
	case ir.Or:
		return a | b, false
	case ir.Xor:
		return a ^ b, false
	case ir.AndNot:
		return a &^ b, false
	case ir.Shl:
		return a << count, false
	case ir.Shr:
		return a >> count, false
	case ir.Equal:
		return 0, a == b
	case ir.NotEqual:
		return 0, a != b
	case ir.Less:
		return 0, a < b
	case ir.LessEqual:
		return 0, a <= b
	}
	panic("no such operation: " + op.String())
}

func floats[T float32 | float64](op ir.Op, a, b T) (x T, is bool) {
	switch op {
	case ir.Add:
		return a + b, false
	case ir.Sub:
		return a - b, false
	case ir.Mul:
		return a * b, false
	case ir.Div:
		return a / b, false
	case ir.Equal:
		return 0, a == b
	case ir.NotEqual:
		return 0, a != b
	case ir.Less:
		return 0, a < b
	case ir.LessEqual:
		return 0, a <= b
	}
	panic("no such operation on floats: " + op.String())
}

func binary(op ir.Op, t ir.Type, a, b uint64) uint64 {
	var x uint64
	var is bool
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
		case ir.Equal:
			return a ^ b ^ 1
		}
		panic("no such operation on bool: " + op.String())
	case ir.Int32:
		y, z := integers(op, int32(a), int32(b), b)
		x, is = uint64(uint32(y)), z
	case ir.Uint32:
		y, z := integers(op, uint32(a), uint32(b), b)
		x, is = uint64(y), z
	case ir.Int64:
		y, z := integers(op, int64(a), int64(b), b)
		x, is = uint64(y), z
	case ir.Uint64:
		x, is = integers(op, a, b, b)
	case ir.Float32:
		y, z := floats(op, math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b)))
		x, is = uint64(math.Float32bits(y)), z
	case ir.Float64:
		y, z := floats(op, math.Float64frombits(a), math.Float64frombits(b))
		x, is = math.Float64bits(y), z
	}
	if op == ir.Equal || op == ir.NotEqual || op == ir.Less || op == ir.LessEqual {
		return bit(is)
	}
	return x
}

func from[T integer | float32 | float64](to ir.Type, x T) uint64 {
	switch to {
	case ir.Int32:
		return uint64(uint32(int32(x)))
	case ir.Uint32:
		return uint64(uint32(x))
	case ir.Int64:
		return uint64(int64(x))
	case ir.Uint64:
		return uint64(x)
	case ir.Float32:
		return uint64(math.Float32bits(float32(x)))
	case ir.Float64:
		return math.Float64bits(float64(x))
	}
	panic("a conversion to " + to.String())
}

func convert(to, t ir.Type, x uint64) uint64 {
	switch t {
	case ir.Int32:
		return from(to, int32(x))
	case ir.Uint32:
		return from(to, uint32(x))
	case ir.Int64:
		return from(to, int64(x))
	case ir.Uint64:
		return from(to, x)
	case ir.Float32:
		return from(to, math.Float32frombits(uint32(x)))
	case ir.Float64:
		return from(to, math.Float64frombits(x))
	}
	panic("a conversion of " + t.String())
}

func call(f ir.Func, t ir.Type, a, b uint64) uint64 {
	if t.Float() {
		x, y := float(t, a), float(t, b)
		var z float64
		switch f {
		case ir.IsNaN:
			return bit(x != x)
		case ir.Abs:
			return a &^ (1 << (t.Bits() - 1))
		case ir.Sqrt:
			z = math.Sqrt(x) // of a float32 too: the double is more than twice as precise
		case ir.Floor:
			z = math.Floor(x)
		case ir.Ceil:
			z = math.Ceil(x)
		case ir.Trunc:
			z = math.Trunc(x)
		case ir.MathMin:
			z = math.Min(x, y)
		case ir.MathMax:
			z = math.Max(x, y)
		case ir.Min:
			z = min(x, y)
		case ir.Max:
			z = max(x, y)
		case ir.Exp:
			z = math.Exp(x)
		case ir.Log:
			z = math.Log(x)
		case ir.Pow:
			z = math.Pow(x, y)
		default:
			panic("no such function of floats: " + f.String())
		}
		return from(t, z)
	}
	narrow := t.Bits() == 32
	switch f {
	case ir.Min, ir.Max:
		less := binary(ir.Less, t, a, b) != 0
		if less == (f == ir.Min) {
			return a
		}
		return b
	case ir.OnesCount:
		return uint64(bits.OnesCount64(a))
	case ir.LeadingZeros:
		return uint64(bits.LeadingZeros64(a) - (64 - t.Bits()))
	case ir.TrailingZeros:
		return uint64(min(bits.TrailingZeros64(a), t.Bits()))
	case ir.BitLen:
		return uint64(bits.Len64(a))
	case ir.Reverse:
		return bits.Reverse64(a) >> (64 - t.Bits())
	case ir.ReverseBytes:
		return bits.ReverseBytes64(a) >> (64 - t.Bits())
	case ir.MulHigh:
		high, _ := bits.Mul64(a, b)
		return high
	case ir.RotateLeft:
		if narrow {
			return uint64(bits.RotateLeft32(uint32(a), int(b)))
		}
		return bits.RotateLeft64(a, int(b))
	}
	panic("no such function: " + f.String())
}

func atomic(f ir.Func, t ir.Type, p *uint64, a, b uint64) uint64 {
	old := *p
	switch f {
	case ir.AtomicLoad:
	case ir.AtomicStore, ir.AtomicExchange:
		*p = a
	case ir.AtomicAdd:
		*p = binary(ir.Add, t, old, a)
	case ir.AtomicOr:
		*p |= a
	case ir.AtomicAnd:
		*p &= a
	case ir.AtomicCompareAndSwap:
		if old == a {
			*p = b
		}
		return bit(old == a)
	case ir.AtomicMin, ir.AtomicMax:
		x, y := a, old
		if f == ir.AtomicMax {
			x, y = old, a
		}
		less := binary(ir.Less, t, x, y) != 0
		if t.Float() {
			given, is := float(t, a), float(t, old)
			if given != given {
				return old
			}
			less = less || is != is || given == is && x > y
		}
		if less {
			*p = a
		}
	default:
		panic("no such atomic operation: " + f.String())
	}
	return old
}
