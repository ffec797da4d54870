package pages

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Works is true if Release has an effect on this system.
const Works = true

func release(b []byte) {
	if inner := wholePages(b, uintptr(os.Getpagesize())); inner != nil {
		// An error means that the pages stay.
		_ = unix.Madvise(inner, unix.MADV_DONTNEED)
	}
}

func populate(b []byte) {
	if inner := wholePages(b, uintptr(os.Getpagesize())); inner != nil {
		// An error means that pages come when they are touched.
		_ = unix.Madvise(inner, unix.MADV_POPULATE_WRITE)
	}
}

// wholePages returns the whole pages of b, or nil.
func wholePages(b []byte, size uintptr) []byte {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	lo, hi := (start+size-1)&^(size-1), (start+uintptr(len(b)))&^(size-1)
	if lo >= hi {
		return nil
	}
	return b[lo-start : hi-start]
}
