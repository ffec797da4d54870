package filter_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
)

// internal/testing/conformance tests Keep on every device.

func odd(_ operators.Worker, in, out []uint32) int {
	k := 0
	for _, v := range in {
		out[k] = v
		k += int(v & 1)
	}
	return k
}

// TestKeepSizes: queues and bitmaps of every size around what workers claim.
func TestKeepSizes(t *testing.T) {
	for _, workers := range workerCounts() {
		for _, n := range sizes() {
			b := newBench(t, context.Background(), n, workers)
			var odds, all []uint32
			for v := range uint32(n) {
				all = append(all, v)
				if v&1 == 1 {
					odds = append(odds, v)
				}
			}
			for _, form := range []frontier.Form{frontier.Queue, frontier.Bitmap} {
				b.load(form, all, nil)
				must(t, b.f.Keep(b.fr, filter.Func(odd)))
				if got := b.fr.Vertices(); b.fr.Form() != form || b.fr.Len() != len(odds) || !slices.Equal(got, odds) {
					t.Fatalf("%d workers, keep of a %s of %d: %d left, want %d", workers, form, n, len(got), len(odds))
				}
			}
		}
	}
}

// TestKeepBitmapNonsense: a predicate that breaks its promise is an error, the bitmap is empty,
// and the Filterer works afterwards.
func TestKeepBitmapNonsense(t *testing.T) {
	for _, workers := range []int{1, 3} {
		b := newBench(t, context.Background(), 20_000, workers)
		all := make([]uint32, 20_000)
		for v := range all {
			all[v] = uint32(v)
		}
		for what, p := range map[string]func(w operators.Worker, in, out []uint32) int{
			"-1":            func(_ operators.Worker, in, _ []uint32) int { return -1 },
			"one more":      func(_ operators.Worker, in, _ []uint32) int { return len(in) + 1 },
			"another order": func(_ operators.Worker, in, out []uint32) int { slices.Reverse(out[:copy(out, in)]); return len(in) },
			"no vertex":     func(_ operators.Worker, in, out []uint32) int { out[0] = 20_000; return 1 },
			"another one":   func(_ operators.Worker, in, out []uint32) int { out[0] = (in[0] + 10_000) % 20_000; return 1 },
		} {
			b.load(frontier.Bitmap, all, nil)
			if err := b.f.Keep(b.fr, filter.Func(p)); !errors.Is(err, operators.ErrFunctor) || b.fr.Len() != 0 || len(b.fr.Vertices()) != 0 {
				t.Errorf("%d workers, keep of a bitmap, %s: %d left, %v", workers, what, b.fr.Len(), err)
			}
		}
		b.load(frontier.Bitmap, all, nil)
		must(t, b.f.Keep(b.fr, filter.Func(odd)))
		if b.fr.Len() != 10_000 {
			t.Errorf("after faults: %d vertices", b.fr.Len())
		}
	}
}

// TestKeepBitmapAllocatesNothing, once there is room.
func TestKeepBitmapAllocatesNothing(t *testing.T) {
	b := newBench(t, context.Background(), 200_000, 2)
	all := make([]uint32, 200_000)
	for v := range all {
		all[v] = uint32(v)
	}
	b.load(frontier.Bitmap, all, nil)
	if allocs := testing.AllocsPerRun(10, func() { must(t, b.f.Keep(b.fr, filter.Func(odd))) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
