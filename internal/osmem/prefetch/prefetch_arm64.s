#include "textflag.h"

// func index16(base *[4]uint32, vs *uint32, n int)
// Prefetches base + 16*vs[i] for i in 0 to n-1; n is at least 1.
TEXT ·index16(SB), NOSPLIT, $0-24
	MOVD base+0(FP), R0
	MOVD vs+8(FP), R1
	MOVD n+16(FP), R2

loop16:
	MOVWU.P 4(R1), R3
	ADD     R3<<4, R0, R4
	PRFM    (R4), PLDL1KEEP
	SUBS    $1, R2, R2
	BNE     loop16
	RET

// func index32(base unsafe.Pointer, vs *uint32, n int)
// Prefetches base + 32*vs[i] for i in 0 to n-1; n is at least 1.
TEXT ·index32(SB), NOSPLIT, $0-24
	MOVD base+0(FP), R0
	MOVD vs+8(FP), R1
	MOVD n+16(FP), R2

loop32:
	MOVWU.P 4(R1), R3
	ADD     R3<<5, R0, R4
	PRFM    (R4), PLDL1KEEP
	SUBS    $1, R2, R2
	BNE     loop32
	RET

// func index8(base *uint64, vs *uint32, n int)
// Prefetches base + 8*vs[i] for i in 0 to n-1; n is at least 1.
TEXT ·index8(SB), NOSPLIT, $0-24
	MOVD base+0(FP), R0
	MOVD vs+8(FP), R1
	MOVD n+16(FP), R2

loop8:
	MOVWU.P 4(R1), R3
	ADD     R3<<3, R0, R4
	PRFM    (R4), PLDL1KEEP
	SUBS    $1, R2, R2
	BNE     loop8
	RET

// func write4(base *uint32, vs *uint32, n int)
// Prefetches base + 4*vs[i] for writing, for i in 0 to n-1; n is at least 1.
TEXT ·write4(SB), NOSPLIT, $0-24
	MOVD base+0(FP), R0
	MOVD vs+8(FP), R1
	MOVD n+16(FP), R2

loop4:
	MOVWU.P 4(R1), R3
	ADD     R3<<2, R0, R4
	PRFM    (R4), PSTL1KEEP
	SUBS    $1, R2, R2
	BNE     loop4
	RET

// func seconds(base *uint32, offsets *uint64, vs *uint32, n int)
// Prefetches base + 4*(offsets[vs[i]]+1) for i in 0 to n-1; n is at least 1.
TEXT ·seconds(SB), NOSPLIT, $0-32
	MOVD base+0(FP), R0
	MOVD offsets+8(FP), R5
	MOVD vs+16(FP), R1
	MOVD n+24(FP), R2

loopSeconds:
	MOVWU.P 4(R1), R3
	ADD     R3<<3, R5, R4
	MOVD    (R4), R3
	ADD     R3<<2, R0, R4
	ADD     $4, R4          // PRFM takes multiples of 8 alone
	PRFM    (R4), PLDL1KEEP
	SUBS    $1, R2, R2
	BNE     loopSeconds
	RET

// func ends(base uintptr, rows unsafe.Pointer, targets *uint32, n int)
// Prefetches base + 4*rows[i].Source, and base + 4*targets[j] for j from rows[i].First to
// rows[i].First+rows[i].Len-1, for i in 0 to n-1; n and Len are at least 1.
TEXT ·ends(SB), NOSPLIT, $0-32
	MOVD base+0(FP), R0
	MOVD rows+8(FP), R1
	MOVD targets+16(FP), R5
	MOVD n+24(FP), R2

loopRows:
	MOVD  (R1), R3
	ADD   R3<<2, R5, R6
	MOVWU 8(R1), R3
	ADD   R3<<2, R0, R4
	PRFM  (R4), PLDL1KEEP
	MOVWU 12(R1), R7

loopTargets:
	MOVWU.P 4(R6), R3
	ADD     R3<<2, R0, R4
	PRFM    (R4), PLDL1KEEP
	SUBS    $1, R7, R7
	BNE     loopTargets
	ADD     $16, R1
	SUBS    $1, R2, R2
	BNE     loopRows
	RET

// func ends64(base uintptr, rows unsafe.Pointer, targets *uint32, n int)
// Prefetches base + 8*rows[i].Source, and base + 8*targets[j] for j from rows[i].First to
// rows[i].First+rows[i].Len-1, for i in 0 to n-1; n and Len are at least 1.
TEXT ·ends64(SB), NOSPLIT, $0-32
	MOVD base+0(FP), R0
	MOVD rows+8(FP), R1
	MOVD targets+16(FP), R5
	MOVD n+24(FP), R2

loopRows64:
	MOVD  (R1), R3
	ADD   R3<<2, R5, R6
	MOVWU 8(R1), R3
	ADD   R3<<3, R0, R4
	PRFM  (R4), PLDL1KEEP
	MOVWU 12(R1), R7

loopTargets64:
	MOVWU.P 4(R6), R3
	ADD     R3<<3, R0, R4
	PRFM    (R4), PLDL1KEEP
	SUBS    $1, R7, R7
	BNE     loopTargets64
	ADD     $16, R1
	SUBS    $1, R2, R2
	BNE     loopRows64
	RET
