package sssp

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortKeys compares with a sort of the whole keys: rows of any length, weights that differ in any bits, targets that
// ascend and that don't.
func TestSortKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var room []uint64
	for i := range 2000 {
		n, mask := r.IntN(1<<r.IntN(13)), r.Uint32()&^(1<<31)
		mask &= math.MaxUint32 << r.IntN(32) >> r.IntN(32)
		if i%10 == 0 {
			mask = 0
		}
		base := r.Uint32() & 0x3fffffff
		keys, target, varying := make([]uint64, n), uint32(0), uint32(0)
		for j := range keys {
			target += uint32(r.IntN(3))
			if i%7 == 0 {
				target = r.Uint32()
			}
			weight := base ^ r.Uint32()&mask
			if j > 0 {
				varying |= weight ^ uint32(keys[0]>>32)
			}
			keys[j] = uint64(weight)<<32 | uint64(target)
		}
		if i%3 == 0 {
			varying |= 1 << r.IntN(31) // as other rows vary
		}
		want := slices.Clone(keys)
		slices.Sort(want)
		if err := sortKeys(t.Context(), keys, &room, varying); err != nil || !slices.Equal(keys, want) {
			t.Fatalf("row %d of %d keys that differ in %d bits: %v, or another order", i, n, bits.OnesCount32(varying), err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sortKeys(ctx, make([]uint64, 1<<20), &room, 0xff); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
