// Package ptx prints functors as PTX, the assembly language of NVIDIA's GPUs. The text replaces a
// mark in an operator's kernel (package link).
//
// # The text of a method
//
// It is a block in braces, with its own registers and labels, whose names begin with f_.
// Placeholders in it stand for the kernel's registers: $0 is the register of the result, $1 and
// those behind it the inputs', [$p+N] the functor's block (ir.Functor.Words) at byte N, in the
// parameter space. Kernels hand in registers of type .b32 and .b64.
//
//	method  $0                          $1          $2            $3         $4
//	Edge    b32: 0 or 1, or the uint32  source b32  target b32    level b32  index b64
//	Hit     b32: 0 or 1                 source b32  target b32    level b32  index b64
//	Gather  as wide as its type         source b32  target b32    level b32  index b64
//	Apply   b64: the bits               vertex b32  total         level b32
//	Vertex  b64: the bits               vertex b32  level b32
//
// $0 is assigned on every path, at its end, but for an Edge without a result, which doesn't
// have it. A fault (an index out of range, a division by zero) writes site<<48|index into the
// fault word, 1 into the stop flag, and gives 0.
//
// Results are Go's, bit for bit, but for the bits of NaN. Additions of float32 by
// atomics.Add are too: see printer.add.
//
// # Instructions
//
// Methods are made of these and no others; the interpreter of the emulated GPU knows more. $ is
// 32 or 64.
//
//	mov.b$, mov.pred (of registers and of 0 and 1), mov.b64 d, {low, high}
//	mov.u32 d, %tid.x and mov.u32 d, %ctaid.x
//	add.s$ add.u$ sub.s$ sub.u$ mul.lo.s$ mul.lo.u$ div.s$ div.u$ rem.s$ rem.u$
//	min.s$ min.u$ max.s$ max.u$ neg.s$ mul.wide.u32 mul.hi.s32 mul.hi.u$
//	add.rn.f$ sub.rn.f$ mul.rn.f$ div.rn.f$ sqrt.rn.f$ abs.f32; fma.rn.f64 in exp alone
//	and or xor not of b32, b64, pred
//	shl.b$ shr.s$ shr.u$: counts are b32, and those above the width are the width
//	setp.{eq,ne,lt,le,gt,ge}.{s$,u$}, setp.{eq,ne}.b$, setp.{eq,lt,le,gt,ge,neu,equ,geu}.f$
//	setp.X.{and,or}.T p, a, b, q: p is the comparison, and or or q
//	selp.b$
//	cvt.{u32.u64,u64.u32,s64.s32}, cvt.rn.f$.{s$,u$}, cvt.rzi.{s32,s64,u64}.f$ cvt.rni.s32.f64
//	cvt.f64.f32, cvt.rn.f32.f64, cvt.{rmi,rpi,rzi}.f$.f$ of one width
//	popc.b$ clz.b$ brev.b$ prmt.b32 d, a, 0, 0x0123
//	ld.param.b$ ld.global.b$ st.global.b$ ld.relaxed.gpu.global.b$ st.relaxed.gpu.global.b$
//	st.volatile.global.u$
//	ld.local.b$ st.local.b$, of arrays that .local .align 8 .b8 NAME[N] declares; mov.u64 d, NAME
//	atom.global.{min,max}.{s$,u$} atom.global.add.{u32,u64,f32,f64}
//	atom.global.{and,or,exch,cas}.b$
//	bra, also with @p and @!p
//
// The last operand but the predicate may be a constant: decimal, hexadecimal (0x), or the bits
// of a float (0f and 8 digits, 0d and 16). Both of the first two of selp may be, and so may
// what is stored. Addresses are [register].
package ptx
