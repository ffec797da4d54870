package pages

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Works says whether Release does anything.
const Works = true

func release(b []byte) {
	size := uintptr(os.Getpagesize())
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	lo, hi := (start+size-1)&^(size-1), (start+uintptr(len(b)))&^(size-1)
	if lo < hi {
		// An error means that the pages stay.
		_ = unix.Madvise(b[lo-start:hi-start], unix.MADV_DONTNEED)
	}
}
