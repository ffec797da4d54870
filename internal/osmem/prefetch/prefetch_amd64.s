#include "textflag.h"

// func index16(base *[4]uint32, vs *uint32, n int)
// Prefetches base + 16*vs[i] for i in 0 to n-1; n is at least 1.
TEXT ·index16(SB), NOSPLIT, $0-24
	MOVQ base+0(FP), AX
	MOVQ vs+8(FP), BX
	MOVQ n+16(FP), CX

loop16:
	MOVL       (BX), DX
	SHLQ       $4, DX
	PREFETCHT0 (AX)(DX*1)
	ADDQ       $4, BX
	DECQ       CX
	JNZ        loop16
	RET

// func index32(base unsafe.Pointer, vs *uint32, n int)
// Prefetches base + 32*vs[i] for i in 0 to n-1; n is at least 1.
TEXT ·index32(SB), NOSPLIT, $0-24
	MOVQ base+0(FP), AX
	MOVQ vs+8(FP), BX
	MOVQ n+16(FP), CX

loop32:
	MOVL       (BX), DX
	SHLQ       $5, DX
	PREFETCHT0 (AX)(DX*1)
	ADDQ       $4, BX
	DECQ       CX
	JNZ        loop32
	RET

// func index8(base *uint64, vs *uint32, n int)
// Prefetches base + 8*vs[i] for i in 0 to n-1; n is at least 1.
TEXT ·index8(SB), NOSPLIT, $0-24
	MOVQ base+0(FP), AX
	MOVQ vs+8(FP), BX
	MOVQ n+16(FP), CX

loop8:
	MOVL       (BX), DX
	PREFETCHT0 (AX)(DX*8)
	ADDQ       $4, BX
	DECQ       CX
	JNZ        loop8
	RET

// func write4(base *uint32, vs *uint32, n int)
// Prefetches base + 4*vs[i] for writing, for i in 0 to n-1; n is at least 1.
TEXT ·write4(SB), NOSPLIT, $0-24
	MOVQ base+0(FP), AX
	MOVQ vs+8(FP), BX
	MOVQ n+16(FP), CX

loop4:
	MOVL (BX), DX
	BYTE $0x0F; BYTE $0x0D; BYTE $0x0C; BYTE $0x90 // PREFETCHW (AX)(DX*4)
	ADDQ $4, BX
	DECQ CX
	JNZ  loop4
	RET

// func seconds(base *uint32, offsets *uint64, vs *uint32, n int)
// Prefetches base + 4*(offsets[vs[i]]+1) for i in 0 to n-1; n is at least 1.
TEXT ·seconds(SB), NOSPLIT, $0-32
	MOVQ base+0(FP), AX
	MOVQ offsets+8(FP), SI
	MOVQ vs+16(FP), BX
	MOVQ n+24(FP), CX

loopSeconds:
	MOVL       (BX), DX
	MOVQ       (SI)(DX*8), DX
	PREFETCHT0 4(AX)(DX*4)
	ADDQ       $4, BX
	DECQ       CX
	JNZ        loopSeconds
	RET

// func ends(base uintptr, rows unsafe.Pointer, targets *uint32, n int)
// Prefetches base + 4*rows[i].Source, and base + 4*targets[j] for j from rows[i].First to
// rows[i].First+rows[i].Len-1, for i in 0 to n-1; n and Len are at least 1.
TEXT ·ends(SB), NOSPLIT, $0-32
	MOVQ base+0(FP), AX
	MOVQ rows+8(FP), BX
	MOVQ targets+16(FP), SI
	MOVQ n+24(FP), CX

loopRows:
	MOVQ       (BX), DX
	LEAQ       (SI)(DX*4), DI
	MOVL       8(BX), DX
	PREFETCHT0 (AX)(DX*4)
	MOVL       12(BX), R8

loopTargets:
	MOVL       (DI), DX
	PREFETCHT0 (AX)(DX*4)
	ADDQ       $4, DI
	DECQ       R8
	JNZ        loopTargets
	ADDQ       $16, BX
	DECQ       CX
	JNZ        loopRows
	RET

// func ends64(base uintptr, rows unsafe.Pointer, targets *uint32, n int)
// Prefetches base + 8*rows[i].Source, and base + 8*targets[j] for j from rows[i].First to
// rows[i].First+rows[i].Len-1, for i in 0 to n-1; n and Len are at least 1.
TEXT ·ends64(SB), NOSPLIT, $0-32
	MOVQ base+0(FP), AX
	MOVQ rows+8(FP), BX
	MOVQ targets+16(FP), SI
	MOVQ n+24(FP), CX

loopRows64:
	MOVQ       (BX), DX
	LEAQ       (SI)(DX*4), DI
	MOVL       8(BX), DX
	PREFETCHT0 (AX)(DX*8)
	MOVL       12(BX), R8

loopTargets64:
	MOVL       (DI), DX
	PREFETCHT0 (AX)(DX*8)
	ADDQ       $4, DI
	DECQ       R8
	JNZ        loopTargets64
	ADDQ       $16, BX
	DECQ       CX
	JNZ        loopRows64
	RET
