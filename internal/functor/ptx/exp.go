// This file prints exp, log and pow of float64 with the steps that package math of Go takes
// on amd64 processors with fused multiply-add, so that results are the same to the last bit.

package ptx

import (
	"fmt"
	"math"
)

// calc prints computations: each returns a new register.
type calc struct{ *printer }

// The operands of calc are registers, or constants by num or raw.
func num(x float64) string { return float(math.Float64bits(x), 64) }
func raw(x uint64) string  { return integer(x, 64) }

// d has a 64-bit result.
func (c calc) d(op string, args ...any) string { return c.into(64, op, args...) }

// r has a 32-bit result.
func (c calc) r(op string, args ...any) string { return c.into(32, op, args...) }

// is has a predicate as its result.
func (c calc) is(op string, args ...any) string { return c.into(1, op, args...) }

func (c calc) into(bits int, op string, args ...any) string {
	x := c.register(bits)
	text := op + " " + x
	for _, a := range args {
		text += fmt.Sprint(", ", a)
	}
	c.op("%s", text)
	return x
}

// or gives a where a predicate holds, else b.
func (c calc) or(is, a, b string) string { return c.d("selp.b64", a, b, is) }

// exp: x is k ln 2 and a rest, whose sixteenth goes into a Taylor series; the result minus 1
// is squared, with 1 added, four times.
func (c calc) exp(x string) string {
	k := c.r("cvt.rni.s32.f64", c.d("mul.rn.f64", x, num(math.Log2E)))
	n := c.d("cvt.rn.f64.s32", k)
	t := c.d("fma.rn.f64", n, num(-0.69314718055966295651160180368695068359375), x)
	t = c.d("fma.rn.f64", n, num(-0.28235290563031577122588448175013436025525412068e-12), t)
	t = c.d("mul.rn.f64", t, num(1.0/16))
	s := c.d("mov.b64", raw(math.Float64bits(1.0/40320)))
	for _, term := range []float64{1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1} {
		s = c.d("fma.rn.f64", s, t, num(term))
	}
	t = c.d("mul.rn.f64", t, s)
	for range 3 {
		t = c.d("mul.rn.f64", t, c.d("add.rn.f64", t, num(2)))
	}
	t = c.d("fma.rn.f64", t, c.d("add.rn.f64", t, num(2)), num(1))

	// The power of two is multiplied in by its bits; where those would be subnormal, in two steps.
	e := c.r("add.s32", k, 1023)
	tiny := c.is("setp.le.s32", e, 0)
	up := c.r("add.s32", e, 1022)
	up = c.r("selp.b32", up, e, tiny)
	t = c.d("mul.rn.f64", t, c.d("shl.b64", c.d("cvt.u64.u32", up), 52))
	t = c.or(tiny, c.d("mul.rn.f64", t, num(0x1p-1022)), t)
	t = c.or(c.is("setp.lt.s32", e, -52), "0", t)
	inf := raw(math.Float64bits(math.Inf(1)))
	t = c.or(c.is("setp.ge.s32", e, 0x7ff), inf, t)
	t = c.or(c.is("setp.gt.f64", x, num(7.09782712893384e+02)), inf, t)
	return c.or(c.is("setp.neu.f64", x, x), x, t)
}

// log is FreeBSD's e_log.c: x is 2^k (1+f), and log(1+f) a polynomial in f/(2+f).
func (c calc) log(x string) string {
	m := c.d("and.b64", x, raw(1<<52-1))
	m = c.d("or.b64", m, raw(math.Float64bits(0.5)))
	e := c.r("cvt.u32.u64", c.d("shr.u64", x, 52))
	e = c.r("and.b32", e, 0x7ff)
	e = c.r("sub.s32", e, 0x3fe)
	k := c.d("cvt.rn.f64.s32", e)
	low := c.is("setp.le.f64", m, num(math.Sqrt2/2))
	k = c.or(low, c.d("sub.rn.f64", k, num(1)), k)
	m = c.or(low, c.d("add.rn.f64", m, m), m)

	g := c.d("sub.rn.f64", m, num(1))
	s := c.d("div.rn.f64", g, c.d("add.rn.f64", g, num(2)))
	s2 := c.d("mul.rn.f64", s, s)
	s4 := c.d("mul.rn.f64", s2, s2)
	poly := func(by string, terms ...float64) string {
		t := c.d("mul.rn.f64", s4, num(terms[0]))
		for j, term := range terms[1:] {
			if j > 0 {
				t = c.d("mul.rn.f64", t, s4)
			}
			t = c.d("add.rn.f64", t, num(term))
		}
		return c.d("mul.rn.f64", t, by)
	}
	t1 := poly(s2, 1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01, 6.666666666666735130e-01)
	t2 := poly(s4, 1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01)
	half := c.d("mul.rn.f64", c.d("mul.rn.f64", g, num(0.5)), g)
	t := c.d("add.rn.f64", c.d("add.rn.f64", t1, t2), half)
	t = c.d("mul.rn.f64", t, s)
	t = c.d("add.rn.f64", t, c.d("mul.rn.f64", k, num(1.90821492927058770002e-10)))
	t = c.d("sub.rn.f64", half, t)
	t = c.d("sub.rn.f64", t, g)
	t = c.d("sub.rn.f64", c.d("mul.rn.f64", k, num(6.93147180369123816490e-01)), t)

	t = c.or(c.is("setp.gt.f64", x, num(math.MaxFloat64)), x, t)
	t = c.or(c.is("setp.neu.f64", x, x), x, t)
	t = c.or(c.is("setp.lt.f64", x, num(0)), raw(math.Float64bits(math.NaN())), t)
	return c.or(c.is("setp.eq.f64", x, num(0)), raw(math.Float64bits(math.Inf(-1))), t)
}

// normal returns a number without its exponent, in (0.5, 1], and the exponent: of numbers
// other than 0, infinities and NaN.
func (c calc) normal(x string) (m, e string) {
	size := c.d("and.b64", x, raw(1<<63-1))
	small := c.is("setp.lt.f64", size, num(0x1p-1022))
	x = c.or(small, c.d("mul.rn.f64", x, num(1<<52)), x)
	e = c.r("cvt.u32.u64", c.d("shr.u64", x, 52))
	e = c.r("and.b32", e, 0x7ff)
	e = c.r("sub.s32", e, c.r("selp.b32", 1022+52, 1022, small))
	m = c.d("and.b64", x, raw(1<<63|1<<52-1))
	return c.d("or.b64", m, raw(math.Float64bits(0.5))), e
}

// scale multiplies by 2^k.
func (c calc) scale(x, k string) string {
	m, e := c.normal(x)
	e = c.r("add.s32", e, k)
	e = c.r("sub.s32", e, 1) // of a mantissa in [1, 2)
	tiny := c.is("setp.lt.s32", e, -1022)
	up := c.r("selp.b32", c.r("add.s32", e, 53), e, tiny)
	up = c.r("add.s32", up, 1023)
	sign := c.d("and.b64", x, raw(1<<63))
	t := c.d("and.b64", m, raw(1<<63|1<<52-1))
	t = c.d("or.b64", t, c.d("shl.b64", c.d("cvt.u64.u32", up), 52))
	t = c.or(tiny, c.d("mul.rn.f64", t, num(0x1p-53)), t)
	t = c.or(c.is("setp.lt.s32", e, -1075), sign, t)
	t = c.or(c.is("setp.gt.s32", e, 1023), c.d("or.b64", sign, raw(math.Float64bits(math.Inf(1)))), t)
	same := c.is("setp.eq.f64", x, num(0)) // or an infinity, or NaN
	same = c.is("setp.geu.or.f64", c.d("and.b64", x, raw(1<<63-1)), num(math.Inf(1)), same)
	return c.or(same, x, t)
}

// pow is Go's: x to the power of the integer next to |y| by squaring, times exp of the rest
// times log x. The special cases come last, the strongest at the end.
func (c calc) pow(x, y string) string {
	inf := raw(math.Float64bits(math.Inf(1)))
	size, ax := c.d("and.b64", y, raw(1<<63-1)), c.d("and.b64", x, raw(1<<63-1))
	whole := c.d("cvt.rzi.f64.f64", size)
	part := c.d("sub.rn.f64", size, whole)
	some := c.is("setp.gt.f64", part, num(0))
	huge := c.is("setp.ge.f64", whole, num(1<<63))

	a, n := c.d("mov.b64", raw(math.Float64bits(1))), c.d("mov.b64", whole)
	squares := c.newLabel()
	c.op("@!%s bra %s", some, squares)
	over := c.is("setp.gt.f64", part, num(0.5))
	rest := c.or(over, c.d("sub.rn.f64", part, num(1)), part)
	c.op("selp.b64 %s, %s, %s, %s", n, c.d("add.rn.f64", whole, num(1)), whole, over)
	c.op("mov.b64 %s, %s", a, c.exp(c.d("mul.rn.f64", rest, c.log(x))))
	c.place(squares)

	left := c.d("cvt.rzi.s64.f64", n)
	none := c.is("setp.neu.or.f64", n, n, huge)
	left = c.or(none, "0", left)
	b, be := c.normal(x)
	ae := c.r("mov.b32", 0)
	loop, twice, end := c.newLabel(), c.newLabel(), c.newLabel()
	c.place(loop)
	c.op("@%s bra %s", c.is("setp.eq.s64", left, 0), end)
	far := c.is("setp.gt.s32", be, 1<<12)
	far = c.is("setp.lt.or.s32", be, -1<<12, far)
	odd := c.is("setp.ne.u64", c.d("and.b64", left, 1), 0)
	add := c.is("or.pred", odd, far)
	c.op("@!%s bra %s", add, twice)
	c.op("add.s32 %s, %s, %s", ae, ae, be)
	c.op("@%s bra %s", far, end)
	c.op("mul.rn.f64 %s, %s, %s", a, a, b)
	c.place(twice)
	c.op("mul.rn.f64 %s, %s, %s", b, b, b)
	c.op("shl.b32 %s, %s, 1", be, be)
	below := c.is("setp.lt.f64", b, num(0.5))
	c.op("selp.b64 %s, %s, %s, %s", b, c.d("add.rn.f64", b, b), b, below)
	c.op("selp.b32 %s, %s, %s, %s", be, c.r("sub.s32", be, 1), be, below)
	c.op("shr.u64 %s, %s, 1", left, left)
	c.op("bra %s", loop)
	c.place(end)

	negative := c.is("setp.lt.f64", y, num(0))
	one := c.d("mov.b64", raw(math.Float64bits(1)))
	a = c.or(negative, c.d("div.rn.f64", one, a), a)
	ae = c.r("selp.b32", c.r("neg.s32", ae), ae, negative)
	t := c.scale(a, ae)

	// y so large that all but 1 and -1 become 0 or an infinity.
	toZero := c.is("xor.pred", c.is("setp.lt.f64", ax, num(1)), negative)
	large := c.or(toZero, "0", inf)
	large = c.or(c.is("setp.eq.f64", x, num(-1)), one, large)
	t = c.or(huge, large, t)
	bad := c.is("setp.lt.and.f64", x, num(0), some)
	t = c.or(bad, raw(math.Float64bits(math.NaN())), t)
	root := c.d("sqrt.rn.f64", x)
	t = c.or(c.is("setp.eq.f64", y, num(0.5)), root, t)
	t = c.or(c.is("setp.eq.f64", y, num(-0.5)), c.d("div.rn.f64", one, root), t)

	// Zeros and infinities: the sign stays where y is an odd integer.
	zero := c.is("setp.eq.f64", x, num(0))
	ends := c.is("setp.eq.or.f64", ax, num(math.Inf(1)), zero)
	up := c.is("not.pred", c.is("xor.pred", zero, negative))
	value := c.or(up, inf, "0")
	odd = c.is("setp.ne.u64", c.d("and.b64", c.d("cvt.rzi.s64.f64", size), 1), 0)
	odd = c.is("setp.lt.and.f64", size, num(1<<53), odd)
	odd = c.is("setp.eq.and.f64", size, whole, odd)
	sign := c.d("and.b64", x, raw(1<<63))
	value = c.or(odd, c.d("or.b64", value, sign), value)
	t = c.or(ends, value, t)
	nan := c.is("setp.neu.f64", y, y)
	nan = c.is("setp.neu.or.f64", x, x, nan)
	t = c.or(nan, raw(math.Float64bits(math.NaN())), t)
	t = c.or(c.is("setp.eq.f64", y, num(1)), x, t)
	unit := c.is("setp.eq.f64", x, num(1))
	unit = c.is("setp.eq.or.f64", y, num(0), unit)
	return c.or(unit, one, t)
}
