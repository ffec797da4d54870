// This file lists the instructions that fit nowhere else, and makes texts of them.

package emulator_test

import (
	"fmt"
	"math"
	"strings"
)

// lines are instructions of more than one line, and those that fit nowhere else.
var lines = []instruction{
	{name: "mul.wide.u32", operands: "u64 u32 u32", want: func(a, b, _ uint64) uint64 { return uint64(uint32(a)) * uint64(uint32(b)) }},
	{name: "mul.wide.s32", operands: "s64 s32 s32", want: func(a, b, _ uint64) uint64 { return uint64(int64(int32(a)) * int64(int32(b))) }},
	{name: "mad.wide.u32", operands: "u64 u32 u32 u64", want: func(a, b, c uint64) uint64 { return uint64(uint32(a))*uint64(uint32(b)) + c }},
	{name: "mad.wide.s32", operands: "s64 s32 s32 s64", want: func(a, b, c uint64) uint64 { return uint64(int64(int32(a))*int64(int32(b))) + c }},
	{name: "cvt.f64.f32", operands: "f64 f32", want: func(a, _, _ uint64) uint64 { return bitsOf(float64(of[float32](a))) }},
	{name: "cvt.rn.f32.f64", operands: "f32 f64", want: func(a, _, _ uint64) uint64 { return bitsOf(float32(of[float64](a))) }},
	{name: "prmt.b32", operands: "u32 u32 u32 u32", want: func(a, b, c uint64) (y uint64) {
		all := uint64(uint32(a)) | b<<32
		for i := range 4 {
			which := c >> (4 * i) & 15
			x := all >> (8 * (which & 7)) & 0xff
			if which&8 != 0 {
				x = uint64(uint8(int8(x) >> 7))
			}
			y |= x << (8 * i)
		}
		return y
	}},
	{name: "shf.l.wrap.b32", operands: "u32 u32 u32 u32", want: func(a, b, c uint64) uint64 {
		return uint64(uint32(b)<<(c&31) | uint32(uint64(uint32(a))>>(32-c&31)))
	}},
	{name: "shf.r.wrap.b32", operands: "u32 u32 u32 u32", want: func(a, b, c uint64) uint64 {
		return uint64(uint32(a)>>(c&31) | uint32(uint64(uint32(b))<<(32-c&31)))
	}},
	{name: "mov pack", operands: "u64 u32 u32", lines: "mov.b64 R, {X, Y};", want: func(a, b, _ uint64) uint64 { return uint64(uint32(a)) | b<<32 }},
	{name: "mov unpack", operands: "u32 u64", lines: "{ .reg .b32 f_lo, f_hi; mov.b64 {f_lo, f_hi}, X; xor.b32 R, f_lo, f_hi; }", want: func(a, _, _ uint64) uint64 { return uint64(uint32(a) ^ uint32(a>>32)) }},
	{name: "and.pred", operands: "pred pred pred", want: func(a, b, _ uint64) uint64 { return a & b & 1 }},
	{name: "or.pred", operands: "pred pred pred", want: func(a, b, _ uint64) uint64 { return (a | b) & 1 }},
	{name: "xor.pred", operands: "pred pred pred", want: func(a, b, _ uint64) uint64 { return (a ^ b) & 1 }},
	{name: "not.pred", operands: "pred pred", want: func(a, _, _ uint64) uint64 { return ^a & 1 }},
	{name: "mov.pred", operands: "pred pred", want: func(a, _, _ uint64) uint64 { return a & 1 }},
	{name: "setp both", operands: "u32 s32 s32", lines: "{ .reg .pred f_p, f_q; setp.lt.s32 f_p|f_q, X, Y; selp.b32 R, 1, 0, f_p; @f_q add.s32 R, R, 2; }", want: func(a, b, _ uint64) uint64 { return 2 - boolBits(int32(a) < int32(b)) }},
	{name: "setp.and", operands: "pred s32 s32 pred", lines: "setp.lt.and.s32 R, X, Y, Z;", want: func(a, b, c uint64) uint64 { return boolBits(int32(a) < int32(b)) & c }},
	{name: "setp.or", operands: "pred f64 f64 pred", lines: "setp.gt.or.f64 R, X, Y, !Z;", want: func(a, b, c uint64) uint64 { return boolBits(of[float64](a) > of[float64](b)) | ^c&1 }},
	{name: "setp.xor", operands: "pred u64 u64 pred", lines: "setp.eq.xor.u64 R, X, Y, Z;", want: func(a, b, c uint64) uint64 { return boolBits(a == b) ^ c&1 }},
	{name: "guards", operands: "u32 u32 pred", lines: "mov.b32 R, X; @!Y bra f_not; add.u32 R, R, 5; bra f_end; f_not: sub.u32 R, R, 7; f_end:", want: func(a, b, _ uint64) uint64 {
		if b&1 != 0 {
			return uint64(uint32(a) + 5)
		}
		return uint64(uint32(a) - 7)
	}},
	{name: "loop", operands: "u32 u32", lines: "{ .reg .b32 f_i<2>; .reg .pred f_p; and.b32 f_i0, X, 15; mov.b32 R, 0; f_again: setp.eq.u32 f_p, f_i0, 0; @f_p bra f_end; add.u32 R, R, f_i0; sub.u32 f_i0, f_i0, 1; bra f_again; f_end: }",
		want: func(a, _, _ uint64) uint64 { return (a & 15) * (a&15 + 1) / 2 }},
	{name: "local", operands: "u64 u64 u32", lines: "{ .local .align 8 .b8 f_a0[16]; .reg .b64 f_d<3>; mov.u64 f_d0, f_a0; st.local.b64 [f_d0], X; add.s64 f_d1, f_d0, 8; st.local.b32 [f_d1], Y; st.local.b32 [f_d1+4], 7; ld.local.b64 R, [f_d0+8]; ld.local.u64 f_d2, [f_d0]; xor.b64 R, R, f_d2; }",
		want: func(a, b, _ uint64) uint64 { return a ^ (uint64(uint32(b)) | 7<<32) }},
	{name: "numbers", operands: "u64 u64", lines: "add.u64 R, X, -3; xor.b64 R, R, 0xfedcba9876543210; or.b64 R, R, 0d3FF0000000000000; and.b64 R, R, 18446744073709551614;",
		want: func(a, _, _ uint64) uint64 { return ((a - 3) ^ 0xfedcba9876543210 | 0x3ff0000000000000) &^ 1 }},
}

func instructions() (all []instruction) {
	for _, list := range [][]instruction{
		integers[int32](32), integers[uint32](32), integers[int64](64), integers[uint64](64),
		words[uint32]("b32", 32), words[uint64]("b64", 64), floats(fma32), floats(math.FMA),
		converts[int32](), converts[uint32](), converts[int64](), converts[uint64](), converts[float32](), converts[float64](),
		clampsOf[float32](false), clampsOf[float64](true), lines,
	} {
		all = append(all, list...)
	}
	return all
}

// text returns the text of a vertex that loads three words, and returns what the instruction
// makes of them.
func (in instruction) text() string {
	types := strings.Fields(in.operands)
	width := func(t string) string { return "b" + t[1:] }
	var b strings.Builder
	b.WriteString("{\n  .reg .b64 f_at, f_off, f_w<4>; .reg .b32 f_n<4>; .reg .pred f_q<4>;\n")
	b.WriteString("  ld.param.b64 f_at, [$p+8];\n  mul.wide.u32 f_off, $1, 24;\n  add.s64 f_at, f_at, f_off;\n")
	body := in.lines
	if body == "" {
		body = in.name + " R"
		for i := range types[1:] {
			body += ", " + "XYZ"[i:i+1]
		}
		body += ";"
	}
	names := [4]string{}
	for i, t := range types {
		name := fmt.Sprintf("f_w%d", i)
		if i > 0 {
			fmt.Fprintf(&b, "  ld.global.b64 %s, [f_at+%d];\n", name, 8*i-8)
		}
		switch {
		case t == "pred":
			names[i] = fmt.Sprintf("f_q%d", i)
			if i > 0 {
				fmt.Fprintf(&b, "  and.b64 %s, %s, 1; setp.ne.b64 %s, %s, 0;\n", name, name, names[i], name)
			}
		case width(t) == "b32":
			names[i] = fmt.Sprintf("f_n%d", i)
			if i > 0 {
				fmt.Fprintf(&b, "  cvt.u32.u64 %s, %s;\n", names[i], name)
			}
		default:
			names[i] = name
		}
	}
	b.WriteString("  " + strings.NewReplacer("R", names[0], "X", names[1], "Y", names[2], "Z", names[3]).Replace(body) + "\n")
	switch {
	case types[0] == "pred":
		b.WriteString("  selp.b64 $0, 1, 0, f_q0;\n")
	case width(types[0]) == "b32":
		b.WriteString("  cvt.u64.u32 $0, f_n0;\n")
	default:
		b.WriteString("  mov.b64 $0, f_w0;\n")
	}
	b.WriteString("}\n")
	return b.String()
}
