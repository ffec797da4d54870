// This file copies integers as files have them, little-endian, into vectors.

package columnar

import (
	"encoding/binary"
	"unsafe"
)

// CopyInts fills dst with little-endian integers.
func CopyInts(dst []int64, data []byte) {
	if len(dst) == 0 {
		return
	}
	to := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst)*8)
	copy(to, data[:len(to)])
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint64(to[i*8:]))
		}
	}
}
