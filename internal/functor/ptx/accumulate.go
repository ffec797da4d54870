// This file prints accumulators. Threads bring their values to stripes of memory, each to its
// own of ir.Stripes: a block's threads to neighboring ones, so that a warp's values go to few
// sectors.

package ptx

import (
	"fmt"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// stripe returns a register with the address of the thread's stripe of an accumulator.
func (p *printer) stripe(in *ir.Instr) string {
	if in.Field < 0 || in.Field >= len(p.f.Fields) || !p.f.Fields[in.Field].Accumulator || p.f.Fields[in.Field].Type != in.Type || in.Type.Bits() != 64 {
		p.fail("line %d: no accumulator of %s: field %d", in.Line, in.Type, in.Field)
		return ""
	}
	if p.mine == "" {
		block, thread := p.register(32), p.register(32)
		p.mine = p.register(64)
		for _, s := range []string{
			fmt.Sprintf("mov.u32 %s, %%ctaid.x", block),
			fmt.Sprintf("mov.u32 %s, %%tid.x", thread),
			fmt.Sprintf("shl.b32 %s, %s, 8", block, block),
			fmt.Sprintf("add.u32 %s, %s, %s", thread, thread, block),
			fmt.Sprintf("and.b32 %s, %s, %d", thread, thread, ir.Stripes-1),
			fmt.Sprintf("mul.wide.u32 %s, %s, 8", p.mine, thread),
		} {
			fmt.Fprintf(&p.head, "\t%s;\n", s)
		}
	}
	a := p.register(64)
	p.op("add.s64 %s, %s, %s", a, p.word(p.at[in.Field], 64), p.mine)
	return a
}

// accumulate prints what brings a value to an accumulator. A minimum or maximum is loaded
// first: mostly nothing changes. Floats are neither NaN nor -0 there, so that one operation on
// integers does it (see floatLimit).
func (p *printer) accumulate(in *ir.Instr) {
	t, a := in.Type, p.stripe(in)
	if p.err != nil {
		return
	}
	how := p.f.Fields[in.Field].Fold
	x, old := p.arg(in, 0), p.register(64)
	switch how {
	case ir.SumFold:
		if t.Float() {
			p.fail("line %d: a sum of floats, whose order isn't known", in.Line)
			return
		}
		p.op("atom.global.add.u64 %s, [%s], %s", old, a, x)
		return
	case ir.OrFold:
		if t.Float() {
			p.fail("line %d: a union of floats", in.Line)
			return
		}
		p.op("atom.global.or.b64 %s, [%s], %s", old, a, x)
		return
	}
	name, other, beyond := "min", "max", "lt"
	if how == ir.MaxFold {
		name, other, beyond = "max", "min", "gt"
	}
	is, done := p.pred(), p.newLabel()
	p.op("ld.relaxed.gpu.global.b64 %s, [%s]", old, a)
	p.op("setp.%s.%s %s, %s, %s", beyond, number(t), is, x, old)
	p.op("@!%s bra %s", is, done)
	if t.Float() {
		negative := p.newLabel()
		p.op("setp.lt.s64 %s, %s, 0", is, x)
		p.op("@%s bra %s", is, negative)
		p.op("atom.global.%s.s64 %s, [%s], %s", name, old, a, x)
		p.op("bra %s", done)
		p.place(negative)
		p.op("atom.global.%s.u64 %s, [%s], %s", other, old, a, x)
	} else {
		p.op("atom.global.%s.%s %s, [%s], %s", name, number(t), old, a, x)
	}
	p.place(done)
}
