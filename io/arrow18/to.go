// This file holds how arrays, records and readers of v15 become v18's.

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

// ToReader returns v18's reader of the records that r gives, which it retains
// until it is released itself. A record is valid until the next call of Next;
// retain it to keep it longer. Errors wrap ErrType or ErrArray; Err returns those
// of records, and r's.
func ToReader(r array15.RecordReader) (array18.RecordReader, error) {
	if r == nil {
		return nil, fmt.Errorf("%w: no reader", ErrArray)
	}
	schema, err := ToSchema(r.Schema())
	if err != nil {
		return nil, err
	}
	r.Retain()
	reader := &toReader{in: r, schema: schema}
	reader.refs.Store(1)
	return reader, nil
}

// ToRecord returns v18's record of the same rows. The caller releases it.
// Errors wrap ErrType or ErrArray.
func ToRecord(r v15.Record) (to v18.RecordBatch, err error) {
	if r == nil {
		return nil, fmt.Errorf("%w: no record", ErrArray)
	}
	schema, err := ToSchema(r.Schema())
	if err != nil {
		return nil, err
	}
	defer guard(&err)
	cols := make([]v18.Array, 0, r.NumCols())
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, c := range r.Columns() {
		col, err := toArray(c, schema.Field(i).Type)
		if err != nil {
			return nil, in(r.ColumnName(i), err)
		}
		cols = append(cols, col)
	}
	return array18.NewRecordBatch(schema, cols, r.NumRows()), nil
}

// ToArray returns v18's array of the same values. The caller releases it.
// Errors wrap ErrType or ErrArray.
func ToArray(a v15.Array) (to v18.Array, err error) {
	defer guard(&err)
	if a == nil {
		return nil, fmt.Errorf("%w: no array", ErrArray)
	}
	field, err := toField(v15.Field{Type: a.DataType()})
	if err != nil {
		return nil, err
	}
	return toArray(a, field.Type)
}

func toArray(a v15.Array, t v18.DataType) (to v18.Array, err error) {
	defer guard(&err)
	data, err := toData(a.Data(), t)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return array18.MakeFromData(data), nil
}

// toData makes the data of an array of v18's type t, which stands for its own.
func toData(d v15.ArrayData, t v18.DataType) (*array18.Data, error) {
	storage := t
	if ext, ok := t.(v18.ExtensionType); ok {
		storage = ext.StorageType()
	}
	buffers := make([]*memory18.Buffer, len(d.Buffers()))
	for i, b := range d.Buffers() {
		if b != nil {
			b.Retain()
			buffers[i] = memory18.NewBufferWithAllocator(b.Bytes(), toOwner{b})
			defer buffers[i].Release()
		}
	}
	var types []v18.Field
	if nested, ok := storage.(v18.NestedType); ok {
		types = nested.Fields()
	}
	if len(types) != len(d.Children()) {
		return nil, fmt.Errorf("%w: %d children of %v", ErrArray, len(d.Children()), storage)
	}
	var children []v18.ArrayData
	for i, c := range d.Children() {
		child, err := toData(c, types[i].Type)
		if err != nil {
			return nil, err
		}
		defer child.Release()
		children = append(children, child)
	}
	data := array18.NewData(t, d.Len(), buffers, children, d.NullN(), d.Offset())
	if dictionary, ok := storage.(*v18.DictionaryType); ok {
		values, err := toData(d.Dictionary(), dictionary.ValueType)
		if err != nil {
			data.Release()
			return nil, err
		}
		defer values.Release()
		data.SetDictionary(values)
	}
	return data, nil
}

// toOwner is the allocator of a buffer of v18's that has the memory of one of
// v15's: what it frees is the reference to that.
type toOwner struct{ buffer *memory15.Buffer }

func (o toOwner) Free([]byte) { o.buffer.Release() }

// Allocate and Reallocate are for buffers that grow; shared ones never do.
func (o toOwner) Allocate(size int) []byte { return make([]byte, size) }

func (o toOwner) Reallocate(size int, b []byte) []byte {
	return append(make([]byte, 0, size), b[:min(size, len(b))]...)[:size]
}

// toReader is v18's reader of v15's records.
type toReader struct {
	refs   atomic.Int64
	in     array15.RecordReader
	schema *v18.Schema
	rec    v18.RecordBatch
	err    error
}

func (r *toReader) Retain() { r.refs.Add(1) }

func (r *toReader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.in.Release()
	}
}

// drop releases the record that the reader is at.
func (r *toReader) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
}

func (r *toReader) Schema() *v18.Schema { return r.schema }

func (r *toReader) RecordBatch() v18.RecordBatch { return r.rec }

// Record is RecordBatch by its older name, which the interface has too.
func (r *toReader) Record() v18.RecordBatch { return r.rec }

func (r *toReader) Next() bool {
	r.drop()
	if r.err != nil || !r.in.Next() {
		return false
	}
	r.rec, r.err = ToRecord(r.in.Record())
	return r.err == nil
}

func (r *toReader) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.in.Err()
}
