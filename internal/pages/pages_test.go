package pages_test

import (
	"testing"

	"github.com/foray-graph/foray/internal/pages"
)

// TestRelease: what lies beside the slice stays, and the slice can be written
// to again.
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
