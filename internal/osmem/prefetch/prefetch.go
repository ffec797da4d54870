// Package prefetch issues prefetch instructions. A load that misses all caches blocks the
// instructions after it after a dozen steps, even if its address is known early; a prefetch blocks
// nothing.
//
// On architectures without an assembly version, the functions do nothing.
package prefetch

import "unsafe"

// Ell4 prefetches rows[v] for every v of vs. Every v must be an index of rows.
func Ell4(rows [][4]uint32, vs []uint32) {
	if len(vs) > 0 && len(rows) > 0 {
		index16(&rows[0], &vs[0], len(vs))
	}
}

// Eights prefetches the beginning of rows[v] for every v of vs. Every v must be an index of rows.
func Eights[T [8]uint32 | [4]float64](rows []T, vs []uint32) {
	if len(vs) > 0 && len(rows) > 0 {
		index32(unsafe.Pointer(&rows[0]), &vs[0], len(vs))
	}
}

// Row is operators.Row, of 1 edge at least.
type Row interface {
	~struct {
		First  uint64
		Source uint32
		Len    uint32
	}
}

// Ends prefetches the elements for the sources and targets of rows, in an array of 4-byte elements at base.
func Ends[R Row](base uintptr, rows []R, targets []uint32) {
	if len(rows) > 0 && len(targets) > 0 {
		ends(base, unsafe.Pointer(&rows[0]), &targets[0], len(rows))
	}
}

// Ends64 is Ends of an array of 8-byte elements.
func Ends64[R Row](base uintptr, rows []R, targets []uint32) {
	if len(rows) > 0 && len(targets) > 0 {
		ends64(base, unsafe.Pointer(&rows[0]), &targets[0], len(rows))
	}
}

// Offsets prefetches offsets[v] for every v of vs. Every v must be an index of
// offsets.
func Offsets(offsets []uint64, vs []uint32) {
	if len(vs) > 0 && len(offsets) > 0 {
		index8(&offsets[0], &vs[0], len(vs))
	}
}

// Write4 prefetches a[v] for writing, for every v of vs. Every v must be an
// index of a.
func Write4[T ~int32 | ~uint32](a []T, vs []uint32) {
	if len(vs) > 0 && len(a) > 0 {
		write4((*uint32)(unsafe.Pointer(&a[0])), &vs[0], len(vs))
	}
}

// Seconds prefetches the second target of the row of every v of vs: it is
// targets[offsets[v]+1]. Every v must be an index of offsets, which are read; a row
// may have fewer targets.
func Seconds(targets []uint32, offsets []uint64, vs []uint32) {
	if len(vs) > 0 && len(targets) > 0 && len(offsets) > 0 {
		seconds(&targets[0], &offsets[0], &vs[0], len(vs))
	}
}
