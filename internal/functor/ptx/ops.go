// This file prints instructions that compute, and loads and stores.

package ptx

import (
	"fmt"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// operands is how many each instruction has; -1: it depends.
var operands = map[ir.Op]int{
	ir.Move: 1, ir.Add: 2, ir.Sub: 2, ir.Mul: 2, ir.Div: 2, ir.Rem: 2, ir.And: 2, ir.Or: 2, ir.Xor: 2, ir.AndNot: 2,
	ir.Shl: 2, ir.Shr: 2, ir.Neg: 1, ir.Not: 1, ir.Equal: 2, ir.Less: 2, ir.LessEqual: 2, ir.NotEqual: 2,
	ir.Convert: 1, ir.Bits: 1, ir.Call: -1, ir.Load: 1, ir.Store: 2, ir.Scalar: 0, ir.FieldLen: 0, ir.Atomic: -1, ir.Check: 1, ir.Accumulate: 1,
	ir.LoadLocal: 1, ir.ZeroLocal: 0, ir.StoreLocal: 2, ir.CheckLocal: 1,
	ir.If: 1, ir.Block: 0, ir.Loop: 0, ir.Leave: 0, ir.Continue: 0, ir.Return: -1,
}

// integer returns a constant as an integer of a width.
func integer(bits uint64, width int) string {
	x := int64(bits)
	if width == 32 {
		x = int64(int32(bits))
	}
	if width == 1 {
		x = int64(bits & 1)
	}
	if x < 1<<31 && x >= -1<<31 {
		return fmt.Sprint(x)
	}
	return fmt.Sprintf("0x%x", uint64(x))
}

// float returns a constant as a float of a width.
func float(bits uint64, width int) string {
	if width == 32 {
		return fmt.Sprintf("0f%08X", uint32(bits))
	}
	return fmt.Sprintf("0d%016X", bits)
}

// bitsOf returns the type of registers of a type: pred, b32 or b64.
func bitsOf(t ir.Type) string {
	if t == ir.Bool {
		return "pred"
	}
	return fmt.Sprintf("b%d", t.Bits())
}

// number returns a type as instructions name it: s32, f64.
func number(t ir.Type) string {
	switch {
	case t.Float():
		return fmt.Sprintf("f%d", t.Bits())
	case t.Signed():
		return fmt.Sprintf("s%d", t.Bits())
	}
	return fmt.Sprintf("u%d", t.Bits())
}

// arg returns the register of an operand: constants are moved into one.
func (p *printer) arg(in *ir.Instr, i int) string {
	a := in.Args[i]
	if a.Value >= 0 {
		return p.dst(a.Value)
	}
	t := in.ArgType(p.m, i)
	r := p.register(t.Bits())
	p.op("mov.%s %s, %s", bitsOf(t), r, integer(a.Bits, t.Bits()))
	return r
}

// second returns an operand that may be a constant: of an instruction that computes with
// numbers of its type.
func (p *printer) second(in *ir.Instr, i int) string {
	a := in.Args[i]
	t := in.ArgType(p.m, i)
	switch {
	case a.Value >= 0 || t == ir.Bool:
		return p.arg(in, i)
	case t.Float():
		return float(a.Bits, t.Bits())
	}
	return integer(a.Bits, t.Bits())
}

// bitsArg is second for instructions on bits: constants of floats are integers then.
func (p *printer) bitsArg(in *ir.Instr, i int) string {
	if a := in.Args[i]; a.Value < 0 && in.ArgType(p.m, i) != ir.Bool {
		return integer(a.Bits, in.ArgType(p.m, i).Bits())
	}
	return p.arg(in, i)
}

// simple prints an instruction that isn't control flow.
func (p *printer) simple(in *ir.Instr) {
	t := in.Type
	switch in.Op {
	case ir.Move:
		t = p.m.Values[in.Dst].Type
		if p.alias(in.Dst, in.Args[0]) {
			return
		}
		a := p.bitsMove(in, t)
		p.op("mov.%s %s, %s", bitsOf(t), p.dst(in.Dst), a)
	case ir.Add, ir.Sub, ir.Mul:
		name := map[ir.Op]string{ir.Add: "add", ir.Sub: "sub", ir.Mul: "mul"}[in.Op]
		switch {
		case t.Float():
			name += ".rn"
		case in.Op == ir.Mul:
			name += ".lo"
		}
		a, b := p.arg(in, 0), p.second(in, 1)
		p.op("%s.%s %s, %s, %s", name, number(t), p.dst(in.Dst), a, b)
	case ir.Div, ir.Rem:
		p.divide(in)
	case ir.And, ir.Or, ir.Xor:
		name := map[ir.Op]string{ir.And: "and", ir.Or: "or", ir.Xor: "xor"}[in.Op]
		a, b := p.arg(in, 0), p.bitsArg(in, 1)
		p.op("%s.%s %s, %s, %s", name, bitsOf(t), p.dst(in.Dst), a, b)
	case ir.AndNot:
		a := p.arg(in, 0)
		if c := in.Args[1]; c.Value < 0 && t != ir.Bool {
			p.op("and.%s %s, %s, %s", bitsOf(t), p.dst(in.Dst), a, integer(^c.Bits, t.Bits()))
			return
		}
		n := p.register(t.Bits())
		if t == ir.Bool {
			p.op("not.pred %s, %s", n, p.arg(in, 1))
			p.op("and.pred %s, %s, %s", p.dst(in.Dst), a, n)
			return
		}
		// Not by not: see constants.go.
		p.op("and.%s %s, %s, %s", bitsOf(t), n, a, p.arg(in, 1))
		p.op("xor.%s %s, %s, %s", bitsOf(t), p.dst(in.Dst), a, n)
	case ir.Shl, ir.Shr:
		p.shift(in)
	case ir.Neg:
		a := p.arg(in, 0)
		if t.Float() {
			// neg may give another NaN.
			p.op("xor.%s %s, %s, %s", bitsOf(t), p.dst(in.Dst), a, integer(1<<(t.Bits()-1), t.Bits()))
			return
		}
		p.op("neg.s%d %s, %s", t.Bits(), p.dst(in.Dst), a)
	case ir.Not:
		if t == ir.Bool {
			p.op("not.pred %s, %s", p.dst(in.Dst), p.arg(in, 0))
			return
		}
		// Not by not: see constants.go.
		ones := p.register(t.Bits())
		p.op("mov.%s %s, -1", bitsOf(t), ones)
		p.op("sub.s%d %s, %s, %s", t.Bits(), p.dst(in.Dst), ones, p.arg(in, 0))
	case ir.Equal, ir.NotEqual, ir.Less, ir.LessEqual:
		p.compare(in)
	case ir.Convert:
		p.convert(in)
	case ir.Bits:
		t = p.m.Values[in.Dst].Type
		if p.alias(in.Dst, in.Args[0]) {
			return
		}
		p.op("mov.%s %s, %s", bitsOf(t), p.dst(in.Dst), p.bitsMove(in, t))
	case ir.Call:
		p.call(in)
	case ir.Scalar:
		r := p.scalar(in.Field)
		if v := in.Dst; p.m.Values[v].Temp && p.reg[v] == "" {
			p.reg[v] = r
			return
		}
		p.op("mov.%s %s, %s", bitsOf(p.m.Values[in.Dst].Type), p.dst(in.Dst), r)
	case ir.FieldLen:
		r := p.length(in.Field)
		if v := in.Dst; p.m.Values[v].Temp && p.reg[v] == "" {
			p.reg[v] = r
			return
		}
		p.op("mov.b64 %s, %s", p.dst(in.Dst), r)
	case ir.Load:
		a := p.element(in)
		p.op("ld.global.%s %s, [%s]", bitsOf(t), p.dst(in.Dst), a)
	case ir.Store:
		x := p.arg(in, 1)
		p.op("st.global.%s [%s], %s", bitsOf(t), p.element(in), x)
	case ir.Atomic:
		p.atomic(in)
	case ir.Accumulate:
		p.accumulate(in)
	case ir.LoadLocal, ir.ZeroLocal, ir.StoreLocal, ir.CheckLocal:
		p.local(in)
	case ir.Check:
		i := p.arg(in, 0)
		n := p.length(in.Field)
		out := p.pred()
		// Negative numbers are larger than any length, too.
		p.op("setp.ge.u64 %s, %s, %s", out, i, n)
		p.check(in, out, i)
	default:
		p.fail("line %d: no instruction %d", in.Line, in.Op)
	}
}

// bitsMove returns what a mov of a type moves.
func (p *printer) bitsMove(in *ir.Instr, t ir.Type) string {
	if a := in.Args[0]; a.Value < 0 {
		return integer(a.Bits, t.Bits())
	}
	return p.arg(in, 0)
}

// compare prints a comparison.
func (p *printer) compare(in *ir.Instr) {
	if in.Type == ir.Bool {
		a, b := p.arg(in, 0), p.arg(in, 1)
		x := p.dst(in.Dst)
		p.op("xor.pred %s, %s, %s", x, a, b)
		if in.Op == ir.Equal {
			p.op("not.pred %s, %s", x, x)
		}
		return
	}
	name := map[ir.Op]string{ir.Equal: "eq", ir.NotEqual: "ne", ir.Less: "lt", ir.LessEqual: "le"}[in.Op]
	if in.Op == ir.NotEqual && in.Type.Float() {
		name = "neu" // true of NaN
	}
	a, b := p.arg(in, 0), p.second(in, 1)
	p.op("setp.%s.%s %s, %s, %s", name, number(in.Type), p.dst(in.Dst), a, b)
}

// divide prints a division or a remainder.
func (p *printer) divide(in *ir.Instr) {
	t := in.Type
	if t.Float() {
		if in.Op == ir.Rem {
			p.fail("line %d: a remainder of floats", in.Line)
			return
		}
		a, b := p.arg(in, 0), p.second(in, 1)
		p.op("div.rn.%s %s, %s, %s", number(t), p.dst(in.Dst), a, b)
		return
	}
	name := "div"
	if in.Op == ir.Rem {
		name = "rem"
	}
	a, b := p.arg(in, 0), p.second(in, 1)
	zero := b == "0" // a constant that a function was called with: it faults if this runs
	if zero {
		b = p.arg(in, 1)
	}
	if in.Args[1].Value < 0 && !zero {
		p.divideBy(in, a, in.Args[1].Bits)
		return
	}
	if in.Site != 0 {
		zero := p.pred()
		p.op("setp.eq.%s %s, %s, 0", number(t), zero, b)
		p.check(in, zero, "")
	}
	if !t.Signed() {
		p.op("%s.%s %s, %s, %s", name, number(t), p.dst(in.Dst), a, b)
		return
	}
	// PTX doesn't say what the smallest integer divided by -1 gives.
	minus, d := p.pred(), p.register(t.Bits())
	p.op("setp.eq.%s %s, %s, -1", number(t), minus, b)
	p.op("selp.%s %s, 1, %s, %s", bitsOf(t), d, b, minus)
	if in.Op == ir.Rem {
		p.op("rem.%s %s, %s, %s", number(t), p.dst(in.Dst), a, d)
		return
	}
	q, n := p.register(t.Bits()), p.register(t.Bits())
	p.op("div.%s %s, %s, %s", number(t), q, a, d)
	p.op("neg.s%d %s, %s", t.Bits(), n, q)
	p.op("selp.%s %s, %s, %s, %s", bitsOf(t), p.dst(in.Dst), n, q, minus)
}

// shift prints a shift. PTX clamps a count of 32 bits to the width.
func (p *printer) shift(in *ir.Instr) {
	t := in.Type
	name := "shl.b"
	if in.Op == ir.Shr {
		name = "shr.u"
		if t.Signed() {
			name = "shr.s"
		}
	}
	var count string
	c := in.Args[1]
	if c.Value < 0 && c.Bits >= uint64(t.Bits()) {
		if in.Op == ir.Shl || !t.Signed() {
			p.op("mov.%s %s, 0", bitsOf(t), p.dst(in.Dst))
			return
		}
		c.Bits = uint64(t.Bits() - 1)
	}
	a := p.arg(in, 0)
	switch small, is := p.small[c.Value]; {
	case c.Value < 0:
		count = fmt.Sprint(c.Bits)
	case is:
		count = small
	default:
		x := p.register(64)
		count = p.register(32)
		p.op("min.u64 %s, %s, %d", x, p.dst(c.Value), t.Bits())
		p.op("cvt.u32.u64 %s, %s", count, x)
	}
	p.op("%s%d %s, %s, %s", name, t.Bits(), p.dst(in.Dst), a, count)
}

// word returns the register that a word of the block is loaded into, at the block's top.
func (p *printer) word(at, bits int) string {
	key := fmt.Sprint(at, bits)
	if r, has := p.param[key]; has {
		return r
	}
	r := p.register(bits)
	p.param[key] = r
	if bits == 1 {
		w := p.register(32)
		fmt.Fprintf(&p.head, "\tld.param.b32 %s, [$p+%d];\n\tsetp.ne.u32 %s, %s, 0;\n", w, 8*at, r, w)
		return r
	}
	fmt.Fprintf(&p.head, "\tld.param.b%d %s, [$p+%d];\n", bits, r, 8*at)
	return r
}

// place of a field in the block, in words.
func (p *printer) fieldAt(field int, slice bool) int {
	if field < 0 || field >= len(p.at) || p.at[field] < 0 || p.f.FieldOf(field).Slice != slice {
		p.fail("no such field: %d", field)
		return 0
	}
	return p.at[field]
}

func (p *printer) scalar(field int) string {
	return p.word(p.fieldAt(field, false), p.f.FieldOf(field).Type.Bits())
}

func (p *printer) length(field int) string { return p.word(p.fieldAt(field, true)+1, 64) }

// element returns a register with the address of the element that an instruction is about.
func (p *printer) element(in *ir.Instr) string {
	at := p.fieldAt(in.Field, true)
	if p.err != nil {
		return ""
	}
	t := p.f.FieldOf(in.Field).Type
	if t.Bits() < 32 || t != in.Type {
		p.fail("line %d: %w: %s as an element of %s", in.Line, ErrNotSupported, in.Type, p.f.FieldOf(in.Field).Name)
		return ""
	}
	size := t.Bits() / 8
	a := in.Args[0]
	if a.Value < 0 {
		base, r := p.word(at, 64), p.register(64)
		p.op("add.s64 %s, %s, %s", r, base, integer(a.Bits*uint64(size), 64))
		return r
	}
	if small, is := p.small[a.Value]; is {
		base, offset, r := p.word(at, 64), p.register(64), p.register(64)
		p.op("mul.wide.u32 %s, %s, %d", offset, small, size)
		p.op("add.s64 %s, %s, %s", r, base, offset)
		return r
	}
	return p.address(in.Field, p.dst(a.Value), size)
}

// address returns a register with the address of an element, by a register with its index.
func (p *printer) address(field int, index string, size int) string {
	base, offset, r := p.word(p.fieldAt(field, true), 64), p.register(64), p.register(64)
	shift := 2
	if size == 8 {
		shift = 3
	}
	p.op("shl.b64 %s, %s, %d", offset, index, shift)
	p.op("add.s64 %s, %s, %s", r, base, offset)
	return r
}
