// This file tests the loads, stores and atomics of functors' texts.

package emulator_test

import (
	"math"
	"strings"
	"testing"
)

// testMemory tests loads, stores and atomics: what each thread of a vertex sees, and what
// many threads leave in one word. module makes one of a text for the hole FORAY_VERTEX.
func testMemory(t *testing.T, b *bench, module func(text string) string) {
	in := operands(3 * b.n)
	must(t, b.c.Upload(b.in.Ptr(), bytesOf(in)))
	own := func(lines string) string {
		return "{ .reg .b64 f_at, f_off, f_x; .reg .b32 f_n; .reg .pred f_p;\nld.param.b64 f_at, [$p+8]; mul.wide.u32 f_off, $1, 24; add.s64 f_at, f_at, f_off;\n" + lines + "}"
	}
	for _, x := range []struct {
		lines string
		want  func(p []uint64) uint64
	}{
		{"ld.global.u32 f_n, [f_at+4]; cvt.u64.u32 $0, f_n;", func(p []uint64) uint64 { return p[0] >> 32 }},
		{"ld.global.nc.f32 f_n, [f_at+8]; cvt.u64.u32 $0, f_n;", func(p []uint64) uint64 { return uint64(uint32(p[1])) }},
		{"ld.volatile.global.u64 $0, [f_at+16];", func(p []uint64) uint64 { return p[2] }},
		{"ld.relaxed.gpu.global.s64 $0, [f_at+16];", func(p []uint64) uint64 { return p[2] }},
		{"ld.global.u8 f_n, [f_at+3]; cvt.u64.u32 $0, f_n;", func(p []uint64) uint64 { return p[0] >> 24 & 0xff }},
		{"ld.global.s8 f_n, [f_at+3]; cvt.s64.s32 $0, f_n;", func(p []uint64) uint64 { return uint64(int8(p[0] >> 24)) }},
		{"ld.global.s16 f_n, [f_at+2]; cvt.s64.s32 $0, f_n;", func(p []uint64) uint64 { return uint64(int16(p[0] >> 16)) }},
		{"add.s64 f_at, f_at, 24; ld.global.b64 $0, [f_at+-16];", func(p []uint64) uint64 { return p[1] }},
		{"cvt.u64.u32 $0, $2;", func([]uint64) uint64 { return 7 }},
		{"ld.param.b64 $0, [$p+120];", func([]uint64) uint64 { return 1234 }},
		{"ld.param.u32 f_n, [$p+120]; cvt.u64.u32 $0, f_n;", func([]uint64) uint64 { return 1234 }},
	} {
		got, err := b.run(module(own(x.lines)), "vertices", 1)
		must(t, err)
		for i := range got {
			if want := x.want(in[3*i:]); got[i] != want {
				t.Errorf("%s thread %d: %#x, want %#x", x.lines, i, got[i], want)
				break
			}
		}
	}
	f32 := func(x uint64) float64 { return float64(math.Float32frombits(uint32(x))) }
	// What is in each thread's first word, with its second.
	for _, x := range []struct {
		op    string
		bytes int
		want  func(a, b uint64) uint64
	}{
		{"add.u32", 4, func(a, b uint64) uint64 { return a + b }},
		{"add.s32", 4, func(a, b uint64) uint64 { return a + b }},
		{"add.u64", 8, func(a, b uint64) uint64 { return a + b }},
		{"min.u32", 4, func(a, b uint64) uint64 { return uint64(min(uint32(a), uint32(b))) }},
		{"max.u32", 4, func(a, b uint64) uint64 { return uint64(max(uint32(a), uint32(b))) }},
		{"min.s32", 4, func(a, b uint64) uint64 { return uint64(min(int32(a), int32(b))) }},
		{"max.s32", 4, func(a, b uint64) uint64 { return uint64(max(int32(a), int32(b))) }},
		{"min.u64", 8, func(a, b uint64) uint64 { return min(a, b) }},
		{"max.u64", 8, func(a, b uint64) uint64 { return max(a, b) }},
		{"min.s64", 8, func(a, b uint64) uint64 { return uint64(min(int64(a), int64(b))) }},
		{"max.s64", 8, func(a, b uint64) uint64 { return uint64(max(int64(a), int64(b))) }},
		{"and.b32", 4, func(a, b uint64) uint64 { return a & b }},
		{"or.b32", 4, func(a, b uint64) uint64 { return a | b }},
		{"xor.b32", 4, func(a, b uint64) uint64 { return a ^ b }},
		{"exch.b32", 4, func(_, b uint64) uint64 { return b }},
		{"and.b64", 8, func(a, b uint64) uint64 { return a & b }},
		{"or.b64", 8, func(a, b uint64) uint64 { return a | b }},
		{"exch.b64", 8, func(_, b uint64) uint64 { return b }},
		{"add.f64", 8, func(a, b uint64) uint64 { return bitsOf(math.Float64frombits(a) + math.Float64frombits(b)) }},
		{"add.f32", 4, func(a, b uint64) uint64 { return flush(bitsOf(float32(f32(flush(a)) + f32(flush(b))))) }},
	} {
		wide := x.bytes == 8
		for _, text := range []string{
			"ld.global.WORD VALUE, [f_at+8]; atom.global.OP OLD, [f_at], VALUE; st.global.WORD [f_at+16], OLD; mov.b64 $0, 1;",
			"ld.global.WORD VALUE, [f_at+8]; ld.global.WORD OLD, [f_at]; st.volatile.global.WORD [f_at+16], OLD; red.relaxed.gpu.global.OP [f_at], VALUE; mov.b64 $0, 1;",
		} {
			must(t, b.c.Upload(b.in.Ptr(), bytesOf(in)))
			word, value, old := "b32", "f_n", "f_m"
			if wide {
				word, value, old = "b64", "f_x", "f_y"
			}
			text = strings.NewReplacer("WORD", word, "VALUE", value, "OLD", old, "OP", x.op).Replace(text)
			if strings.Contains(text, "red") && strings.Contains(x.op, "exch") {
				continue
			}
			_, err := b.run(module(own(".reg .b32 f_m; .reg .b64 f_y;"+text)), "vertices", 1)
			must(t, err)
			after := make([]uint64, 3*b.n)
			must(t, b.c.Download(bytesOf(after), b.in.Ptr()))
			for i := range b.n {
				p, q := in[3*i:], after[3*i:]
				want, had, got := x.want(p[0], p[1]), p[0], q[0]
				if !wide {
					want, got, had = uint64(uint32(want)), uint64(uint32(got)), uint64(uint32(had))
				}
				left := q[2]
				if !wide {
					left = uint64(uint32(left))
				}
				nan := x.op == "add.f64" && math.IsNaN(math.Float64frombits(want)) && math.IsNaN(math.Float64frombits(got))
				if got != want && !nan || left != had {
					t.Errorf("%s of %#x and %#x: %#x and returned %#x, want %#x and %#x\n%s", x.op, p[0], p[1], got, left, want, had, text)
					break
				}
			}
		}
	}
	// All threads at one word: a lost update shows.
	for _, x := range []struct {
		lines string
		want  uint64
	}{
		{"red.global.add.u64 [f_at], 3;", 3000},
		{"f_again: ld.relaxed.gpu.global.b64 f_x, [f_at]; add.u64 f_off, f_x, 3; atom.global.cas.b64 f_off, [f_at], f_x, f_off; setp.ne.b64 f_p, f_off, f_x; @f_p bra f_again;", 3000},
		{"cvt.rn.f64.u32 f_x, $1; atom.global.add.f64 f_x, [f_at], f_x;", math.Float64bits(999 * 500)},
		{"cvt.u64.u32 f_x, $1; red.global.max.u64 [f_at], f_x;", 999},
	} {
		zero := make([]uint64, 3*b.n)
		must(t, b.c.Upload(b.in.Ptr(), bytesOf(zero)))
		_, err := b.run(module("{ .reg .b64 f_at, f_off, f_x; .reg .pred f_p; ld.param.b64 f_at, [$p+8];\n"+x.lines+"\nmov.b64 $0, 1; }"), "vertices", 1)
		must(t, err)
		must(t, b.c.Download(bytesOf(zero), b.in.Ptr()))
		if zero[0] != x.want {
			t.Errorf("%s by 1000 threads leaves %#x, want %#x", x.lines, zero[0], x.want)
		}
	}
}

// flush makes a zero of a subnormal float32, as atom.add.f32 does.
func flush(x uint64) uint64 {
	if x&0x7f800000 == 0 {
		return x & 0x80000000
	}
	return x
}
