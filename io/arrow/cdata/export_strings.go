//go:build cdata && cgo

// This file exports strings and binary, and lists.

package cdata

// #include "export.h"
import "C"

import (
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
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

// exportList puts the offsets from row from to row to, counted from the first of them, and the elements that they lead to.
func exportList(d arrow.ArrayData, offsets []int32, from, to int, elements *C.struct_ArrowArray, put func(i int, raw []byte)) {
	moved := make([]int32, to-from+1)
	first, last := int32(0), int32(0)
	if len(offsets) > to {
		first, last = offsets[from], offsets[to]
		for i := range moved {
			moved[i] = offsets[from+i] - first
		}
	}
	put(1, arrow.Int32Traits.CastToBytes(moved))
	child := d.Children()[0]
	some := array.NewSliceData(child, int64(first), int64(last))
	defer some.Release()
	exportArray(some, elements)
}
