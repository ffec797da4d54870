package hugepage

import (
	"strings"
	"unsafe"
)

// Make returns memory for an array that the caller writes all of, as Expect has it. Nobody clears it: of memory that
// was used before that takes as long as a copy, and looks at no context.
func Make[T uint8 | uint32 | float32 | uint64](n int) []T {
	var zero T
	if bytes := n * int(unsafe.Sizeof(zero)); bytes >= Min {
		var b strings.Builder // the one way to such memory, which is that of the garbage collector, aligned to a page
		b.Grow(bytes)
		b.WriteByte(0)
		s := unsafe.Slice((*T)(unsafe.Pointer(unsafe.StringData(b.String()))), n)
		Expect(s)
		return s
	}
	return make([]T, n)
}
