// This file prints divisions by constants as shifts and products. ptxas leaves them divisions: nvcc
// replaces them before, and a functor's text doesn't pass through nvcc. A division takes some twenty
// instructions, each waiting for the one before it.
//
// T. Granlund, P. L. Montgomery: Division by Invariant Integers using Multiplication. PLDI 1994.

package ptx

import (
	"math/bits"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// divideBy prints a division of an integer in a register, or a remainder, by a constant that isn't 0.
func (p *printer) divideBy(in *ir.Instr, a string, constant uint64) {
	t := in.Type
	w := t.Bits()
	d, negative := constant, false
	if t.Signed() {
		if x := int64(constant); x < 0 || w == 32 && int32(x) < 0 {
			d, negative = -constant, true
		}
	}
	if w == 32 {
		d = uint64(uint32(d))
	}
	dst := p.dst(in.Dst)
	power, two := bits.TrailingZeros64(d), d&(d-1) == 0
	switch {
	case in.Op == ir.Rem && d == 1:
		p.op("mov.%s %s, 0", bitsOf(t), dst)
		return
	case in.Op == ir.Rem && two && !t.Signed():
		p.op("and.b%d %s, %s, %s", w, dst, a, integer(d-1, w))
		return
	}
	to := dst // of the quotient
	if in.Op == ir.Rem || negative && d > 1 {
		to = p.register(w)
	}
	switch {
	case d == 1:
		p.op("mov.%s %s, %s", bitsOf(t), to, a)
	case two && !t.Signed():
		p.op("shr.u%d %s, %s, %d", w, to, a, power)
	case w == 64:
		// ptxas takes 0 from a constant of 64 bits wrongly (constants.go), and a dividend may be one
		// that it alone knows.
		name := "div"
		if in.Op == ir.Rem {
			name = "rem"
		}
		p.op("%s.%s %s, %s, %s", name, number(t), dst, a, integer(constant, w))
		return
	case two:
		q := p.register(w)
		p.op("shr.s32 %s, %s, 31", q, a)
		p.op("shr.u32 %s, %s, %d", q, q, w-power)
		p.op("add.s32 %s, %s, %s", q, a, q)
		p.op("shr.s32 %s, %s, %d", to, q, power)
	case t.Signed():
		p.signedQuotient(to, a, d)
	default:
		p.quotient(to, a, d)
	}
	switch {
	case in.Op == ir.Rem:
		p.op("mul.lo.%s %s, %s, %s", number(t), to, to, integer(d, w))
		p.op("sub.%s %s, %s, %s", number(t), dst, a, to)
	case negative:
		p.op("neg.s%d %s, %s", w, dst, to)
	}
}

// reciprocal returns the lower 32 bits of 2^(32+up) / d, rounded down, and 1 more. d is no power of two.
func reciprocal(d uint64, up int) string {
	return integer(uint64(uint32(^uint64(0)>>(32-up)/d+1)), 32)
}

// quotient prints to = a / d of unsigned integers of 32 bits, d no power of two. a and to may be the same.
func (p *printer) quotient(to, a string, d uint64) {
	up := bits.Len64(d - 1)
	x, y := p.register(32), p.register(32)
	p.op("mul.hi.u32 %s, %s, %s", x, a, reciprocal(d, up))
	p.op("sub.u32 %s, %s, %s", y, a, x)
	p.op("shr.u32 %s, %s, 1", y, y)
	p.op("add.u32 %s, %s, %s", y, y, x)
	p.op("shr.u32 %s, %s, %d", to, y, up-1)
}

// signedQuotient prints to = a / d, rounded towards zero, of signed integers of 32 bits, d above 2 and
// no power of two. a and to may be the same.
func (p *printer) signedQuotient(to, a string, d uint64) {
	up := bits.Len64(d-1) - 1
	x, y := p.register(32), p.register(32)
	p.op("mul.hi.s32 %s, %s, %s", y, a, reciprocal(d, up))
	p.op("add.s32 %s, %s, %s", y, y, a)
	p.op("shr.s32 %s, %s, %d", y, y, up)
	p.op("shr.s32 %s, %s, 31", x, a)
	p.op("sub.s32 %s, %s, %s", to, y, x)
}
