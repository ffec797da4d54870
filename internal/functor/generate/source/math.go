// This file lowers calls of math, math/bits and atomics.

package source

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// mathFuncs are the functions of float64.
var mathFuncs = map[string]ir.Func{
	"Abs": ir.Abs, "Sqrt": ir.Sqrt, "Floor": ir.Floor, "Ceil": ir.Ceil, "Trunc": ir.Trunc,
	"Min": ir.MathMin, "Max": ir.MathMax, "Exp": ir.Exp, "Log": ir.Log, "Pow": ir.Pow,
}

// exact are those whose result, rounded to float32, is what the same function of float32
// gives where the arguments are float32.
var exact = []string{"Abs", "Sqrt", "Floor", "Ceil", "Trunc", "Min", "Max"}

const mathList = "Abs, Ceil, Exp, Floor, Inf, IsInf, IsNaN, Log, Max, Min, NaN, Pow, Sqrt, Trunc, Float32bits, Float32frombits, Float64bits and Float64frombits"

// operands lowers the arguments of a call; ok says that all are numbers.
func (m *method) operands(list []ast.Expr) (args []ir.Arg, ok bool) {
	ok = true
	for _, e := range list {
		x := m.number(e)
		ok = ok && x.kind == number
		args = append(args, x.arg)
	}
	return args, ok
}

// math lowers a call of package math.
func (m *method) math(e *ast.CallExpr, fn *types.Func) operand {
	f, known := mathFuncs[fn.Name()]
	switch name := fn.Name(); {
	case name == "Inf", name == "IsInf", name == "NaN":
		return m.infinity(e, name)
	case known, name == "IsNaN", name == "Float32bits", name == "Float32frombits", name == "Float64bits", name == "Float64frombits":
	default:
		m.errorf(e.Pos(), "a call of math.%s; of math there are %s", name, mathList)
		return operand{}
	}
	args, ok := m.operands(e.Args)
	if !ok || len(args) != fn.Signature().Params().Len() {
		return operand{}
	}
	out := operand{kind: number, t: ir.Float64}
	bits := func(from, to ir.Type) {
		out.t = to
		out.arg = m.op(ir.Bits, from, to, e.Pos(), args...)
	}
	switch fn.Name() {
	case "IsNaN":
		out.t = ir.Bool
		out.arg = m.call(ir.IsNaN, ir.Float64, ir.Bool, e.Pos(), args...)
	case "Float32bits":
		bits(ir.Float32, ir.Uint32)
	case "Float32frombits":
		bits(ir.Uint32, ir.Float32)
	case "Float64bits":
		bits(ir.Float64, ir.Uint64)
	case "Float64frombits":
		bits(ir.Uint64, ir.Float64)
	default:
		out.arg = m.call(f, ir.Float64, ir.Float64, e.Pos(), args...)
	}
	return out
}

// infinity lowers math.Inf, math.NaN and math.IsInf.
func (m *method) infinity(e *ast.CallExpr, name string) operand {
	if name == "NaN" {
		return constOperand(ir.Float64, math.Float64bits(math.NaN()))
	}
	if len(e.Args) == 0 {
		return operand{}
	}
	v := m.info.Types[e.Args[len(e.Args)-1]].Value
	if v == nil {
		m.errorf(e.Pos(), "math.%s with a sign that is no constant", name)
		return operand{}
	}
	sign := constant.Sign(v)
	if name == "Inf" {
		return constOperand(ir.Float64, math.Float64bits(math.Inf(sign)))
	}
	x := m.number(e.Args[0])
	if x.kind != number {
		return operand{}
	}
	is := func(s int) ir.Arg {
		return m.op(ir.Equal, ir.Float64, ir.Bool, e.Pos(), x.arg, ir.Const(math.Float64bits(math.Inf(s))))
	}
	out := operand{kind: number, t: ir.Bool}
	if sign != 0 {
		out.arg = is(sign)
	} else {
		out.arg = m.op(ir.Or, ir.Bool, ir.Bool, e.Pos(), is(1), is(-1))
	}
	return out
}

// narrowMath lowers f of float32(f(float64(x))), where x is a float32 and the function is as
// exact on float32.
func (m *method) narrowMath(e ast.Expr) (operand, bool) {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || m.info.Types[e].Value != nil {
		return operand{}, false
	}
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return operand{}, false
	}
	fn, ok := m.info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "math" || !slices.Contains(exact, fn.Name()) || len(c.Args) != fn.Signature().Params().Len() {
		return operand{}, false
	}
	var inner []ast.Expr
	for _, a := range c.Args {
		w, ok := ast.Unparen(a).(*ast.CallExpr)
		if !ok || len(w.Args) != 1 || !m.info.Types[w.Fun].IsType() || m.info.Types[a].Value != nil ||
			m.typeOf(m.info.TypeOf(w)) != ir.Float64 || m.typeOf(m.info.TypeOf(w.Args[0])) != ir.Float32 {
			return operand{}, false
		}
		inner = append(inner, w.Args[0])
	}
	args, ok := m.operands(inner)
	if !ok {
		return operand{}, true
	}
	return operand{kind: number, t: ir.Float32, arg: m.call(mathFuncs[fn.Name()], ir.Float32, ir.Float32, e.Pos(), args...)}, true
}

// bitsFuncs are functions of math/bits without the width at their end.
var bitsFuncs = map[string]ir.Func{
	"OnesCount": ir.OnesCount, "LeadingZeros": ir.LeadingZeros, "TrailingZeros": ir.TrailingZeros, "Len": ir.BitLen,
	"Reverse": ir.Reverse, "ReverseBytes": ir.ReverseBytes, "RotateLeft": ir.RotateLeft,
}

// bits lowers a call of package math/bits.
func (m *method) bits(e *ast.CallExpr, fn *types.Func) []operand {
	name, t := fn.Name(), ir.Uint64
	if n := len(name) - 2; n > 0 {
		switch name[n:] {
		case "32":
			name, t = name[:n], ir.Uint32
		case "64":
			name = name[:n]
		}
	}
	f, known := bitsFuncs[name]
	wide := name == "Add" || name == "Sub" || name == "Mul"
	failed := make([]operand, fn.Signature().Results().Len())
	if !known && !wide {
		m.errorf(e.Pos(), "a call of bits.%s; of math/bits there are Add, LeadingZeros, Len, Mul, OnesCount, Reverse, ReverseBytes, RotateLeft, Sub and TrailingZeros, of 32 and 64 bits", fn.Name())
		return failed
	}
	args, ok := m.operands(e.Args)
	if !ok || len(args) != fn.Signature().Params().Len() {
		return failed
	}
	if wide {
		return m.wideBits(name, t, args, e.Pos())
	}
	out := operand{kind: number, t: t}
	switch f {
	case ir.OnesCount, ir.LeadingZeros, ir.TrailingZeros, ir.BitLen:
		out.t = ir.Int64
	}
	out.arg = m.call(f, t, out.t, e.Pos(), args...)
	return []operand{out}
}

// wideBits lowers bits.Mul, Add and Sub, which have two results. They are made of other instructions, as package
// math/bits has them: a carry that is neither 0 nor 1 gives the same on all devices.
func (m *method) wideBits(name string, t ir.Type, args []ir.Arg, pos token.Pos) []operand {
	op := func(op ir.Op, x, y ir.Arg) ir.Arg { return m.op(op, t, t, pos, x, y) }
	two := func(a, b ir.Arg) []operand {
		return []operand{{kind: number, t: t, arg: a}, {kind: number, t: t, arg: b}}
	}
	x, y := args[0], args[1]
	if name == "Mul" {
		if t == ir.Uint64 {
			return two(m.call(ir.MulHigh, t, t, pos, x, y), op(ir.Mul, x, y))
		}
		wide := func(a ir.Arg) ir.Arg { return m.op(ir.Convert, t, ir.Uint64, pos, a) }
		product := m.op(ir.Mul, ir.Uint64, ir.Uint64, pos, wide(x), wide(y))
		high := m.op(ir.Shr, ir.Uint64, ir.Uint64, pos, product, ir.Const(32))
		return two(m.op(ir.Convert, ir.Uint64, t, pos, high), m.op(ir.Convert, ir.Uint64, t, pos, product))
	}
	not := func(a ir.Arg) ir.Arg { return m.op(ir.Not, t, t, pos, a) }
	var out, carry ir.Arg
	if name == "Add" {
		out = op(ir.Add, op(ir.Add, x, y), args[2])
		carry = op(ir.Or, op(ir.And, x, y), op(ir.AndNot, op(ir.Or, x, y), out))
	} else {
		out = op(ir.Sub, op(ir.Sub, x, y), args[2])
		carry = op(ir.Or, op(ir.AndNot, y, x), op(ir.And, not(op(ir.Xor, x, y)), out))
	}
	return two(out, op(ir.Shr, carry, ir.Const(uint64(t.Bits()-1))))
}

// atomicFuncs are the functions of package atomics.
var atomicFuncs = map[string]ir.Func{
	"Load": ir.AtomicLoad, "Store": ir.AtomicStore, "Min": ir.AtomicMin, "Max": ir.AtomicMax, "Add": ir.AtomicAdd,
	"Or": ir.AtomicOr, "And": ir.AtomicAnd, "Exchange": ir.AtomicExchange, "CompareAndSwap": ir.AtomicCompareAndSwap,
}

// atomic lowers a call of package atomics.
func (m *method) atomic(e *ast.CallExpr, name string) operand {
	f, ok := atomicFuncs[name]
	if !ok || len(e.Args) == 0 {
		m.errorf(e.Pos(), "a call of atomics.%s", name)
		return operand{}
	}
	mark := len(m.pending)
	var x, i operand
	if a, ok := ast.Unparen(e.Args[0]).(*ast.UnaryExpr); ok && a.Op == token.AND {
		if el, ok := ast.Unparen(a.X).(*ast.IndexExpr); ok {
			x, i = m.element(el)
		} else {
			m.errorf(a.Pos(), "atomics.%s takes the address of an element of a slice: &r.Sum[v]", name)
		}
	} else {
		m.errorf(e.Args[0].Pos(), "atomics.%s takes the address of an element of a slice: &r.Sum[v]", name)
	}
	if x.kind == array {
		m.errorf(e.Pos(), "atomics.%s of an array's element; no other call sees a local array: assign it", name)
	}
	args, ok := m.operands(e.Args[1:])
	if !ok || x.kind != slice || i.kind != number {
		return operand{}
	}
	at := m.checked(x.field, i, e.Pos())
	m.pending = m.pending[:mark]
	if f != ir.AtomicLoad {
		m.written(x.field, e.Pos())
	}
	in := ir.Instr{Op: ir.Atomic, Func: f, Type: x.t, Dst: -1, Field: x.field, Args: append([]ir.Arg{at}, args...), Line: m.line(e.Pos())}
	out := operand{kind: none}
	if f != ir.AtomicStore {
		t := x.t
		if f == ir.AtomicCompareAndSwap {
			t = ir.Bool
		}
		in.Dst = m.temp(t)
		out = operand{kind: number, t: t, arg: ir.Var(in.Dst)}
	}
	m.emit(in)
	return out
}

// written notes that elements of a field are written, by a call where the statement has
// more.
func (m *method) written(field int, pos token.Pos) {
	m.f.Fields[field].Written = true
	if slices.Contains(m.pending, field) {
		name := m.f.Fields[field].Name
		m.errorf(pos, "this statement also reads %s to the left of this call, and Go doesn't say which comes first; read it into a variable before", name)
	}
}
