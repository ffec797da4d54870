package hugepage

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const size = 2 << 20

// advise asks for huge pages from now on, and for those that are there already
// to be put together at once.
func advise(b []byte) {
	if inner := whole(b); inner != nil && unix.Madvise(inner, unix.MADV_HUGEPAGE) == nil {
		_ = unix.Madvise(inner, unix.MADV_COLLAPSE) // Linux 6.1 and later
	}
}

func expect(b []byte) {
	if inner := whole(b); inner != nil {
		_ = unix.Madvise(inner, unix.MADV_HUGEPAGE)
	}
}

// whole returns the whole huge pages of b, or nil.
func whole(b []byte) []byte {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	lo := (start + size - 1) &^ (size - 1)
	hi := (start + uintptr(len(b))) &^ (size - 1)
	if hi <= lo {
		return nil
	}
	return b[lo-start : hi-start]
}
