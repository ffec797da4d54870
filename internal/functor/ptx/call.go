// This file prints calls of functions of math and math/bits, and of min and max.

package ptx

import (
	"math"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// call prints a call.
func (p *printer) call(in *ir.Instr) {
	t := in.Type
	want := 1
	switch in.Func {
	case ir.MathMin, ir.MathMax, ir.Min, ir.Max, ir.Pow, ir.RotateLeft, ir.MulHigh:
		want = 2
	}
	if len(in.Args) != want {
		p.fail("line %d: %s has %d operands, want %d", in.Line, in.Func, len(in.Args), want)
		return
	}
	floats := in.Func >= ir.Abs && in.Func <= ir.MathMax || in.Func >= ir.Exp && in.Func <= ir.IsNaN
	either := in.Func == ir.Min || in.Func == ir.Max
	if !either && floats != t.Float() || either && t == ir.Bool {
		p.fail("line %d: %s of %s", in.Line, in.Func, t)
		return
	}
	w, bits := t.Bits(), bitsOf(t)
	switch in.Func {
	case ir.Abs:
		a := p.arg(in, 0)
		p.op("and.%s %s, %s, %s", bits, p.dst(in.Dst), a, integer(1<<(w-1)-1, w))
	case ir.Sqrt:
		a := p.arg(in, 0)
		p.op("sqrt.rn.%s %s, %s", number(t), p.dst(in.Dst), a)
	case ir.Floor, ir.Ceil, ir.Trunc:
		round := map[ir.Func]string{ir.Floor: "rmi", ir.Ceil: "rpi", ir.Trunc: "rzi"}[in.Func]
		a := p.arg(in, 0)
		p.op("cvt.%s.%s.%s %s, %s", round, number(t), number(t), p.dst(in.Dst), a)
	case ir.IsNaN:
		a := p.arg(in, 0)
		p.op("setp.neu.%s %s, %s, %s", number(t), p.dst(in.Dst), a, a)
	case ir.Min, ir.Max, ir.MathMin, ir.MathMax:
		if t.Float() {
			p.floatMin(in)
			return
		}
		a, b := p.arg(in, 0), p.second(in, 1)
		p.op("%s.%s %s, %s, %s", in.Func, number(t), p.dst(in.Dst), a, b)
	case ir.OnesCount, ir.LeadingZeros, ir.TrailingZeros, ir.BitLen:
		p.count(in)
	case ir.Reverse:
		a := p.arg(in, 0)
		p.op("brev.%s %s, %s", bits, p.dst(in.Dst), a)
	case ir.ReverseBytes:
		a := p.arg(in, 0)
		if w == 32 {
			p.op("prmt.b32 %s, %s, 0, 0x0123", p.dst(in.Dst), a)
			return
		}
		low, high, l, h := p.register(32), p.register(32), p.register(32), p.register(32)
		// Not by mov.b64 {low, high}: see constants.go.
		above := p.register(64)
		p.op("cvt.u32.u64 %s, %s", low, a)
		p.op("shr.u64 %s, %s, 32", above, a)
		p.op("cvt.u32.u64 %s, %s", high, above)
		p.op("prmt.b32 %s, %s, 0, 0x0123", l, low)
		p.op("prmt.b32 %s, %s, 0, 0x0123", h, high)
		p.op("mov.b64 %s, {%s, %s}", p.dst(in.Dst), h, l)
	case ir.RotateLeft:
		p.rotate(in)
	case ir.MulHigh:
		if t != ir.Uint64 {
			p.fail("line %d: %s of %s", in.Line, in.Func, t)
			return
		}
		a, b := p.arg(in, 0), p.second(in, 1)
		p.op("mul.hi.u64 %s, %s, %s", p.dst(in.Dst), a, b)
	case ir.Exp, ir.Log, ir.Pow:
		if t != ir.Float64 {
			p.fail("line %d: %s of %s", in.Line, in.Func, t)
			return
		}
		c, a := calc{p}, p.arg(in, 0)
		switch in.Func {
		case ir.Exp:
			p.assign(in.Dst, c.exp(a))
		case ir.Log:
			p.assign(in.Dst, c.log(a))
		default:
			p.assign(in.Dst, c.pow(a, p.arg(in, 1)))
		}
	default:
		p.fail("line %d: %w: %s", in.Line, ErrNotSupported, in.Func)
	}
}

// count prints counts of bits, which are 32-bit in PTX and int in Go.
func (p *printer) count(in *ir.Instr) {
	w, bits := in.Type.Bits(), bitsOf(in.Type)
	a, n := p.arg(in, 0), p.register(32)
	switch in.Func {
	case ir.OnesCount:
		p.op("popc.%s %s, %s", bits, n, a)
	case ir.TrailingZeros:
		r := p.register(w)
		p.op("brev.%s %s, %s", bits, r, a)
		p.op("clz.%s %s, %s", bits, n, r)
	default:
		p.op("clz.%s %s, %s", bits, n, a)
	}
	if in.Func == ir.BitLen {
		m := p.register(32)
		p.op("mov.b32 %s, %d", m, w)
		p.op("sub.s32 %s, %s, %s", n, m, n)
	}
	p.op("cvt.u64.u32 %s, %s", p.dst(in.Dst), n)
}

// rotate prints a rotation: a shift by the width gives 0.
func (p *printer) rotate(in *ir.Instr) {
	w, bits := in.Type.Bits(), bitsOf(in.Type)
	a := p.arg(in, 0)
	left, right := p.register(w), p.register(w)
	if c := in.Args[1]; c.Value < 0 {
		n := int(c.Bits) & (w - 1)
		if n == 0 {
			p.op("mov.%s %s, %s", bits, p.dst(in.Dst), a)
			return
		}
		p.op("shl.%s %s, %s, %d", bits, left, a, n)
		p.op("shr.u%d %s, %s, %d", w, right, a, w-n)
	} else {
		n, m, width := p.register(32), p.register(32), p.register(32)
		p.op("cvt.u32.u64 %s, %s", n, p.dst(c.Value))
		p.op("and.b32 %s, %s, %d", n, n, w-1)
		p.op("mov.b32 %s, %d", width, w)
		p.op("sub.s32 %s, %s, %s", m, width, n)
		p.op("shl.%s %s, %s, %s", bits, left, a, n)
		p.op("shr.u%d %s, %s, %s", w, right, a, m)
	}
	p.op("or.%s %s, %s, %s", bits, p.dst(in.Dst), left, right)
}

// floatMin prints a minimum or maximum of floats. Where neither is less, they are equal, of
// the same bits but for zeros, or one is NaN: their bits, combined, are the result. For a
// minimum that is OR, which gives -0 of zeros and NaN of NaN and anything; for a maximum, OR
// but AND of the signs.
func (p *printer) floatMin(in *ir.Instr) {
	t := in.Type
	w, bits, f := t.Bits(), bitsOf(t), number(t)
	a, b := p.arg(in, 0), p.arg(in, 1)
	is, r, both := p.pred(), p.register(w), p.register(w)
	least := in.Func == ir.Min || in.Func == ir.MathMin
	name := "lt"
	if !least {
		name = "gt"
	}
	p.op("setp.%s.%s %s, %s, %s", name, f, is, a, b)
	p.op("selp.%s %s, %s, %s, %s", bits, r, a, b, is)
	p.op("or.%s %s, %s, %s", bits, both, a, b)
	if !least {
		and, sign := p.register(w), integer(1<<(w-1), w)
		p.op("and.%s %s, %s, %s", bits, and, a, b)
		p.op("and.%s %s, %s, %s", bits, and, and, sign)
		p.op("and.%s %s, %s, %s", bits, both, both, integer(1<<(w-1)-1, w))
		p.op("or.%s %s, %s, %s", bits, both, both, and)
	}
	p.op("setp.equ.%s %s, %s, %s", f, is, a, b)
	if in.Func == ir.Min || in.Func == ir.Max {
		p.op("selp.%s %s, %s, %s, %s", bits, p.dst(in.Dst), both, r, is)
		return
	}
	// The infinity wins over NaN.
	sign := -1
	if !least {
		sign = 1
	}
	inf := math.Float64bits(math.Inf(sign))
	if w == 32 {
		inf = uint64(math.Float32bits(float32(math.Inf(sign))))
	}
	p.op("selp.%s %s, %s, %s, %s", bits, r, both, r, is)
	p.op("setp.eq.%s %s, %s, %s", f, is, a, float(inf, w))
	p.op("setp.eq.or.%s %s, %s, %s, %s", f, is, b, float(inf, w), is)
	p.op("selp.%s %s, %s, %s, %s", bits, p.dst(in.Dst), integer(inf, w), r, is)
}
