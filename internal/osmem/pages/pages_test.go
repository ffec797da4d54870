package pages_test

import (
	"runtime"
	"testing"

	"github.com/foray-graph/foray/internal/osmem/pages"
)

// TestRelease checks that memory outside the slice keeps its contents, and that
// the slice can be written again.
func TestRelease(t *testing.T) {
	pages.Release[uint64](nil)
	all := make([]uint64, 1<<16)
	for _, at := range [][2]int{{0, 0}, {3, 4}, {100, 700}, {1, 511}, {512, 1024}, {1000, 65000}, {0, 1 << 16}} {
		for i := range all {
			all[i] = uint64(i) + 1
		}
		pages.Release(all[at[0]:at[1]])
		for i, x := range all {
			if inside := i >= at[0] && i < at[1]; x != uint64(i)+1 && (!inside || x != 0) {
				t.Fatalf("released %v: element %d is %d", at, i, x)
			}
		}
		for i := range all {
			all[i] = 7
		}
		for i, x := range all {
			if x != 7 {
				t.Fatalf("released %v: element %d is %d after it was written", at, i, x)
			}
		}
	}
}

// TestUncleared: slices of any length can be written whole, also where the memory
// was in use before, and keep what is in them while their pages are populated and
// the collector runs.
func TestUncleared(t *testing.T) {
	if len(pages.Uncleared[uint32](0)) != 0 {
		t.Error("0 entries")
	}
	pages.Populate[uint64](nil)
	for _, n := range []int{1, 3, 1000, 1 << 13, 1<<14 + 1, 1 << 19, 3<<20 + 7} {
		for range 3 {
			narrow, wide := pages.Uncleared[uint32](n), pages.Uncleared[uint64](n)
			if len(narrow) != n || len(wide) != n {
				t.Fatalf("%d and %d entries of %d", len(narrow), len(wide), n)
			}
			for i := range narrow {
				narrow[i], wide[i] = uint32(i*7), uint64(i)*0x9e3779b97f4a7c15
			}
			done := make(chan struct{})
			go func() {
				pages.Populate(narrow)
				pages.Populate(wide[n/3:])
				close(done)
			}()
			runtime.GC()
			for i := range narrow {
				if narrow[i] != uint32(i*7) || wide[i] != uint64(i)*0x9e3779b97f4a7c15 {
					t.Fatalf("entry %d of %d has changed", i, n)
				}
			}
			<-done
		}
	}
}
