// This file makes random expressions.

package functorfuzz

import "github.com/foray-graph/foray/internal/functor/ir"

// expr makes an expression of a type.
func (g *generator) expr(t ir.Type, depth int) ir.Arg {
	var known []int
	for _, v := range g.seen {
		if g.m.Values[v].Type == t {
			known = append(known, v)
		}
	}
	if depth == 0 || g.chance(4) {
		if len(known) > 0 && !g.chance(4) {
			return ir.Var(pick(g.Rand, known))
		}
		return ir.Const(g.Bits(t))
	}
	depth--
	if t == ir.Bool {
		return g.boolean(depth)
	}
	binary := func(op ir.Op) ir.Arg {
		return g.temp(t, ir.Instr{Op: op, Type: t, Args: []ir.Arg{g.expr(t, depth), g.expr(t, depth)}})
	}
	if g.chance(6) {
		if x, ok := g.element(t); ok {
			return x
		}
	}
	switch k := g.IntN(16); {
	case k < 3:
		for range 3 {
			field := pick(g.Rand, g.slices(false))
			if g.f.FieldOf(field).Type == t {
				return g.temp(t, ir.Instr{Op: ir.Load, Type: t, Field: field, Args: []ir.Arg{g.index(field)}})
			}
		}
		for i, x := range g.f.Fields {
			if !x.Slice && !x.Accumulator && x.Type == t {
				return g.temp(t, ir.Instr{Op: ir.Scalar, Type: t, Field: i})
			}
		}
		if t == ir.Int64 {
			return g.temp(t, ir.Instr{Op: ir.FieldLen, Type: t, Field: pick(g.Rand, g.slices(false))})
		}
	case k < 6:
		from := pick(g.Rand, types)
		return g.temp(t, ir.Instr{Op: ir.Convert, Type: from, Args: []ir.Arg{g.expr(from, depth)}})
	case k < 7:
		return g.temp(t, ir.Instr{Op: ir.Neg, Type: t, Args: []ir.Arg{g.expr(t, depth)}})
	case k < 8:
		if x, got := g.atomic(false); got == t {
			return x
		}
	case k < 9:
		return g.ofBits(t, depth)
	case k < 12:
		return g.function(t, depth)
	}
	if t.Float() {
		return binary(pick(g.Rand, []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Div}))
	}
	switch op := pick(g.Rand, []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Rem, ir.And, ir.Or, ir.Xor, ir.AndNot, ir.Shl, ir.Shr, ir.Not}); op {
	case ir.Div, ir.Rem:
		in := ir.Instr{Op: op, Type: t, Args: []ir.Arg{g.expr(t, depth), g.expr(t, depth)}}
		if d := in.Args[1]; d.Value < 0 {
			for clip(t, d.Bits) == 0 && !g.chance(8) {
				d.Bits = g.Bits(t)
			}
			in.Args[1] = d
		}
		if d := in.Args[1]; d.Value >= 0 || clip(t, d.Bits) == 0 {
			in.Site = g.site("division by zero")
		}
		return g.temp(t, in)
	case ir.Shl, ir.Shr:
		count := ir.Const(g.Uint64N(70))
		switch g.IntN(3) {
		case 0:
			count = g.expr(ir.Uint64, depth)
		case 1:
			x := g.expr(ir.Uint32, depth)
			count = g.temp(ir.Uint64, ir.Instr{Op: ir.Convert, Type: ir.Uint32, Args: []ir.Arg{x}})
		}
		return g.temp(t, ir.Instr{Op: op, Type: t, Args: []ir.Arg{g.expr(t, depth), count}})
	case ir.Not:
		return g.temp(t, ir.Instr{Op: op, Type: t, Args: []ir.Arg{g.expr(t, depth)}})
	default:
		return binary(op)
	}
}

func (g *generator) boolean(depth int) ir.Arg {
	switch g.IntN(8) {
	case 0:
		return g.temp(ir.Bool, ir.Instr{Op: ir.Not, Type: ir.Bool, Args: []ir.Arg{g.expr(ir.Bool, depth)}})
	case 1:
		op := pick(g.Rand, []ir.Op{ir.And, ir.Or, ir.Xor, ir.AndNot, ir.Equal, ir.NotEqual})
		return g.temp(ir.Bool, ir.Instr{Op: op, Type: ir.Bool, Args: []ir.Arg{g.expr(ir.Bool, depth), g.expr(ir.Bool, depth)}})
	case 2:
		t := pick(g.Rand, []ir.Type{ir.Float32, ir.Float64})
		return g.temp(ir.Bool, ir.Instr{Op: ir.Call, Func: ir.IsNaN, Type: t, Args: []ir.Arg{g.expr(t, depth)}})
	}
	t := pick(g.Rand, types)
	op := pick(g.Rand, []ir.Op{ir.Equal, ir.Less, ir.LessEqual, ir.NotEqual})
	return g.temp(ir.Bool, ir.Instr{Op: op, Type: t, Args: []ir.Arg{g.expr(t, depth), g.expr(t, depth)}})
}

// ofBits takes the bits of a number of another kind.
func (g *generator) ofBits(t ir.Type, depth int) ir.Arg {
	var from ir.Type
	switch t {
	case ir.Uint32:
		from = ir.Float32
	case ir.Uint64:
		from = ir.Float64
	case ir.Float32:
		from = ir.Uint32
	case ir.Float64:
		from = ir.Uint64
	default:
		return g.expr(t, depth)
	}
	a := g.expr(from, depth)
	if from.Float() {
		a = g.notNaN(from, a)
	}
	return g.temp(t, ir.Instr{Op: ir.Bits, Type: from, Args: []ir.Arg{a}})
}

func (g *generator) function(t ir.Type, depth int) ir.Arg {
	call := func(f ir.Func, of ir.Type, n int) ir.Arg {
		in := ir.Instr{Op: ir.Call, Func: f, Type: of, Args: []ir.Arg{g.expr(of, depth)}}
		if n == 2 {
			in.Args = append(in.Args, g.expr(of, depth))
		}
		return g.temp(t, in)
	}
	if t.Float() {
		if t == ir.Float64 && g.chance(5) {
			if g.chance(3) {
				return call(ir.Pow, t, 2)
			}
			return call(pick(g.Rand, []ir.Func{ir.Exp, ir.Log}), t, 1)
		}
		if g.chance(2) {
			return call(pick(g.Rand, []ir.Func{ir.Min, ir.Max, ir.MathMin, ir.MathMax}), t, 2)
		}
		return call(pick(g.Rand, []ir.Func{ir.Abs, ir.Sqrt, ir.Floor, ir.Ceil, ir.Trunc}), t, 1)
	}
	unsigned := pick(g.Rand, []ir.Type{ir.Uint32, ir.Uint64})
	switch {
	case g.chance(2):
		return call(pick(g.Rand, []ir.Func{ir.Min, ir.Max}), t, 2)
	case t == ir.Int64:
		return call(pick(g.Rand, []ir.Func{ir.OnesCount, ir.LeadingZeros, ir.TrailingZeros, ir.BitLen}), unsigned, 1)
	case t.Signed():
		return g.expr(t, depth)
	case t == ir.Uint64 && g.chance(3):
		return call(ir.MulHigh, t, 2)
	case g.chance(2):
		return call(pick(g.Rand, []ir.Func{ir.Reverse, ir.ReverseBytes}), t, 1)
	}
	a := g.expr(t, depth)
	return g.temp(t, ir.Instr{Op: ir.Call, Func: ir.RotateLeft, Type: t, Args: []ir.Arg{a, g.expr(ir.Int64, depth)}})
}
