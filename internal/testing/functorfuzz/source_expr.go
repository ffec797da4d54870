// This file makes random expressions of Go.

package functorfuzz

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// code is an expression, and whether it is constant: Go computes constants without
// wrapping, and refuses overflows.
type code struct {
	s        string
	constant bool
}

// moving returns an expression that isn't constant.
func (w *writer) moving(t ir.Type, depth int) string {
	if x := w.expr(t, depth); !x.constant {
		return x.s
	}
	for _, v := range w.vars {
		if v.t == t {
			return v.name
		}
	}
	for _, v := range w.vars {
		if v.t != ir.Bool && t != ir.Bool {
			return fmt.Sprintf("%s(%s)", t, v.name)
		}
	}
	if t == ir.Bool {
		return fmt.Sprintf("(bits.Len64(%d) > 2)", w.IntN(9))
	}
	return fmt.Sprintf("%s(bits.Len64(%d))", t, 1+w.IntN(9))
}

// count returns the count of a shift.
func (w *writer) count() string {
	if w.chance(2) {
		return fmt.Sprint(w.IntN(70))
	}
	return w.moving(pick(w.Rand, []ir.Type{ir.Uint32, ir.Uint64}), 1)
}

// expr makes an expression of a type.
func (w *writer) expr(t ir.Type, depth int) code {
	if depth == 0 || w.chance(4) {
		var known []string
		for _, v := range w.vars {
			if v.t == t {
				known = append(known, v.name)
			}
		}
		if len(known) > 0 && !w.chance(4) {
			return code{pick(w.Rand, known), false}
		}
		b := w.Bits(t)
		if t.Integer() && clip(t, b) == 0 {
			b = 1 // zero divisors that are known are refused
		}
		return literal(t, b)
	}
	depth--
	if w.chance(5) {
		for _, a := range w.locals {
			if a.t == t {
				return code{a.name + "[" + w.at(a) + "]", false}
			}
		}
	}
	if t == ir.Bool {
		return code{w.boolean(depth), false}
	}
	var s string
	switch k := w.IntN(16); {
	case k < 3:
		for _, i := range w.slices() {
			if w.f.Fields[i].Type == t {
				return code{w.element(i), false}
			}
		}
		if fields := w.slices(); t == ir.Int64 && len(fields) > 0 {
			return code{fmt.Sprintf("int64(len(f.%s))", w.f.Fields[pick(w.Rand, fields)].Name), false}
		}
	case k < 6:
		return code{fmt.Sprintf("%s(%s)", t, w.moving(pick(w.Rand, types), depth)), false}
	case k < 7:
		return code{fmt.Sprintf("(-%s)", w.moving(t, depth)), false}
	case k < 8:
		for _, h := range w.helpers {
			if h.result == t && !w.plain {
				var args []string
				for _, p := range h.params {
					args = append(args, w.moving(p, min(depth, 1))) // with constants it may divide by zero, which is refused
				}
				return code{fmt.Sprintf("%s(%s)", h.name, strings.Join(args, ", ")), false}
			}
		}
	case k < 9:
		s = w.ofBits(t, depth)
	case k < 12:
		s = w.function(t, depth)
	}
	if s != "" {
		return code{s, false}
	}
	ops := []string{"+", "-", "*", "/"}
	if t.Integer() {
		ops = append(ops, "%", "&", "|", "^", "&^", "<<", ">>", "~")
	}
	op := pick(w.Rand, ops)
	switch op {
	case "~":
		return code{fmt.Sprintf("(^%s)", w.moving(t, depth)), false}
	case "<<", ">>":
		return code{fmt.Sprintf("(%s %s %s)", w.moving(t, depth), op, w.count()), false}
	case "/", "%":
		if t.Integer() && !w.chance(3) {
			b := w.Bits(t)
			for clip(t, b) == 0 {
				b = w.Bits(t)
			}
			return code{fmt.Sprintf("(%s %s %s)", w.moving(t, depth), op, literal(t, b).s), false}
		}
		return code{fmt.Sprintf("(%s %s %s)", w.expr(t, depth).s, op, w.moving(t, depth)), false}
	}
	a, b := w.moving(t, depth), w.expr(t, depth).s
	if w.chance(2) {
		a, b = b, a
	}
	return code{fmt.Sprintf("(%s %s %s)", a, op, b), false}
}

func (w *writer) boolean(depth int) string {
	switch w.IntN(8) {
	case 0:
		return fmt.Sprintf("!(%s)", w.expr(ir.Bool, depth).s)
	case 1, 2:
		return fmt.Sprintf("(%s %s %s)", w.expr(ir.Bool, depth).s, pick(w.Rand, []string{"&&", "||", "==", "!="}), w.moving(ir.Bool, depth))
	case 3:
		return fmt.Sprintf("math.IsNaN(float64(%s))", w.moving(pick(w.Rand, types[4:]), depth))
	case 4:
		return fmt.Sprintf("math.IsInf(%s, %d)", w.moving(ir.Float64, depth), w.IntN(3)-1)
	}
	t := pick(w.Rand, types)
	a, b := w.moving(t, depth), w.expr(t, depth).s
	if w.chance(2) {
		a, b = b, a
	}
	return fmt.Sprintf("(%s %s %s)", a, pick(w.Rand, []string{"==", "!=", "<", "<=", ">", ">="}), b)
}

// ofBits takes the bits of a number of another kind.
func (w *writer) ofBits(t ir.Type, depth int) string {
	switch t {
	case ir.Uint32:
		return fmt.Sprintf("bits32(%s)", w.expr(ir.Float32, depth).s)
	case ir.Uint64:
		return fmt.Sprintf("bits64(%s)", w.expr(ir.Float64, depth).s)
	case ir.Float32:
		return fmt.Sprintf("math.Float32frombits(%s)", w.expr(ir.Uint32, depth).s)
	case ir.Float64:
		return fmt.Sprintf("math.Float64frombits(%s)", w.expr(ir.Uint64, depth).s)
	}
	return ""
}

func (w *writer) function(t ir.Type, depth int) string {
	if w.chance(3) {
		return fmt.Sprintf("%s(%s, %s)", pick(w.Rand, []string{"min", "max"}), w.moving(t, depth), w.expr(t, depth).s)
	}
	one := func(names ...string) string { return pick(w.Rand, names) }
	switch t {
	case ir.Float32, ir.Float64:
		if t == ir.Float64 && w.chance(8) {
			return w.random("Float64", depth)
		}
		arg, result := "", "%s"
		if t == ir.Float32 {
			result = "float32(%s)"
		}
		x := func() string {
			arg = w.moving(t, depth)
			if t == ir.Float32 {
				arg = "float64(" + arg + ")"
			}
			return arg
		}
		if w.chance(3) {
			return fmt.Sprintf(result, fmt.Sprintf("math.%s(%s, %s)", one("Min", "Max", "Min", "Max", "Pow"), x(), x()))
		}
		return fmt.Sprintf(result, fmt.Sprintf("math.%s(%s)", one("Abs", "Sqrt", "Floor", "Ceil", "Trunc", "Exp", "Log"), x()))
	case ir.Int64:
		name := one("OnesCount", "LeadingZeros", "TrailingZeros", "Len")
		if w.chance(2) {
			return fmt.Sprintf("int64(bits.%s32(%s))", name, w.expr(ir.Uint32, depth).s)
		}
		return fmt.Sprintf("int64(bits.%s64(%s))", name, w.expr(ir.Uint64, depth).s)
	case ir.Uint32, ir.Uint64:
		if t == ir.Uint64 && w.chance(8) {
			if w.chance(2) {
				return w.random("Uint64", depth)
			}
			return fmt.Sprintf("random.Below(%s, %s, 3, %s)", w.expr(t, depth).s, w.expr(t, 0).s, w.expr(t, 0).s)
		}
		x := w.expr(t, depth).s
		if w.chance(3) {
			return w.twice(t, x, depth)
		}
		if w.chance(2) {
			return fmt.Sprintf("bits.%s%d(%s)", one("Reverse", "ReverseBytes"), t.Bits(), x)
		}
		return fmt.Sprintf("bits.RotateLeft%d(%s, int(%s))", t.Bits(), x, w.moving(ir.Int64, depth))
	}
	return ""
}

// random calls a function of package random.
func (w *writer) random(name string, depth int) string {
	return fmt.Sprintf("random.%s(%s, %s, %s)", name, w.expr(ir.Uint64, 0).s, w.expr(ir.Uint64, min(depth, 1)).s, w.expr(ir.Uint64, 0).s)
}

// twice calls a function that uses both results of bits.Mul, Add or Sub.
func (w *writer) twice(t ir.Type, x string, depth int) string {
	name, y := pick(w.Rand, []string{"mul", "add", "sub"}), w.expr(t, depth).s
	if name == "mul" {
		return fmt.Sprintf("mul%d(%s, %s)", t.Bits(), x, y)
	}
	return fmt.Sprintf("%s%d(%s, %s, %s)", name, t.Bits(), x, y, w.expr(t, min(depth, 1)).s)
}

// literal returns a constant; constant marks it as a constant in Go, too.
func literal(t ir.Type, bits uint64) code {
	switch t {
	case ir.Bool:
		return code{fmt.Sprint(bits&1 != 0), true}
	case ir.Int32:
		return code{fmt.Sprintf("int32(%d)", int32(bits)), true}
	case ir.Uint32:
		return code{fmt.Sprintf("uint32(%d)", uint32(bits)), true}
	case ir.Int64:
		return code{fmt.Sprintf("int64(%d)", int64(bits)), true}
	case ir.Uint64:
		return code{fmt.Sprintf("uint64(%d)", bits), true}
	}
	x := float(t, bits)
	if x != x || math.IsInf(x, 0) || x == 0 && math.Signbit(x) || t == ir.Float32 && math.Abs(x) < 0x1p-126 {
		if t == ir.Float32 {
			return code{fmt.Sprintf("math.Float32frombits(%#x)", uint32(bits)), false}
		}
		return code{fmt.Sprintf("math.Float64frombits(%#x)", bits), false}
	}
	return code{fmt.Sprintf("%s(%s)", t, strconv.FormatFloat(x, 'g', -1, t.Bits())), true}
}
