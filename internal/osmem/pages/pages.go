// Package pages returns the memory of used parts of a slice to the system while the slice keeps
// its addresses, so that it doesn't count while the next array is built. It also allocates large
// slices that are about to be written completely, without the time to clear them and touch their
// pages.
package pages

import "unsafe"

// Release gives back the whole pages behind s, where the system takes them at
// once (Linux). What s holds is lost, but s can be written to again: its pages
// come back when they are touched. s must not hold pointers, and nobody may
// read it, or write to it, meanwhile.
func Release[T any](s []T) {
	var zero T
	if bytes := uintptr(len(s)) * unsafe.Sizeof(zero); bytes >= least {
		release(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), bytes))
	}
}

// least is the smallest page that there is.
const least = 4 << 10
