package hugepage_test

import (
	"testing"

	"github.com/foray-graph/foray/internal/osmem/hugepage"
)

func check[T int32 | uint64 | [4]uint32](t *testing.T, n int, value func(int) T) {
	t.Helper()
	s := make([]T, n)
	for i := range s {
		s[i] = value(i)
	}
	for lo := range min(3, n+1) { // slices that start anywhere
		hugepage.Expect(s[lo:])
		hugepage.Advise(s[lo:])
		hugepage.Advise(s[lo:lo]) // the array behind counts, not the length
	}
	for i := range s {
		if s[i] != value(i) {
			t.Fatalf("element %d of %d has changed", i, n)
		}
	}
	for i := range s {
		s[i] = value(i + 1)
	}
}

// TestAdvise: arrays below, at and above the size from which something is
// asked for hold what they held, and can be written.
func TestAdvise(t *testing.T) {
	hugepage.Advise[int32](nil)
	hugepage.Advise([]uint64{})
	hugepage.Expect[int32](nil)
	for _, bytes := range []int{16, hugepage.Min - 16, hugepage.Min, hugepage.Min + 16, 3*hugepage.Min + 4096} {
		check(t, bytes/4, func(i int) int32 { return int32(i * 7) })
		check(t, bytes/8, func(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 })
		check(t, bytes/16, func(i int) [4]uint32 { return [4]uint32{uint32(i), 1, 2, uint32(-i)} })
	}
}
