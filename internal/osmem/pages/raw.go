package pages

import (
	"strings"
	"unsafe"
)

// raw is the size in bytes from which Uncleared spares the clearing.
const raw = 64 << 10

// Uncleared is make for whoever writes all of the slice before reading it: what it
// holds is anything. Clearing memory that the heap uses again takes one processor
// 0.1 s and more a gigabyte, and puts its pages there one at a time.
func Uncleared[T uint32 | uint64 | int64 | float32](n int) []T {
	var zero T
	bytes := uintptr(n) * unsafe.Sizeof(zero)
	if n < 0 || bytes < raw || bytes/unsafe.Sizeof(zero) != uintptr(n) {
		return make([]T, n)
	}
	// Growing a Builder is the one way to the runtime's allocation without
	// clearing that isn't closed to packages. Nobody has the string.
	var b strings.Builder
	b.Grow(int(bytes))
	b.WriteByte(0)
	p := unsafe.StringData(b.String())
	if uintptr(unsafe.Pointer(p))%unsafe.Alignof(zero) != 0 {
		return make([]T, n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(p)), n)
}

// Populate has the pages behind s there before they are touched, huge ones where
// those were asked for (hugepage.Expect); what they hold stays. Others may read and
// write s meanwhile. Where the system can't, nothing happens (it takes Linux 5.14).
func Populate[T uint32 | uint64](s []T) {
	var zero T
	if bytes := uintptr(len(s)) * unsafe.Sizeof(zero); bytes >= least {
		populate(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), bytes))
	}
}
