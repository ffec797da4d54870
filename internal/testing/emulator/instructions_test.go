// This file lists the instructions that functors' texts may have, with what they compute,
// as Go has it.

package emulator_test

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strings"
)

// An instruction is a line of PTX between operands X, Y, Z and the result R, or whole lines.
type instruction struct {
	name     string // with its operands' types, if they aren't those of the name's last part
	operands string // the types: R, then X, Y, Z
	lines    string // "": the name, then R, X, Y, Z
	skip     func(a, b, c uint64) bool
	want     func(a, b, c uint64) uint64
}

// same compares results. The bits of NaN are as devices have them where all have the same.
func (in instruction) same(x, y uint64) bool {
	switch result, _, _ := strings.Cut(in.operands, " "); {
	case result == "f64":
		return x == y || of[float64](x) != of[float64](x) && of[float64](y) != of[float64](y)
	case in.name == "cvt.rn.f32.f64":
		return x == y || of[float32](x) != of[float32](x) && of[float32](y) != of[float32](y)
	}
	return x == y
}

type integer interface {
	int32 | uint32 | int64 | uint64
}
type float interface{ float32 | float64 }

func typeName[T integer | float]() string {
	var x T
	switch any(x).(type) {
	case int32:
		return "s32"
	case uint32:
		return "u32"
	case int64:
		return "s64"
	case uint64:
		return "u64"
	case float32:
		return "f32"
	}
	return "f64"
}

func of[T integer | float](x uint64) T {
	var y T
	switch p := any(&y).(type) {
	case *int32:
		*p = int32(x)
	case *uint32:
		*p = uint32(x)
	case *int64:
		*p = int64(x)
	case *uint64:
		*p = x
	case *float32:
		*p = math.Float32frombits(uint32(x))
	case *float64:
		*p = math.Float64frombits(x)
	}
	return y
}

func bitsOf[T integer | float](x T) uint64 {
	switch x := any(x).(type) {
	case int32:
		return uint64(uint32(x))
	case uint32:
		return uint64(x)
	case int64:
		return uint64(x)
	case uint64:
		return x
	case float32:
		if x != x {
			return 0x7fffffff
		}
		return uint64(math.Float32bits(x))
	case float64:
		if x != x {
			return 0x7ff8000000000000
		}
		return math.Float64bits(x)
	}
	return 0
}

func boolBits(x bool) uint64 {
	if x {
		return 1
	}
	return 0
}

func same(t string, n int) string { return strings.TrimSpace(strings.Repeat(t+" ", n)) }

// op returns an instruction whose operands are all of one type.
func op[T integer | float](name string, operands int, f func(a, b, c T) T) instruction {
	t := typeName[T]()
	return instruction{name: name + "." + t, operands: same(t, operands+1), want: func(a, b, c uint64) uint64 { return bitsOf(f(of[T](a), of[T](b), of[T](c))) }}
}

func compare[T integer | float](name, t string, f func(a, b T) bool) instruction {
	return instruction{name: "setp." + name + "." + t, operands: "pred " + same(t, 2), want: func(a, b, _ uint64) uint64 { return boolBits(f(of[T](a), of[T](b))) }}
}

// division is one where the divisor isn't zero, which would be a fault.
func division[T integer](name string, f func(a, b T) T) instruction {
	in := op(name, 2, func(a, b, _ T) T {
		if b == 0 {
			return a
		}
		return f(a, b)
	})
	t := typeName[T]()
	in.lines = fmt.Sprintf("mov.%s R, X; setp.ne.%s f_q0, Y, 0; @f_q0 %s R, X, Y;", t, t, in.name)
	return in
}

func integers[T integer](width uint) (all []instruction) {
	t := typeName[T]()
	signed := t[0] == 's'
	all = append(all,
		division("div", func(a, b T) T { return a / b }),
		division("rem", func(a, b T) T { return a % b }),
		op("add", 2, func(a, b, _ T) T { return a + b }),
		op("sub", 2, func(a, b, _ T) T { return a - b }),
		op("mul.lo", 2, func(a, b, _ T) T { return a * b }),
		op("mad.lo", 3, func(a, b, c T) T { return a*b + c }),
		op("min", 2, func(a, b, _ T) T { return min(a, b) }),
		op("max", 2, func(a, b, _ T) T { return max(a, b) }),
		op("mul.hi", 2, func(a, b, _ T) T {
			p := new(big.Int).Mul(new(big.Int).SetInt64(int64(a)), new(big.Int).SetInt64(int64(b)))
			if !signed {
				p = new(big.Int).Mul(new(big.Int).SetUint64(uint64(a)), new(big.Int).SetUint64(uint64(b)))
			}
			p.Rsh(p, width)
			if signed {
				return T(p.Int64())
			}
			return T(p.Uint64())
		}),
		instruction{name: "shr." + t, operands: t + " " + t + " u32", want: func(a, b, _ uint64) uint64 { return bitsOf(of[T](a) >> uint32(b)) }},
		instruction{name: "bfind." + t, operands: "u32 " + t, want: func(a, _, _ uint64) uint64 {
			x := of[T](a)
			if x < 0 {
				x = ^x
			}
			return uint64(uint32(bits.Len64(bitsOf(x)) - 1))
		}},
		compare("eq", t, func(a, b T) bool { return a == b }),
		compare("ne", t, func(a, b T) bool { return a != b }),
		compare("lt", t, func(a, b T) bool { return a < b }),
		compare("le", t, func(a, b T) bool { return a <= b }),
		compare("gt", t, func(a, b T) bool { return a > b }),
		compare("ge", t, func(a, b T) bool { return a >= b }))
	if signed {
		return append(all,
			op("neg", 1, func(a, _, _ T) T { return -a }),
			op("abs", 1, func(a, _, _ T) T { return max(a, -a) }))
	}
	return append(all,
		compare("lo", t, func(a, b T) bool { return a < b }),
		compare("ls", t, func(a, b T) bool { return a <= b }),
		compare("hi", t, func(a, b T) bool { return a > b }),
		compare("hs", t, func(a, b T) bool { return a >= b }))
}

func words[T uint32 | uint64](t string, width int) []instruction {
	word := func(name string, operands int, f func(a, b T) T) instruction {
		return instruction{name: name + "." + t, operands: same(t, operands+1), want: func(a, b, _ uint64) uint64 { return uint64(f(T(a), T(b))) }}
	}
	count := func(name string, f func(a T) int) instruction {
		return instruction{name: name + "." + t, operands: "u32 " + t, want: func(a, _, _ uint64) uint64 { return uint64(f(T(a))) }}
	}
	shift := func(name string, f func(a T, b uint32) T) instruction {
		return instruction{name: name + "." + t, operands: t + " " + t + " u32", want: func(a, b, _ uint64) uint64 { return uint64(f(T(a), uint32(b))) }}
	}
	return []instruction{
		word("mov", 1, func(a, _ T) T { return a }),
		word("and", 2, func(a, b T) T { return a & b }),
		word("or", 2, func(a, b T) T { return a | b }),
		word("xor", 2, func(a, b T) T { return a ^ b }),
		word("not", 1, func(a, _ T) T { return ^a }),
		word("brev", 1, func(a, _ T) T { return T(bits.Reverse64(uint64(a)) >> (64 - width)) }),
		count("popc", func(a T) int { return bits.OnesCount64(uint64(a)) }),
		count("clz", func(a T) int { return bits.LeadingZeros64(uint64(a)) - 64 + width }),
		shift("shl", func(a T, b uint32) T { return a << b }),
		shift("shr", func(a T, b uint32) T { return a >> b }),
		compare("eq", t, func(a, b T) bool { return a == b }),
		compare("ne", t, func(a, b T) bool { return a != b }),
		{name: "selp." + t, operands: same(t, 3) + " pred", want: func(a, b, c uint64) uint64 {
			if c&1 != 0 {
				return uint64(T(a))
			}
			return uint64(T(b))
		}},
	}
}

func floats[T float](fma func(a, b, c T) T) []instruction {
	t := typeName[T]()
	nan := func(a, b T) bool { return a != a || b != b }
	sign := uint64(1) << 31
	if t == "f64" {
		sign = 1 << 63
	}
	number := func(a, _, _ uint64) bool { return of[T](a) != of[T](a) } // the sign of NaN is undefined
	all := []instruction{
		op("add.rn", 2, func(a, b, _ T) T { return a + b }),
		op("sub.rn", 2, func(a, b, _ T) T { return a - b }),
		op("mul.rn", 2, func(a, b, _ T) T { return a * b }),
		op("div.rn", 2, func(a, b, _ T) T { return a / b }),
		op("fma.rn", 3, fma),
		op("sqrt.rn", 1, func(a, _, _ T) T { return T(math.Sqrt(float64(a))) }),
		op("min", 2, func(a, b, _ T) T {
			if a != a {
				return b
			} else if b != b {
				return a
			}
			return min(a, b)
		}),
		op("max", 2, func(a, b, _ T) T {
			if a != a {
				return b
			} else if b != b {
				return a
			}
			return max(a, b)
		}),
		{name: "neg." + t, operands: same(t, 2), skip: number, want: func(a, _, _ uint64) uint64 { return bitsOf(of[T](a)) ^ sign }},
		{name: "abs." + t, operands: same(t, 2), skip: number, want: func(a, _, _ uint64) uint64 { return bitsOf(of[T](a)) &^ sign }},
		{name: "testp.notanumber." + t, operands: "pred " + t, want: func(a, _, _ uint64) uint64 { return boolBits(of[T](a) != of[T](a)) }},
		compare("eq", t, func(a, b T) bool { return a == b }),
		compare("ne", t, func(a, b T) bool { return a != b && !nan(a, b) }),
		compare("lt", t, func(a, b T) bool { return a < b }),
		compare("le", t, func(a, b T) bool { return a <= b }),
		compare("gt", t, func(a, b T) bool { return a > b }),
		compare("ge", t, func(a, b T) bool { return a >= b }),
		compare("equ", t, func(a, b T) bool { return a == b || nan(a, b) }),
		compare("neu", t, func(a, b T) bool { return a != b }),
		compare("ltu", t, func(a, b T) bool { return a < b || nan(a, b) }),
		compare("leu", t, func(a, b T) bool { return a <= b || nan(a, b) }),
		compare("gtu", t, func(a, b T) bool { return a > b || nan(a, b) }),
		compare("geu", t, func(a, b T) bool { return a >= b || nan(a, b) }),
		compare("num", t, func(a, b T) bool { return !nan(a, b) }),
		compare("nan", t, nan),
	}
	for suffix, f := range roundings {
		all = append(all, instruction{name: "cvt." + suffix + "." + t + "." + t, operands: same(t, 2), want: func(a, _, _ uint64) uint64 { return bitsOf(T(f(float64(of[T](a))))) }})
	}
	return all
}

var roundings = map[string]func(float64) float64{"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil}

// fma32 is exact where the result is a number; the rest needs no rounding.
func fma32(a, b, c float32) float32 {
	p := float64(a) * float64(b) // exact
	s := p + float64(c)
	if s == 0 || math.IsInf(s, 0) || s != s {
		return float32(s)
	}
	x := new(big.Float).SetPrec(2000).SetFloat64(p)
	y, _ := x.Add(x, new(big.Float).SetFloat64(float64(c))).Float32()
	return y
}

// converts are those to D.
func converts[D integer | float]() []instruction {
	return []instruction{convert[D, int32](), convert[D, uint32](), convert[D, int64](), convert[D, uint64]()}
}

func convert[D, S integer | float]() instruction {
	d, s := typeName[D](), typeName[S]()
	name := "cvt"
	if d[0] == 'f' {
		name = "cvt.rn"
	}
	return instruction{name: name + "." + d + "." + s, operands: d + " " + s, want: func(a, _, _ uint64) uint64 { return bitsOf(D(of[S](a))) }}
}

// clamps convert floats to integers.
func clamps[D integer, S float](low, high float64, least, most D, nan uint64) (all []instruction) {
	d, s := typeName[D](), typeName[S]()
	for suffix, f := range roundings {
		all = append(all, instruction{name: "cvt." + suffix + "." + d + "." + s, operands: d + " " + s, want: func(a, _, _ uint64) uint64 {
			switch x := f(float64(of[S](a))); {
			case x != x:
				return nan
			case x < low:
				return bitsOf(least)
			case x >= high:
				return bitsOf(most)
			default:
				return bitsOf(D(x))
			}
		}})
	}
	return all
}

func clampsOf[S float](wide bool) (all []instruction) {
	nan := func(x uint64) uint64 {
		if wide {
			return x
		}
		return 0
	}
	all = append(all, clamps[int32, S](-1<<31, 1<<31, math.MinInt32, math.MaxInt32, nan(1<<31))...)
	all = append(all, clamps[uint32, S](0, 1<<32, 0, math.MaxUint32, nan(1<<31))...)
	all = append(all, clamps[int64, S](-1<<63, 1<<63, math.MinInt64, math.MaxInt64, 1<<63)...)
	return append(all, clamps[uint64, S](0, 1<<64, 0, math.MaxUint64, 1<<63)...)
}
