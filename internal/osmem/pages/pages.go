// Package pages returns the memory of used parts of a slice to the system while the slice keeps
// its addresses, so that it doesn't count while the next array is built. It also allocates large
// slices that are about to be written completely, without the time to clear them and touch their
// pages.
package pages

import "unsafe"

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
