// Package hugepage requests huge pages for large arrays. A traversal of a large graph touches a
// new page at almost every step. With pages of 4 KiB the translation of addresses costs as much as
// the loads.
package hugepage

import "unsafe"

// Min is the size in bytes below which Advise does nothing.
const Min = 4 << 20

// Advise requests huge pages for the array behind s. It is a hint: if the
// system can't provide them, nothing happens.
func Advise[T any](s []T) {
	if b := bytesOf(s); b != nil {
		advise(b)
	}
}

// Expect is Advise for an array that is about to be written for the first time:
// pages that are there already stay as they are, which takes no time.
func Expect[T any](s []T) {
	if b := bytesOf(s); b != nil {
		expect(b)
	}
}

// bytesOf returns the array behind s, or nil if it is too small.
func bytesOf[T any](s []T) []byte {
	var zero T
	bytes := uintptr(cap(s)) * unsafe.Sizeof(zero)
	if bytes < Min {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), bytes)
}
