package sssp

import (
	"context"
	"errors"
	"math"
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
		keys, target := make([]uint64, n), uint32(0)
		for j := range keys {
			target += uint32(r.IntN(3))
			if i%7 == 0 {
				target = r.Uint32()
			}
			weight := base ^ r.Uint32()&mask
			keys[j] = uint64(weight)<<32 | uint64(target)
		}
		want := slices.Clone(keys)
		slices.Sort(want)
		var err error
		if room, err = sortKeys(t.Context(), keys, room); err != nil || !slices.Equal(keys, want) {
			t.Fatalf("row %d of %d keys that differ in the bits %x: %v, or another order", i, n, mask, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sortKeys(ctx, make([]uint64, digitRow+1), room); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
