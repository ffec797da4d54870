//go:build cdata && cgo

// This file holds reader, which reads what others export.

package cdata

// #include <errno.h>
// #include <stdlib.h>
// #include <string.h>
// #include "abi.h"
//
// static int foray_get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out) { return s->get_schema(s, out); }
// static int foray_get_next(struct ArrowArrayStream *s, struct ArrowArray *out) { return s->get_next(s, out); }
// static const char *foray_last_error(struct ArrowArrayStream *s) { return s->get_last_error(s); }
// static void foray_free_schema(struct ArrowSchema *x) { if (x && x->release) x->release(x); }
// static void foray_free_array(struct ArrowArray *x) { if (x && x->release) x->release(x); }
// static void foray_free_stream(struct ArrowArrayStream *x) { if (x && x->release) x->release(x); }
import "C"

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// reader is what ImportStream and ImportBatch return.
type reader struct {
	refs   atomic.Int64
	stream *C.struct_ArrowArrayStream // nil for a batch alone
	arr    *C.struct_ArrowArray       // of the present record
	schema *arrow.Schema
	rec    arrow.Record
	batch  bool // a batch alone, not yet given
	err    error
}

var _ array.RecordReader = (*reader)(nil)

// ImportStream returns a reader of the struct ArrowArrayStream at that address,
// which it takes over: the structure is marked as released, also where there is
// an error. The reader is the caller's, who releases it. It reads record batches where
// they are, and is for one goroutine at a time. A record is valid until the next call of
// Next and the last Release, also where it is retained: copy values to keep them.
//
// Columns of types that no edge is made of (lists, maps, unions and the like)
// are there by name, as columns of type null. The error is
// ErrReleased, ErrStream, ErrMalformed or errors.ErrUnsupported.
func ImportStream(stream unsafe.Pointer) (array.RecordReader, error) {
	from := (*C.struct_ArrowArrayStream)(stream)
	if from == nil || from.release == nil {
		return nil, fmt.Errorf("cdata: ArrowArrayStream: %w", ErrReleased)
	}
	r := newReader()
	r.stream = (*C.struct_ArrowArrayStream)(C.calloc(1, C.sizeof_struct_ArrowArrayStream))
	*r.stream = *from
	from.release = nil
	schema := (*C.struct_ArrowSchema)(C.calloc(1, C.sizeof_struct_ArrowSchema))
	defer C.free(unsafe.Pointer(schema))
	err := r.failed(C.foray_get_schema(r.stream, schema))
	if err == nil {
		r.schema, err = importSchema(schema)
	}
	if err != nil {
		r.Release()
		return nil, err
	}
	return r, nil
}

// ImportBatch returns a reader of the one record batch that the struct
// ArrowArray and struct ArrowSchema at those addresses are. It takes both over:
// they are marked as released, also where there is an error. All else is as
// with ImportStream.
func ImportBatch(batch, schema unsafe.Pointer) (array.RecordReader, error) {
	arr, sch := (*C.struct_ArrowArray)(batch), (*C.struct_ArrowSchema)(schema)
	if arr == nil || arr.release == nil || sch == nil || sch.release == nil {
		if arr != nil {
			C.foray_free_array(arr)
		}
		C.foray_free_schema(sch)
		return nil, fmt.Errorf("cdata: ArrowArray and ArrowSchema: %w", ErrReleased)
	}
	r := newReader()
	*r.arr = *arr
	arr.release = nil
	r.batch = true
	var err error
	if r.schema, err = importSchema(sch); err != nil {
		r.Release()
		return nil, err
	}
	return r, nil
}

func newReader() *reader {
	r := &reader{arr: (*C.struct_ArrowArray)(C.calloc(1, C.sizeof_struct_ArrowArray))}
	r.refs.Store(1)
	return r
}

// failed returns the error that a call of the stream's has given.
func (r *reader) failed(code C.int) error {
	if code == 0 {
		return nil
	}
	why := syscall.Errno(code).Error()
	if s := C.foray_last_error(r.stream); s != nil {
		why = C.GoString(s)
	}
	return fmt.Errorf("cdata: %w: %s", ErrStream, why)
}

// Schema returns the columns.
func (r *reader) Schema() *arrow.Schema { return r.schema }

// Record returns the present record, nil before the first and after the last.
func (r *reader) Record() arrow.Record { return r.rec }

// Err returns why Next ended early, or nil.
func (r *reader) Err() error { return r.err }

// Next goes to the next record, the one before being no longer valid. It reports
// false at the end, after an error, and after the last Release.
func (r *reader) Next() bool {
	if r.err != nil || r.arr == nil {
		return false
	}
	if r.batch {
		r.batch = false
	} else {
		r.drop()
		if r.stream == nil {
			return false
		}
		if r.err = r.failed(C.foray_get_next(r.stream, r.arr)); r.err != nil || r.arr.release == nil {
			return false
		}
	}
	r.rec, r.err = importRecord(r.arr, r.schema)
	return r.err == nil
}

// drop lets go of the present record.
func (r *reader) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
	C.foray_free_array(r.arr)
}

// Retain counts one more user.
func (r *reader) Retain() { r.refs.Add(1) }

// Release ends a use. The last one releases the record and the stream: what the
// other side has lent goes back at once.
func (r *reader) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	r.drop()
	C.free(unsafe.Pointer(r.arr))
	r.arr = nil
	if r.stream != nil {
		C.foray_free_stream(r.stream)
		C.free(unsafe.Pointer(r.stream))
		r.stream = nil
	}
}

// importSchema returns the columns of a schema, and releases it.
func importSchema(s *C.struct_ArrowSchema) (*arrow.Schema, error) {
	defer C.foray_free_schema(s)
	f, err := importField(s, 0)
	if err != nil {
		return nil, err
	}
	st, ok := f.Type.(*arrow.StructType)
	if !ok {
		return nil, fmt.Errorf("cdata: %w: record batches are structs, but this is %v", ErrMalformed, f.Type)
	}
	return arrow.NewSchema(st.Fields(), &f.Metadata), nil
}

// maxDepth bounds how deep structs may be nested.
const maxDepth = 64

// importField returns a schema as a field.
func importField(s *C.struct_ArrowSchema, depth int) (f arrow.Field, err error) {
	switch {
	case s == nil || s.release == nil && depth == 0:
		return f, fmt.Errorf("cdata: ArrowSchema: %w", ErrReleased)
	case s.format == nil || s.n_children < 0 || s.n_children > 0 && s.children == nil:
		return f, fmt.Errorf("cdata: %w: a schema without format or children", ErrMalformed)
	case depth > maxDepth:
		return f, fmt.Errorf("cdata: %w: structs nested more than %d deep", errUnsupported, maxDepth)
	}
	if s.name != nil {
		f.Name = C.GoString(s.name)
	}
	f.Nullable = s.flags&C.forayNullable != 0
	if f.Metadata, err = importMetadata(s.metadata); err != nil {
		return f, err
	}
	format := C.GoString(s.format)
	switch {
	case s.dictionary != nil:
		index, err := typeOf(format)
		if err != nil {
			return f, err
		}
		if index == nil || !arrow.IsInteger(index.ID()) {
			return f, fmt.Errorf("cdata: %w: column %.64q: indices of format %.64q", ErrMalformed, f.Name, format)
		}
		values, err := importField(s.dictionary, depth+1)
		if err != nil {
			return f, err
		}
		f.Type = &arrow.DictionaryType{IndexType: index, ValueType: values.Type, Ordered: s.flags&C.forayDictionaryOrdered != 0}
		switch values.Type.ID() {
		case arrow.STRUCT, arrow.DICTIONARY, arrow.NULL:
			f.Type = arrow.Null // as others that can't be read
		}
		return f, nil
	case format == "+s":
		var fields []arrow.Field
		for _, child := range unsafe.Slice(s.children, s.n_children) {
			field, err := importField(child, depth+1)
			if err != nil {
				return f, err
			}
			fields = append(fields, field)
		}
		f.Type = arrow.StructOf(fields...)
		return f, nil
	}
	if f.Type, err = typeOf(format); f.Type == nil && err == nil {
		f.Type, f.Nullable = arrow.Null, true
	}
	return f, err
}
