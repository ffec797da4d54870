// Package pages returns the memory of used parts of a slice to the system while the slice keeps
// its addresses, so that it doesn't count while the next array is built. It also allocates large
// slices that are about to be written completely, without the time to clear them and touch their
// pages.
package pages

import (
	"strings"
	"unsafe"
)

// Release returns the whole pages behind s to the system, where the system takes
// them at once (Linux). The contents of s are lost, but s can be written again:
// the system maps new pages when they are touched. s must not hold pointers, and
// no goroutine may read or write it meanwhile.
func Release[T any](s []T) {
	var zero T
	if bytes := uintptr(len(s)) * unsafe.Sizeof(zero); bytes >= least {
		release(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), bytes))
	}
}

// least is the smallest page that there is.
const least = 4 << 10

// raw is the size in bytes from which Uncleared spares the clearing.
const raw = 64 << 10

// Uncleared is make for callers that write the whole slice before they read it: its
// contents are undefined. Clearing memory that the heap reuses takes one processor
// 0.1 s or more per gigabyte, and maps its pages one at a time.
func Uncleared[T int32 | uint32 | int64 | uint64 | float32 | float64](n int) []T {
	var zero T
	bytes := uintptr(n) * unsafe.Sizeof(zero)
	if n < 0 || bytes < raw || bytes/unsafe.Sizeof(zero) != uintptr(n) {
		return make([]T, n)
	}
	// strings.Builder.Grow is the only access that packages have to the runtime's
	// allocation without clearing. The string itself is never used.
	var b strings.Builder
	b.Grow(int(bytes))
	b.WriteByte(0)
	p := unsafe.StringData(b.String())
	if uintptr(unsafe.Pointer(p))%unsafe.Alignof(zero) != 0 {
		return make([]T, n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(p)), n)
}

// Populate maps the pages behind s before they are touched, as huge pages if
// hugepage.Expect requested them; their contents stay. Other goroutines may read and
// write s meanwhile. It needs Linux 5.14 and does nothing on other systems.
func Populate[T uint32 | uint64 | float32](s []T) {
	var zero T
	if bytes := uintptr(len(s)) * unsafe.Sizeof(zero); bytes >= least {
		populate(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), bytes))
	}
}
