package hugepage

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

const size = 2 << 20

// advise requests huge pages from now on, and merges existing pages into
// huge ones at once.
func advise(b []byte) {
	if inner := wholePages(b, size); inner != nil && unix.Madvise(inner, unix.MADV_HUGEPAGE) == nil {
		_ = unix.Madvise(inner, unix.MADV_COLLAPSE) // Linux 6.1 and later
	}
}

// expect covers whole pages: one huge page may be part of two arrays that requested huge pages.
func expect(b []byte) {
	if inner := wholePages(b, uintptr(os.Getpagesize())); inner != nil {
		_ = unix.Madvise(inner, unix.MADV_HUGEPAGE)
	}
}

// wholePages returns the whole pages of a size in b, or nil.
func wholePages(b []byte, size uintptr) []byte {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	lo := (start + size - 1) &^ (size - 1)
	hi := (start + uintptr(len(b))) &^ (size - 1)
	if hi <= lo {
		return nil
	}
	return b[lo-start : hi-start]
}
