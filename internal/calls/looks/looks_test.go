package looks

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testctx"
)

// TestSort compares Sort with slices.Sort, on keys of which few or all differ, and ends it at every look.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 3))
	for _, n := range []int{0, 1, piece, piece + 1, 5*piece + 7, 20 * piece} {
		for _, different := range []uint64{1, 3, 1 << 60} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = r.Uint64N(different)
			}
			for _, ascend := range []bool{false, true} {
				if ascend {
					slices.Sort(keys)
				}
				want := slices.Clone(keys)
				slices.Sort(want)
				got, all := slices.Clone(keys), testctx.NewPolled(0)
				if err := Sort(all, got); err != nil || !slices.Equal(got, want) {
					t.Fatalf("%d keys of %d: wrong order, %v", n, different, err)
				}
				if least := int64(n/piece) / 3; different > 3 && all.Polls() < least {
					t.Errorf("%d keys: %d looks at the context, want %d", n, all.Polls(), least)
				}
				for at := int64(1); at <= all.Polls(); at += 1 + all.Polls()/3 {
					ctx := testctx.NewPolled(at)
					if err := Sort(ctx, slices.Clone(keys)); !errors.Is(err, context.Canceled) || ctx.Late() > 0 {
						t.Fatalf("%d keys, ended at look %d: %v, and %d looks more", n, at, err, ctx.Late())
					}
				}
			}
		}
	}
}

// TestRows: ranges follow each other, and none has more than a piece but one row alone.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 4))
	for range 50 {
		offsets := []uint64{0}
		for range r.IntN(3 * piece / 1000 * 1000) {
			offsets = append(offsets, offsets[len(offsets)-1]+r.Uint64N(1+r.Uint64N([]uint64{1, 4, 100, piece}[r.IntN(4)])))
		}
		at := 0
		all := testctx.NewPolled(0)
		if err := Rows(all, offsets, func(lo, hi int) {
			if lo != at || hi <= lo || hi-lo > 1 && offsets[hi]-offsets[lo] > piece || hi-lo > piece {
				t.Fatalf("rows %d to %d of %d entries, after %d", lo, hi, offsets[hi]-offsets[lo], at)
			}
			at = hi
		}); err != nil || at != len(offsets)-1 {
			t.Fatalf("%d of %d rows: %v", at, len(offsets)-1, err)
		}
		if most := int64(len(offsets)/piece+2) + 2*int64(offsets[at]/piece) + 2; all.Polls() > most {
			t.Errorf("%d looks for %d entries of %d rows", all.Polls(), offsets[at], at)
		}
	}
	if err := Rows(t.Context(), nil, nil); err != nil {
		t.Error(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := Rows(ended, []uint64{0, 1}, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := Pieces(ended, 5, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
