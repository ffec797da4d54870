// This file prints local arrays. They are in a thread's local memory, which its caches hold.

package ptx

import (
	"fmt"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// local prints an instruction on an array.
func (p *printer) local(in *ir.Instr) {
	if in.Field < 0 || in.Field >= len(p.m.Arrays) {
		p.fail("line %d: no array %d", in.Line, in.Field)
		return
	}
	x := p.m.Arrays[in.Field]
	if x.Type.Bits() < 32 || (in.Op == ir.LoadLocal || in.Op == ir.StoreLocal) && in.Type != x.Type {
		p.fail("line %d: %w: an array of %s", in.Line, ErrNotSupported, x.Type)
		return
	}
	switch in.Op {
	case ir.LoadLocal:
		a := p.elementOf(in, x)
		p.op("ld.local.%s %s, [%s]", bitsOf(x.Type), p.dst(in.Dst), a)
	case ir.StoreLocal:
		v := p.arg(in, 1)
		p.op("st.local.%s [%s], %s", bitsOf(x.Type), p.elementOf(in, x), v)
	case ir.ZeroLocal:
		zero := p.register(64)
		p.op("mov.b64 %s, 0", zero)
		for at := 0; at < x.Bytes(); at += 8 { // arrays begin and end at multiples of 8 bytes
			p.op("st.local.b64 [%s], %s", p.offset(p.array(in.Field), at), zero)
		}
	default:
		i, out := p.arg(in, 0), p.pred()
		p.op("setp.ge.u64 %s, %s, %d", out, i, x.Len)
		p.check(in, out, i)
	}
}

// array returns the register with an array's address, which is declared where it is used first.
func (p *printer) array(n int) string {
	name := fmt.Sprint("f_a", n)
	if r, has := p.param[name]; has {
		return r
	}
	r := p.register(64)
	p.param[name] = r
	fmt.Fprintf(&p.head, "\t.local .align 8 .b8 %s[%d];\n\tmov.u64 %s, %s;\n", name, (p.m.Arrays[n].Bytes()+7)/8*8, r, name)
	return r
}

// offset returns a register with an address so many bytes behind another one.
func (p *printer) offset(base string, at int) string {
	if at == 0 {
		return base
	}
	r := p.register(64)
	p.op("add.s64 %s, %s, %d", r, base, at)
	return r
}

// elementOf returns a register with the address of an element.
func (p *printer) elementOf(in *ir.Instr, x ir.Array) string {
	base, size := p.array(in.Field), x.Type.Bits()/8
	if a := in.Args[0]; a.Value < 0 {
		if a.Bits >= uint64(x.Len) { // behind a check that fails
			return base
		}
		return p.offset(base, int(a.Bits)*size)
	}
	shift := 2
	if size == 8 {
		shift = 3
	}
	offset, r := p.register(64), p.register(64)
	p.op("shl.b64 %s, %s, %d", offset, p.arg(in, 0), shift)
	p.op("add.s64 %s, %s, %s", r, base, offset)
	return r
}
