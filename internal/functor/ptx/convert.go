// This file prints conversions of numbers.

package ptx

import (
	"math"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// convert prints a conversion, with what Go has for it on amd64.
func (p *printer) convert(in *ir.Instr) {
	from := in.Type
	to := p.m.Values[in.Dst].Type
	if from == ir.Bool || to == ir.Bool || from == ir.Void {
		p.fail("line %d: a conversion of %s to %s", in.Line, from, to)
		return
	}
	switch {
	case from.Float() && to.Float():
		a := p.arg(in, 0)
		switch {
		case from == to:
			p.op("mov.%s %s, %s", bitsOf(to), p.dst(in.Dst), a)
		case to == ir.Float64:
			p.op("cvt.f64.f32 %s, %s", p.dst(in.Dst), a)
		default:
			p.op("cvt.rn.f32.f64 %s, %s", p.dst(in.Dst), a)
		}
	case from.Float():
		p.toInteger(in, from, to)
	case to.Float():
		a := p.arg(in, 0)
		p.op("cvt.rn.%s.%s %s, %s", number(to), number(from), p.dst(in.Dst), a)
	case from.Bits() == to.Bits():
		if !p.alias(in.Dst, in.Args[0]) {
			a := p.bitsMove(in, from)
			p.op("mov.%s %s, %s", bitsOf(to), p.dst(in.Dst), a)
		}
	case to.Bits() == 32:
		a := p.arg(in, 0)
		p.op("cvt.u32.u64 %s, %s", p.dst(in.Dst), a)
	case from.Signed():
		a := p.arg(in, 0)
		p.op("cvt.s64.s32 %s, %s", p.dst(in.Dst), a)
	default:
		a := p.arg(in, 0)
		v := in.Args[0].Value
		if p.m.Values[in.Dst].Temp && (v < 0 || p.stable(v)) {
			p.small[in.Dst] = a
			if !p.info[in.Dst].wide {
				return
			}
		}
		p.op("cvt.u64.u32 %s, %s", p.dst(in.Dst), a)
	}
}

// toInteger prints a conversion of a float. PTX gives the nearest integer for values out of
// range, and leaves NaN to the architecture; amd64 gives the smallest integer for both, which
// is also the nearest one of values that are too small. Go converts to uint32 by way of int64, and to
// uint64 what is 2^63 or more by subtracting that first.
func (p *printer) toInteger(in *ir.Instr, from, to ir.Type) {
	a := p.arg(in, 0)
	f, w := number(from), from.Bits()
	limit := func(x float64) string {
		if w == 32 {
			return float(uint64(math.Float32bits(float32(x))), 32)
		}
		return float(math.Float64bits(x), 64)
	}
	is := p.pred()
	if to == ir.Int32 {
		x := p.register(32)
		p.op("cvt.rzi.s32.%s %s, %s", f, x, a)
		p.op("setp.lt.%s %s, %s, %s", f, is, a, limit(1<<31))
		p.op("selp.b32 %s, %s, %s, %s", p.dst(in.Dst), x, integer(1<<31, 32), is)
		return
	}
	x, y := p.register(64), p.register(64)
	p.op("cvt.rzi.s64.%s %s, %s", f, x, a)
	p.op("setp.lt.%s %s, %s, %s", f, is, a, limit(1<<63))
	p.op("selp.b64 %s, %s, %s, %s", y, x, integer(1<<63, 64), is)
	switch to {
	case ir.Uint32:
		p.op("cvt.u32.u64 %s, %s", p.dst(in.Dst), y)
	case ir.Int64:
		p.op("mov.b64 %s, %s", p.dst(in.Dst), y)
	default:
		z := p.register(64)
		p.op("cvt.rzi.u64.%s %s, %s", f, z, a)
		p.op("setp.ge.%s %s, %s, %s", f, is, a, limit(1<<63))
		p.op("setp.lt.and.%s %s, %s, %s, %s", f, is, a, limit(1<<64), is)
		p.op("selp.b64 %s, %s, %s, %s", p.dst(in.Dst), z, y, is)
	}
}
