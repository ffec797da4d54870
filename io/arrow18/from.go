// This file holds how arrays, records and readers of v18 become v15's.

package arrow18

import (
	"fmt"
	"sync/atomic"

	v18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	memory18 "github.com/apache/arrow-go/v18/arrow/memory"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
	memory15 "github.com/apache/arrow/go/v15/arrow/memory"
)

// FromReader returns v15's reader of the records that r gives, which it retains
// until it is released itself. A record is valid until the next call of Next;
// retain it to keep it longer. Errors wrap ErrType or ErrArray; Err returns those
// of records, and r's.
func FromReader(r array18.RecordReader) (array15.RecordReader, error) {
	if r == nil {
		return nil, fmt.Errorf("%w: no reader", ErrArray)
	}
	schema, err := FromSchema(r.Schema())
	if err != nil {
		return nil, err
	}
	r.Retain()
	reader := &fromReader{in: r, schema: schema}
	reader.refs.Store(1)
	return reader, nil
}

// FromRecord returns v15's record of the same rows. The caller releases it.
// Errors wrap ErrType or ErrArray.
func FromRecord(r v18.RecordBatch) (to v15.Record, err error) {
	if r == nil {
		return nil, fmt.Errorf("%w: no record", ErrArray)
	}
	schema, err := FromSchema(r.Schema())
	if err != nil {
		return nil, err
	}
	defer guard(&err)
	cols := make([]v15.Array, 0, r.NumCols())
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, c := range r.Columns() {
		col, err := fromArray(c, schema.Field(i).Type)
		if err != nil {
			return nil, in(r.ColumnName(i), err)
		}
		cols = append(cols, col)
	}
	return array15.NewRecord(schema, cols, r.NumRows()), nil
}

// FromArray returns v15's array of the same values. The caller releases it.
// Errors wrap ErrType or ErrArray.
func FromArray(a v18.Array) (to v15.Array, err error) {
	defer guard(&err)
	if a == nil {
		return nil, fmt.Errorf("%w: no array", ErrArray)
	}
	field, err := fromField(v18.Field{Type: a.DataType()})
	if err != nil {
		return nil, err
	}
	return fromArray(a, field.Type)
}

func fromArray(a v18.Array, t v15.DataType) (to v15.Array, err error) {
	defer guard(&err)
	data, err := fromData(a.Data(), t)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return array15.MakeFromData(data), nil
}

// fromData makes the data of an array of v15's type t, which stands for its own.
func fromData(d v18.ArrayData, t v15.DataType) (*array15.Data, error) {
	storage := t
	if ext, ok := t.(v15.ExtensionType); ok {
		storage = ext.StorageType()
	}
	buffers := make([]*memory15.Buffer, len(d.Buffers()))
	for i, b := range d.Buffers() {
		if b != nil {
			b.Retain()
			buffers[i] = memory15.NewBufferWithAllocator(b.Bytes(), fromOwner{b})
			defer buffers[i].Release()
		}
	}
	var types []v15.Field
	if nested, ok := storage.(v15.NestedType); ok {
		types = nested.Fields()
	}
	if len(types) != len(d.Children()) {
		return nil, fmt.Errorf("%w: %d children of %v", ErrArray, len(d.Children()), storage)
	}
	var children []v15.ArrayData
	for i, c := range d.Children() {
		child, err := fromData(c, types[i].Type)
		if err != nil {
			return nil, err
		}
		defer child.Release()
		children = append(children, child)
	}
	data := array15.NewData(t, d.Len(), buffers, children, d.NullN(), d.Offset())
	if dictionary, ok := storage.(*v15.DictionaryType); ok {
		values, err := fromData(d.Dictionary(), dictionary.ValueType)
		if err != nil {
			data.Release()
			return nil, err
		}
		defer values.Release()
		data.SetDictionary(values)
	}
	return data, nil
}

// fromOwner is the allocator of a buffer of v15's that has the memory of one of
// v18's: what it frees is the reference to that.
type fromOwner struct{ buffer *memory18.Buffer }

func (o fromOwner) Free([]byte) { o.buffer.Release() }

// Allocate and Reallocate are for buffers that grow; shared ones never do.
func (o fromOwner) Allocate(size int) []byte { return make([]byte, size) }

func (o fromOwner) Reallocate(size int, b []byte) []byte {
	return append(make([]byte, 0, size), b[:min(size, len(b))]...)[:size]
}

// fromReader is v15's reader of v18's records.
type fromReader struct {
	refs   atomic.Int64
	in     array18.RecordReader
	schema *v15.Schema
	rec    v15.Record
	err    error
}

func (r *fromReader) Retain() { r.refs.Add(1) }

func (r *fromReader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.in.Release()
	}
}

// drop releases the record that the reader is at.
func (r *fromReader) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
}

func (r *fromReader) Schema() *v15.Schema { return r.schema }
func (r *fromReader) Record() v15.Record  { return r.rec }

func (r *fromReader) Next() bool {
	r.drop()
	if r.err != nil || !r.in.Next() {
		return false
	}
	r.rec, r.err = FromRecord(r.in.RecordBatch())
	return r.err == nil
}

func (r *fromReader) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.in.Err()
}
