// This file lowers operators.

package source

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/foray-graph/foray/internal/functor/ir"
)

var arithmetic = map[token.Token]ir.Op{
	token.ADD: ir.Add, token.SUB: ir.Sub, token.MUL: ir.Mul, token.QUO: ir.Div, token.REM: ir.Rem,
	token.AND: ir.And, token.OR: ir.Or, token.XOR: ir.Xor, token.AND_NOT: ir.AndNot, token.SHL: ir.Shl, token.SHR: ir.Shr,
}

// comparisons have those by a greater operand as those by a less, with operands swapped.
var comparisons = map[token.Token]struct {
	op   ir.Op
	swap bool
}{
	token.EQL: {ir.Equal, false}, token.NEQ: {ir.NotEqual, false},
	token.LSS: {ir.Less, false}, token.LEQ: {ir.LessEqual, false},
	token.GTR: {ir.Less, true}, token.GEQ: {ir.LessEqual, true},
}

// binary lowers x op y.
func (m *method) binary(e *ast.BinaryExpr) operand {
	if e.Op == token.LAND || e.Op == token.LOR {
		mark := len(m.pending)
		return m.short(e.Op == token.LAND, e.OpPos, mark, m.number(e.X), func() operand { return m.number(e.Y) })
	}
	x := m.number(e.X)
	y := m.number(e.Y)
	if x.kind != number || y.kind != number {
		return operand{}
	}
	if c, ok := comparisons[e.Op]; ok {
		return m.compare(c.op, c.swap, x, y, e.OpPos)
	}
	if t := m.typeOf(m.info.TypeOf(e)); t != x.t {
		return m.badType(e.Pos(), m.info.TypeOf(e)) // a constant's type isn't what go/types found
	}
	return m.arithmetic(arithmetic[e.Op], x, y, e.OpPos)
}

// compare lowers a comparison.
func (m *method) compare(op ir.Op, swap bool, x, y operand, pos token.Pos) operand {
	if x.t != y.t {
		m.errorf(pos, "a comparison of %s and %s", x.t, y.t)
		return operand{}
	}
	if x.t == ir.Bool { // the same bits
		a := m.op(ir.Xor, ir.Bool, ir.Bool, pos, x.arg, y.arg)
		if op == ir.Equal {
			a = m.op(ir.Not, ir.Bool, ir.Bool, pos, a)
		}
		return operand{kind: number, t: ir.Bool, arg: a}
	}
	if swap {
		x, y = y, x
	}
	return operand{kind: number, t: ir.Bool, arg: m.op(op, x.t, ir.Bool, pos, x.arg, y.arg)}
}

// arithmetic lowers x op y of numbers.
func (m *method) arithmetic(op ir.Op, x, y operand, pos token.Pos) operand {
	if x.kind != number || y.kind != number {
		return operand{}
	}
	site := 0
	switch {
	case op == ir.Shl || op == ir.Shr:
		if y.t.Signed() && y.arg.Value >= 0 {
			m.errorf(pos, "a shift by a signed number, which may be negative; convert it: uint(n)")
			return operand{}
		}
		if !y.t.Integer() {
			return operand{}
		}
		if y.t.Signed() && (y.t == ir.Int64 && int64(y.arg.Bits) < 0 || y.t == ir.Int32 && int32(y.arg.Bits) < 0) {
			m.errorf(pos, "a shift by a negative number")
			return operand{}
		}
		y = m.convert(y, ir.Uint64, pos)
	case x.t != y.t:
		m.errorf(pos, "an operation on %s and %s", x.t, y.t)
		return operand{}
	case (op == ir.Div || op == ir.Rem) && x.t.Integer():
		if y.arg.Value < 0 && y.arg.Bits == 0 {
			m.errorf(pos, "a division by zero: what divides is the constant 0 here")
			return operand{}
		}
		if y.arg.Value >= 0 {
			site = m.site(pos, "division by zero")
		}
	}
	args := []ir.Arg{x.arg, y.arg}
	if bits, ok := fold(op, x.t, x.t, args); ok {
		return constOperand(x.t, bits)
	}
	v := m.temp(x.t)
	m.emit(ir.Instr{Op: op, Type: x.t, Dst: v, Args: args, Site: site, Line: m.line(pos)})
	return operand{kind: number, t: x.t, arg: ir.Var(v)}
}

// short lowers && and ||: x is lowered already, and has read what is pending from mark on;
// right lowers the other side. An operand that is cheap and can't fault is always computed.
func (m *method) short(and bool, pos token.Pos, mark int, x operand, right func() operand) operand {
	if x.kind == number && x.arg.Value < 0 { // a constant decides
		if (x.arg.Bits != 0) == and {
			return right()
		}
		return x
	}
	// The left side is over before the right one begins. Neither has to be, where something
	// else in the statement has effects.
	read := slices.Clone(m.pending[mark:])
	m.pending = m.pending[:mark]
	var y operand
	list := m.nest(func() { y = right() })
	m.pending = append(m.pending, read...)
	if x.kind != number || y.kind != number {
		return operand{}
	}
	if pure(list) {
		*m.list = append(*m.list, list...)
		op := ir.Or
		if and {
			op = ir.And
		}
		return operand{kind: number, t: ir.Bool, arg: m.op(op, ir.Bool, ir.Bool, pos, x.arg, y.arg)}
	}
	m.m.Values = append(m.m.Values, ir.Value{Type: ir.Bool})
	r := operand{kind: number, t: ir.Bool, arg: ir.Var(len(m.m.Values) - 1)}
	list = append(list, ir.Instr{Op: ir.Move, Type: ir.Bool, Dst: r.arg.Value, Args: []ir.Arg{y.arg}, Line: m.line(pos)})
	known := ir.Instr{Op: ir.Move, Type: ir.Bool, Dst: r.arg.Value, Args: []ir.Arg{ir.Const(1)}, Line: m.line(pos)}
	in := ir.Instr{Op: ir.If, Dst: -1, Args: []ir.Arg{x.arg}, Line: m.line(pos)}
	if and {
		known.Args[0].Bits = 0
		in.Then, in.Else = list, []ir.Instr{known}
	} else {
		in.Then, in.Else = []ir.Instr{known}, list
	}
	m.emit(in)
	return r
}

// pure reports instructions that compute a little and touch no memory.
func pure(list []ir.Instr) bool {
	if len(list) > maxEager {
		return false
	}
	for _, in := range list {
		switch in.Op {
		case ir.Div, ir.Rem:
			if in.Site != 0 || in.Type.Integer() {
				return false
			}
		case ir.Move, ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor, ir.AndNot, ir.Shl, ir.Shr, ir.Neg, ir.Not,
			ir.Equal, ir.Less, ir.LessEqual, ir.NotEqual, ir.Convert, ir.Bits, ir.Scalar, ir.FieldLen:
		default:
			return false
		}
	}
	return true
}

// unary lowers op x.
func (m *method) unary(e *ast.UnaryExpr) operand {
	switch e.Op {
	case token.AND:
		if x, ok := ast.Unparen(e.X).(*ast.Ident); ok && m.frame.vars[m.info.Uses[x]].kind == functor {
			return m.frame.vars[m.info.Uses[x]]
		}
		m.errorf(e.Pos(), "the address of something; only atomics take one: atomics.Add(&r.Sum[v], x)")
		return operand{}
	case token.ARROW:
		m.errorf(e.Pos(), "a receive from a channel; functors have none")
		return operand{}
	}
	x := m.number(e.X)
	if x.kind != number {
		return x
	}
	switch e.Op {
	case token.ADD:
		return x
	case token.SUB:
		x.arg = m.op(ir.Neg, x.t, x.t, e.Pos(), x.arg)
	case token.XOR, token.NOT:
		x.arg = m.op(ir.Not, x.t, x.t, e.Pos(), x.arg)
	default:
		m.errorf(e.Pos(), "the operator %s", e.Op)
		return operand{}
	}
	x.variable = false
	return x
}
