// This file prints atomic operations. A load comes first where it can tell that nothing would
// change: most relaxations of edges change nothing, and a load is cheaper than an atomic
// operation.
//
// A functor whose edges mostly change something is marked //foray:direct: a load that comes first
// is one more to wait for then.
//
// That load is a plain one, of the multiprocessor's own cache, where a functor changes the
// field by nothing but this operation: elements only ever get less, say, so that where an old
// value says that nothing would change the new one does too. Else it is a relaxed one, of
// the cache that all share.

package ptx

import (
	"github.com/foray-graph/foray/internal/functor/ir"
)

// atomicOperands are the numbers of operands of each operation, including the index.
var atomicOperands = map[ir.Func]int{
	ir.AtomicLoad: 1, ir.AtomicStore: 2, ir.AtomicMin: 2, ir.AtomicMax: 2, ir.AtomicAdd: 2, ir.AtomicOr: 2, ir.AtomicAnd: 2,
	ir.AtomicExchange: 2, ir.AtomicCompareAndSwap: 3,
}

// atomic prints an atomic operation.
func (p *printer) atomic(in *ir.Instr) {
	n, known := atomicOperands[in.Func]
	if !known || n != len(in.Args) {
		p.fail("line %d: atomic operation %d with %d operands", in.Line, in.Func, len(in.Args))
		return
	}
	t := in.Type
	bits := bitsOf(t)
	a := p.element(in)
	if p.err != nil {
		return
	}
	if in.Func == ir.AtomicStore {
		p.op("st.relaxed.gpu.global.%s [%s], %s", bits, a, p.arg(in, 1))
		return
	}
	if in.Func == ir.AtomicCompareAndSwap {
		p.swap(in, a)
		return
	}
	old := p.register(t.Bits()) // an operand may be what is assigned
	load := func() { p.op("ld.relaxed.gpu.global.%s %s, [%s]", bits, old, a) }
	look := load
	if p.alone(in) {
		look = func() { p.op("ld.global.%s %s, [%s]", bits, old, a) }
	}
	switch in.Func {
	case ir.AtomicLoad:
		load()
	case ir.AtomicExchange:
		p.op("atom.global.exch.%s %s, [%s], %s", bits, old, a, p.arg(in, 1))
	case ir.AtomicAdd:
		p.add(in, a, old)
	case ir.AtomicMin, ir.AtomicMax:
		if t.Float() {
			p.floatLimit(in, a, old, look)
			break
		}
		name, same := "min", "le"
		if in.Func == ir.AtomicMax {
			name, same = "max", "ge"
		}
		x := p.arg(in, 1)
		if p.f.Direct {
			p.op("atom.global.%s.%s %s, [%s], %s", name, number(t), old, a, x)
			break
		}
		look()
		is, done := p.pred(), p.newLabel()
		p.op("setp.%s.%s %s, %s, %s", same, number(t), is, old, x)
		p.op("@%s bra %s", is, done)
		p.op("atom.global.%s.%s %s, [%s], %s", name, number(t), old, a, x)
		p.place(done)
	case ir.AtomicOr, ir.AtomicAnd:
		name := "or"
		if in.Func == ir.AtomicAnd {
			name = "and"
		}
		if t.Float() {
			p.fail("line %d: atomics.%s of floats", in.Line, name)
			return
		}
		x := p.arg(in, 1)
		if p.f.Direct {
			p.op("atom.global.%s.%s %s, [%s], %s", name, bits, old, a, x)
			break
		}
		look()
		is, done, after := p.pred(), p.newLabel(), p.register(t.Bits())
		p.op("%s.%s %s, %s, %s", name, bits, after, old, x)
		p.op("setp.eq.%s %s, %s, %s", bits, is, after, old)
		p.op("@%s bra %s", is, done)
		p.op("atom.global.%s.%s %s, [%s], %s", name, bits, old, a, x)
		p.place(done)
	}
	p.assign(in.Dst, old)
}

// alone reports that the functor's methods change the field of an operation by nothing but
// that operation.
func (p *printer) alone(in *ir.Instr) bool {
	only := true
	var look func(list []ir.Instr)
	look = func(list []ir.Instr) {
		for i := range list {
			x := &list[i]
			if x.Field == in.Field && (x.Op == ir.Store || x.Op == ir.Atomic && x.Func != ir.AtomicLoad && x.Func != in.Func) {
				only = false
			}
			look(x.Then)
			look(x.Else)
		}
	}
	for _, m := range p.f.Methods {
		look(m.Body)
	}
	return only
}

// assign gives a value what is in a fresh register.
func (p *printer) assign(v int, r string) {
	switch {
	case v < 0:
	case p.m.Values[v].Temp && p.reg[v] == "":
		p.reg[v] = r
	default:
		p.op("mov.%s %s, %s", bitsOf(p.m.Values[v].Type), p.dst(v), r)
	}
}

// looks reports that the method itself loads elements of the field of an operation.
func (p *printer) looks(in *ir.Instr) bool {
	found := false
	var look func(list []ir.Instr)
	look = func(list []ir.Instr) {
		for i := range list {
			x := &list[i]
			found = found || x.Op == ir.Atomic && x.Func == ir.AtomicLoad && x.Field == in.Field
			look(x.Then)
			look(x.Else)
		}
	}
	look(p.m.Body)
	return found
}

// swap prints a compare-and-swap. Where the method has looked at the element itself, as one does
// that is for the host too, it doesn't look again.
func (p *printer) swap(in *ir.Instr, a string) {
	bits := bitsOf(in.Type)
	expected, x := p.arg(in, 1), p.arg(in, 2)
	if p.f.Direct || p.looks(in) {
		old, is := p.register(in.Type.Bits()), p.pred()
		p.op("atom.global.cas.%s %s, [%s], %s, %s", bits, old, a, expected, x)
		p.op("setp.eq.%s %s, %s, %s", bits, is, old, expected)
		p.assign(in.Dst, is)
		return
	}
	old, is, done := p.register(in.Type.Bits()), p.pred(), p.newLabel()
	p.op("ld.relaxed.gpu.global.%s %s, [%s]", bits, old, a)
	p.op("setp.eq.%s %s, %s, %s", bits, is, old, expected)
	p.op("@!%s bra %s", is, done)
	p.op("atom.global.cas.%s %s, [%s], %s, %s", bits, old, a, expected, x)
	p.op("setp.eq.%s %s, %s, %s", bits, is, old, expected)
	p.place(done)
	p.assign(in.Dst, is)
}

// add prints an addition. atom.add.f32 takes subnormal numbers for zero. It does so without
// an effect if what is added is at least 2^-100: such a number and a normal one differ by
// nothing or by 2^-124 at least, and a subnormal one is lost beside it. What is smaller is
// added by a loop.
func (p *printer) add(in *ir.Instr, a, old string) {
	t := in.Type
	x := p.arg(in, 1)
	if t != ir.Float32 {
		name := number(t)
		if t.Signed() {
			name = "u" + name[1:]
		}
		p.op("atom.global.add.%s %s, [%s], %s", name, old, a, x)
		return
	}
	small, size, sum, was := p.pred(), p.register(32), p.register(32), p.register(32)
	loop, again, done := p.newLabel(), p.newLabel(), p.newLabel()
	p.op("abs.f32 %s, %s", size, x)
	p.op("setp.lt.f32 %s, %s, 0f0D800000", small, size)
	p.op("@%s bra %s", small, loop)
	p.op("atom.global.add.f32 %s, [%s], %s", old, a, x)
	p.op("bra %s", done)
	p.place(loop)
	p.op("ld.relaxed.gpu.global.b32 %s, [%s]", old, a)
	p.place(again)
	p.op("add.rn.f32 %s, %s, %s", sum, old, x)
	p.op("setp.eq.b32 %s, %s, %s", small, sum, old)
	p.op("@%s bra %s", small, done)
	p.op("mov.b32 %s, %s", was, old)
	p.op("atom.global.cas.b32 %s, [%s], %s, %s", old, a, was, sum)
	p.op("setp.ne.b32 %s, %s, %s", small, old, was)
	p.op("@%s bra %s", small, again)
	p.place(done)
}

// floatLimit prints a minimum or maximum of floats, which begins with a look at the element. Bits of floats of
// one sign are ordered as integers are, so one atomic operation on integers does it. For a
// minimum, if x is positive, that is the minimum of signed integers: negative floats are
// less. If x is negative, it is the maximum of unsigned ones: positive floats are less than
// those. A NaN of the one sign is replaced by that, one of the other is left: then it is
// exchanged for x by its bits. Maxima mirror this.
func (p *printer) floatLimit(in *ir.Instr, a, old string, load func()) {
	t := in.Type
	w := t.Bits()
	bits, f := bitsOf(t), number(t)
	x := p.arg(in, 1)
	begin, other, look, done := p.newLabel(), p.newLabel(), p.newLabel(), p.newLabel()
	is, was := p.pred(), p.register(w)

	beyond, signed, unsigned := "gt", "min", "max"
	nan, kind := integer(0xff800000, 32), "u" // negative NaN are greater, as unsigned integers
	if w == 64 {
		nan = integer(0xfff<<52, 64)
	}
	if in.Func == ir.AtomicMax {
		beyond, signed, unsigned = "lt", "max", "min"
		kind = "s" // positive ones, as signed integers
		nan = integer(0x7f800000, 32)
		if w == 64 {
			nan = integer(0x7ff<<52, 64)
		}
	}
	straight := ""
	if p.f.Direct { // but for a NaN, which changes nothing
		straight = p.newLabel()
		p.op("setp.eq.%s %s, %s, %s", f, is, x, x)
		p.op("@%s bra %s", is, straight)
	}
	load()
	p.place(begin)
	p.op("setp.%s.%s %s, %s, %s", beyond, f, is, x, old)
	p.op("setp.eq.or.%s %s, %s, %s, %s", bits, is, x, old, is)
	p.op("setp.neu.or.%s %s, %s, %s, %s", f, is, x, x, is)
	p.op("@%s bra %s", is, done)
	if straight != "" {
		p.place(straight)
	}
	p.op("setp.lt.s%d %s, %s, 0", w, is, x)
	p.op("@%s bra %s", is, other)
	p.op("atom.global.%s.s%d %s, [%s], %s", signed, w, old, a, x)
	p.op("bra %s", look)
	p.place(other)
	p.op("atom.global.%s.u%d %s, [%s], %s", unsigned, w, old, a, x)
	p.place(look)
	p.op("setp.gt.%s%d %s, %s, %s", kind, w, is, old, nan)
	p.op("@!%s bra %s", is, done)
	p.op("mov.%s %s, %s", bits, was, old)
	p.op("atom.global.cas.%s %s, [%s], %s, %s", bits, old, a, was, x)
	p.op("setp.ne.%s %s, %s, %s", bits, is, old, was)
	p.op("@%s bra %s", is, begin)
	p.place(done)
}
