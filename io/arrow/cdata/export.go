//go:build cdata && cgo

// This file exports record batches and streams of them.

package cdata

// #include <stdlib.h>
// #include "export.h"
import "C"

import (
	"context"
	"fmt"
	"runtime/cgo"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/foray-graph/foray/internal/calls/callctx"
)

// ExportStream makes the struct ArrowArrayStream at that address, which is
// overwritten, a stream of the reader's records. The stream retains the reader
// until the consumer releases the stream; once ctx is done it fails. Records are
// copied into C's memory one at a time, as they are asked for. The reader must
// not be used by others meanwhile; the consumer may call from any thread, one
// call at a time.
//
// Columns are integers, floats, decimals, times, strings and binary, and lists of these: those of
// results and edges. Others are errors.ErrUnsupported, and nothing is written.
func ExportStream(ctx context.Context, r array.RecordReader, stream unsafe.Pointer) error {
	if err := callctx.Check(ctx, "cdata"); err != nil {
		return err
	}
	for _, f := range r.Schema().Fields() {
		if _, err := formatOf(f.Type); err != nil {
			return err
		}
	}
	r.Retain()
	C.foray_own_stream((*C.struct_ArrowArrayStream)(stream), C.uintptr_t(cgo.NewHandle(&source{ctx, r})))
	return nil
}

// ExportBatch makes the struct ArrowArray and struct ArrowSchema at those
// addresses, which are overwritten, a copy of the record. The consumer releases
// both. It has the same columns as ExportStream.
func ExportBatch(rec arrow.Record, array, schema unsafe.Pointer) error {
	if err := exportSchema(rec.Schema(), (*C.struct_ArrowSchema)(schema)); err != nil {
		return err
	}
	exportRecord(rec, (*C.struct_ArrowArray)(array))
	return nil
}

// source is what a stream gives.
type source struct {
	ctx context.Context
	r   array.RecordReader
}

// answer runs what a callback does and returns its error, which the stream
// frees, or nil. A panic must not continue into C.
func answer(do func() error) (message *C.char) {
	defer func() {
		if p := recover(); p != nil {
			message = C.CString(fmt.Sprint(p))
		}
	}()
	if err := do(); err != nil {
		return C.CString(err.Error())
	}
	return nil
}

//export forayStreamSchema
func forayStreamSchema(handle C.uintptr_t, out *C.struct_ArrowSchema) *C.char {
	s := cgo.Handle(handle).Value().(*source)
	return answer(func() error { return exportSchema(s.r.Schema(), out) })
}

//export forayStreamNext
func forayStreamNext(handle C.uintptr_t, out *C.struct_ArrowArray) *C.char {
	s := cgo.Handle(handle).Value().(*source)
	return answer(func() error {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if !s.r.Next() {
			return s.r.Err()
		}
		exportRecord(s.r.Record(), out)
		return nil
	})
}

//export forayStreamRelease
func forayStreamRelease(handle C.uintptr_t) {
	h := cgo.Handle(handle)
	s := h.Value().(*source)
	h.Delete()
	answer(func() error { s.r.Release(); return nil })
}

// exportSchema writes the columns as a struct.
func exportSchema(s *arrow.Schema, out *C.struct_ArrowSchema) error {
	for _, f := range s.Fields() {
		if _, err := formatOf(f.Type); err != nil {
			return fmt.Errorf("%w (column %.64q)", err, f.Name)
		}
	}
	C.foray_own_schema(out, C.int64_t(s.NumFields()))
	out.format, out.name, out.metadata = C.CString("+s"), C.CString(""), exportMetadata(s.Metadata())
	for i, child := range unsafe.Slice(out.children, s.NumFields()) {
		exportField(s.Field(i), child)
	}
	return nil
}

// exportField writes a column, whose type formatOf has a format for.
func exportField(f arrow.Field, out *C.struct_ArrowSchema) {
	format, _ := formatOf(f.Type)
	list, is := f.Type.(*arrow.ListType)
	if C.foray_own_schema(out, C.int64_t(len(elementsOf(f.Type)))); is {
		exportField(list.ElemField(), *out.children)
	}
	out.format, out.name, out.metadata = C.CString(format), C.CString(f.Name), exportMetadata(f.Metadata)
	if f.Nullable {
		out.flags = C.forayNullable
	}
}

// elementsOf returns the type of a list's elements, or none.
func elementsOf(t arrow.DataType) []arrow.DataType {
	if list, is := t.(*arrow.ListType); is {
		return []arrow.DataType{list.Elem()}
	}
	return nil
}

// exportRecord writes a record as a struct.
func exportRecord(rec arrow.Record, out *C.struct_ArrowArray) {
	cols := int(rec.NumCols())
	C.foray_own_array(out, 1, C.int64_t(cols)) // no row is null: buffer 0 is NULL
	out.length = C.int64_t(rec.NumRows())
	for i, child := range unsafe.Slice(out.children, cols) {
		exportArray(rec.Column(i).Data(), child)
	}
}

// exportArray copies an array of a type that formatOf has a format for. Of a
// slice the rows around it are left out.
func exportArray(d arrow.ArrayData, out *C.struct_ArrowArray) {
	kind, bufs := layoutOf(d.DataType()), d.Buffers()
	n := 2
	if kind == layoutOffsets32 || kind == layoutOffsets64 {
		n = 3
	}
	C.foray_own_array(out, C.int64_t(n), C.int64_t(len(elementsOf(d.DataType()))))
	// Bits are copied by the byte, so that up to seven rows come along.
	from, to := d.Offset()&^7, d.Offset()+d.Len()
	out.length, out.offset, out.null_count = C.int64_t(d.Len()), C.int64_t(d.Offset()-from), C.int64_t(d.NullN())
	put := func(i int, raw []byte) {
		copy(unsafe.Slice((*byte)(C.foray_buffer(out, C.int64_t(i), C.int64_t(len(raw)))), len(raw)), raw)
	}
	if bufs[0] != nil && bufs[0].Len() > 0 && d.NullN() != 0 {
		put(0, bufs[0].Bytes()[from/8:(to+7)/8])
	}
	var values []byte
	if bufs[1] != nil {
		values = bufs[1].Bytes()
	}
	switch kind {
	case layoutBits:
		put(1, values[from/8:(to+7)/8])
	case layoutFixed:
		width := widthOf(d.DataType())
		put(1, values[from*width:to*width])
	case layoutList:
		exportList(d, arrow.Int32Traits.CastFromBytes(values), from, to, *out.children, put)
	case layoutOffsets32:
		exportStrings(arrow.Int32Traits.CastFromBytes(values), bufs, from, to, put)
	case layoutOffsets64:
		exportStrings(arrow.Int64Traits.CastFromBytes(values), bufs, from, to, put)
	}
}
