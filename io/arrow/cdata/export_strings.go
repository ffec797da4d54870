//go:build cdata && cgo

// This file exports strings and binary.

package cdata

import (
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// exportStrings puts the offsets from row from to row to, counted from the first
// of them, and the bytes that they lead to.
func exportStrings[T int32 | int64](offsets []T, bufs []*memory.Buffer, from, to int, put func(i int, raw []byte)) {
	moved := make([]T, to-from+1)
	var data []byte
	if len(offsets) > to {
		first, last := offsets[from], offsets[to]
		for i := range moved {
			moved[i] = offsets[from+i] - first
		}
		if last > first {
			data = bufs[2].Bytes()[first:last]
		}
	}
	var zero T
	put(1, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(moved))), len(moved)*int(unsafe.Sizeof(zero))))
	put(2, data)
}
