// This file prints instructions that are expressions in Go.

package gohost

import (
	"fmt"
	"strconv"

	"github.com/foray-graph/foray/internal/functor/ir"
)

var operatorsOf = map[ir.Op]string{ir.Add: "+", ir.Sub: "-", ir.Mul: "*", ir.Div: "/", ir.Rem: "%", ir.And: "&", ir.Or: "|", ir.Xor: "^", ir.AndNot: "&^",
	ir.Shl: "<<", ir.Shr: ">>", ir.Equal: "==", ir.NotEqual: "!=", ir.Less: "<", ir.LessEqual: "<="}

var boolOperators = map[ir.Op]string{ir.And: "&&", ir.Or: "||", ir.Xor: "!=", ir.AndNot: "&& !"}

// expr prints what an instruction assigns.
func (b *body) expr(in *ir.Instr) string {
	switch in.Op {
	case ir.Move:
		return b.arg(in, 0)
	case ir.Neg:
		return "(-" + b.variable(in, 0) + ")"
	case ir.Not:
		if in.Type == ir.Bool {
			return "!" + b.arg(in, 0)
		}
		return "^" + b.variable(in, 0)
	case ir.Convert:
		from, to := in.Type, b.m.Values[in.Dst].Type
		if from == to {
			return b.arg(in, 0)
		}
		return to.String() + "(" + bare(b.variable(in, 0)) + ")"
	case ir.Bits:
		return b.bits(in)
	case ir.Call:
		return b.call(in)
	case ir.Load:
		return b.load(in)
	case ir.LoadLocal:
		return b.local(in)
	case ir.Scalar:
		return b.fields[in.Field]
	case ir.FieldLen:
		return "int64(len(" + b.fields[in.Field] + "))"
	case ir.Shl, ir.Shr:
		return b.shift(in)
	}
	return b.binary(in)
}

func (b *body) binary(in *ir.Instr) string {
	op := operatorsOf[in.Op]
	if s, ok := boolOperators[in.Op]; ok && in.Type == ir.Bool {
		op = s
	}
	x, y := "", ""
	if in.Args[0].Value < 0 && in.Args[1].Value < 0 {
		x = b.variable(in, 0)
	} else {
		x = b.arg(in, 0)
	}
	if (in.Op == ir.Div || in.Op == ir.Rem) && !in.Type.Float() {
		y = b.divisor(in)
	} else {
		y = b.arg(in, 1)
	}
	s := x + " " + op + " " + y
	if op == "&& !" {
		s = x + " && !" + y
	}
	if in.Op == ir.Mul && in.Type.Float() {
		return in.Type.String() + "(" + s + ")" // the conversion keeps Go from contracting it with a sum
	}
	return "(" + s + ")"
}

func (b *body) shift(in *ir.Instr) string {
	by := b.arg(in, 1)
	if a := in.Args[1]; a.Value < 0 {
		by = strconv.FormatUint(a.Bits, 10)
	}
	return "(" + b.variable(in, 0) + " " + operatorsOf[in.Op] + " " + by + ")"
}

// unsigned is the unsigned type of a width.
func unsigned(t ir.Type) ir.Type {
	if t.Bits() == 32 {
		return ir.Uint32
	}
	return ir.Uint64
}

// bits prints the bits of a value as another type.
func (b *body) bits(in *ir.Instr) string {
	from, to := in.Type, b.m.Values[in.Dst].Type
	s := b.arg(in, 0)
	if from == to {
		return s
	}
	if !from.Float() && !to.Float() {
		return to.String() + "(" + bare(b.variable(in, 0)) + ")"
	}
	if from.Float() {
		s = b.toBits(from, s)
		return as(to, unsigned(from), s)
	}
	if in.Args[0].Value < 0 {
		s = b.variable(in, 0)
	}
	return b.fromBits(to, as(unsigned(to), from, s))
}

func (b *body) toBits(t ir.Type, s string) string {
	b.imports["math"] = true
	return fmt.Sprintf("math.Float%dbits(%s)", t.Bits(), bare(s))
}

func (b *body) fromBits(t ir.Type, s string) string {
	b.imports["math"] = true
	return fmt.Sprintf("math.Float%dfrombits(%s)", t.Bits(), bare(s))
}

// load prints an element that is read.
func (b *body) load(in *ir.Instr) string {
	if name := b.own[in.Dst]; name != "" {
		return name
	}
	if b.shared && b.contended(in.Field) {
		return b.atomicLoad(in.Type, "&"+b.element(in))
	}
	return b.element(in)
}

// contended reports a slice that methods use atomics on: a plain load would be a data race.
func (b *body) contended(field int) (is bool) {
	if field >= len(b.f.Fields) || !b.f.Fields[field].Written {
		return false
	}
	for _, m := range b.f.Methods {
		walk(m.Body, func(in *ir.Instr) { is = is || in.Op == ir.Atomic && in.Field == field && in.Func != ir.AtomicLoad })
	}
	return is
}

var mathNames = map[ir.Func]string{ir.Abs: "Abs", ir.Sqrt: "Sqrt", ir.Floor: "Floor", ir.Ceil: "Ceil", ir.Trunc: "Trunc",
	ir.MathMin: "Min", ir.MathMax: "Max", ir.Exp: "Exp", ir.Log: "Log", ir.Pow: "Pow"}

var bitsNames = map[ir.Func]string{ir.OnesCount: "OnesCount", ir.LeadingZeros: "LeadingZeros", ir.TrailingZeros: "TrailingZeros",
	ir.BitLen: "Len", ir.Reverse: "Reverse", ir.ReverseBytes: "ReverseBytes", ir.RotateLeft: "RotateLeft"}

// call prints a call of a function.
func (b *body) call(in *ir.Instr) string {
	x := bare(b.arg(in, 0))
	switch in.Func {
	case ir.IsNaN:
		x = b.variable(in, 0)
		return "(" + x + " != " + x + ")"
	case ir.Min, ir.Max:
		if in.Args[0].Value < 0 && in.Args[1].Value < 0 { // of constants Go makes a constant
			x = b.variable(in, 0)
		}
		return fmt.Sprintf("%s(%s, %s)", in.Func, x, bare(b.arg(in, 1)))
	}
	if in.Func == ir.MulHigh { // see assign
		b.imports["math/bits"] = true
		return fmt.Sprintf("bits.Mul64(%s, %s)", x, bare(b.arg(in, 1)))
	}
	if name, ok := mathNames[in.Func]; ok {
		if in.Func == ir.Abs && in.Type.Integer() {
			return b.abs(in)
		}
		b.imports["math"] = true
		s := as(ir.Float64, in.Type, x)
		if len(in.Args) > 1 {
			s += ", " + as(ir.Float64, in.Type, bare(b.arg(in, 1)))
		}
		return as(in.Type, ir.Float64, "math."+name+"("+s+")")
	}
	b.imports["math/bits"] = true
	u := unsigned(in.Type)
	s := fmt.Sprintf("bits.%s%d(%s", bitsNames[in.Func], u.Bits(), as(u, in.Type, b.bitsArg(in, u, x)))
	switch in.Func {
	case ir.RotateLeft:
		return as(in.Type, u, s+", int("+bare(b.arg(in, 1))+"))")
	case ir.Reverse, ir.ReverseBytes:
		return as(in.Type, u, s+")")
	}
	return "int64(" + s + "))"
}

// bitsArg is the operand of a function of math/bits; a negative constant can't be converted.
func (b *body) bitsArg(in *ir.Instr, u ir.Type, x string) string {
	if in.Type != u {
		return b.variable(in, 0)
	}
	return x
}

// abs prints the absolute value of an integer: the smallest stays as it is.
func (b *body) abs(in *ir.Instr) string {
	x := b.variable(in, 0)
	if !in.Type.Signed() {
		return x
	}
	return fmt.Sprintf("max(%s, -%s)", x, x)
}
