//go:build cdata && cgo

// This file makes Arrow's arrays over buffers that others own.

package cdata

// #include "abi.h"
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// importRecord returns the record batch of an array of a schema's columns. Its
// buffers stay where they are.
func importRecord(a *C.struct_ArrowArray, schema *arrow.Schema) (rec arrow.Record, err error) {
	defer func() { // Arrow panics on arrays that don't fit their type
		if p := recover(); p != nil {
			rec, err = nil, fmt.Errorf("cdata: %w: %v", ErrMalformed, p)
		}
	}()
	data, err := importData(a, arrow.StructOf(schema.Fields()...), 0)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	if data.NullN() > 0 {
		return nil, fmt.Errorf("cdata: %w: %d rows of a record batch are null", ErrMalformed, data.NullN())
	}
	st := array.NewStructData(data)
	defer st.Release()
	cols := make([]arrow.Array, st.NumField())
	for i := range cols {
		cols[i] = st.Field(i)
	}
	return array.NewRecord(schema, cols, int64(data.Len())), nil
}

// importData returns the data of an array of type t.
func importData(a *C.struct_ArrowArray, t arrow.DataType, depth int) (arrow.ArrayData, error) {
	switch {
	case a == nil || depth == 0 && a.release == nil:
		return nil, fmt.Errorf("cdata: ArrowArray: %w", ErrReleased)
	case a.length < 0 || a.offset < 0 || a.offset > math.MaxInt64/64-a.length || a.n_buffers < 0 || a.n_children < 0:
		return nil, fmt.Errorf("cdata: %w: an array of %d values from %d on, of %d buffers and %d children",
			ErrMalformed, a.length, a.offset, a.n_buffers, a.n_children)
	case a.n_buffers > 0 && a.buffers == nil, a.n_children > 0 && a.children == nil:
		return nil, fmt.Errorf("cdata: %w: an array without its buffers or children", ErrMalformed)
	}
	b := buffers{a: a, t: t, rows: int(a.offset + a.length)}
	n, offset, nulls := int(a.length), int(a.offset), int(a.null_count)
	if t.ID() == arrow.NULL { // of whatever type it was
		return array.NewData(t, n, []*memory.Buffer{nil}, nil, n, 0), nil
	}
	if a.n_buffers > 0 {
		b.valid()
	}
	if len(b.all) == 0 || b.all[0] == nil {
		nulls = 0
	}
	var children []arrow.ArrayData
	var dict arrow.ArrayData
	defer func() {
		for _, c := range children {
			c.Release()
		}
		if dict != nil {
			dict.Release()
		}
	}()
	switch t := t.(type) {
	case *arrow.StructType:
		if int(a.n_children) != t.NumFields() || a.n_buffers != 1 {
			return nil, fmt.Errorf("cdata: %w: a struct of %d columns has %d and %d buffers", ErrMalformed, t.NumFields(), a.n_children, a.n_buffers)
		}
		for i, c := range unsafe.Slice(a.children, a.n_children) {
			child, err := importData(c, t.Field(i).Type, depth+1)
			if err != nil {
				return nil, fmt.Errorf("column %.64q: %w", t.Field(i).Name, err)
			}
			children = append(children, child)
			if child.Len() < b.rows {
				return nil, fmt.Errorf("cdata: %w: column %.64q has %d values of %d", ErrMalformed, t.Field(i).Name, child.Len(), b.rows)
			}
		}
	case *arrow.DictionaryType:
		values, err := importData(a.dictionary, t.ValueType, depth+1)
		if err != nil {
			return nil, fmt.Errorf("dictionary: %w", err)
		}
		dict = values
		b.t = t.IndexType
		b.fixed(widthOf(t.IndexType))
	default:
		b.values()
	}
	if b.err != nil {
		return nil, b.err
	}
	if dict != nil {
		d := array.NewDataWithDictionary(t, n, b.all, nulls, offset, dict.(*array.Data))
		return d, checkIndices(d, t.(*arrow.DictionaryType).IndexType, dict.Len())
	}
	return array.NewData(t, n, b.all, children, nulls, offset), nil
}

// checkIndices reports indices past the dictionary's end.
func checkIndices(d arrow.ArrayData, index arrow.DataType, values int) error {
	plain := array.NewData(index, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset())
	defer plain.Release()
	arr := array.MakeFromData(plain)
	defer arr.Release()
	for i := range arr.Len() {
		if arr.IsNull(i) {
			continue
		}
		var at uint64
		switch a := arr.(type) {
		case *array.Int8:
			at = uint64(a.Value(i))
		case *array.Int16:
			at = uint64(a.Value(i))
		case *array.Int32:
			at = uint64(a.Value(i))
		case *array.Int64:
			at = uint64(a.Value(i))
		case *array.Uint8:
			at = uint64(a.Value(i))
		case *array.Uint16:
			at = uint64(a.Value(i))
		case *array.Uint32:
			at = uint64(a.Value(i))
		case *array.Uint64:
			at = a.Value(i)
		}
		if at >= uint64(values) {
			d.Release()
			return fmt.Errorf("cdata: %w: index %d of %d values", ErrMalformed, int64(at), values)
		}
	}
	return nil
}

// buffers wraps the buffers of an array, up to row rows.
type buffers struct {
	a    *C.struct_ArrowArray
	t    arrow.DataType
	rows int
	all  []*memory.Buffer
	err  error
}

func (b *buffers) malformed(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("cdata: %w: an array of type %v: %s", ErrMalformed, b.t, fmt.Sprintf(format, args...))
	}
}

// bytes returns buffer i, of which there must be so many bytes.
func (b *buffers) bytes(i, n int) []byte {
	if b.err != nil || i >= int(b.a.n_buffers) {
		b.malformed("it has %d buffers", b.a.n_buffers)
		return nil
	}
	p := unsafe.Slice(b.a.buffers, b.a.n_buffers)[i]
	switch {
	case n == 0:
		return nil
	case p == nil:
		b.malformed("buffer %d is missing", i)
		return nil
	}
	raw := unsafe.Slice((*byte)(p), n)
	if uintptr(p)%8 != 0 {
		raw = append(make([]byte, 0, n), raw...) // values must be aligned
	}
	return raw
}

func (b *buffers) add(raw []byte) { b.all = append(b.all, memory.NewBufferBytes(raw)) }

// valid adds the bitmap of the values that aren't null, which may be left out.
func (b *buffers) valid() {
	if unsafe.Slice(b.a.buffers, b.a.n_buffers)[0] == nil || b.rows == 0 {
		if b.a.null_count > 0 {
			b.malformed("%d values are null, but none is said to be", b.a.null_count)
		}
		b.all = append(b.all, nil)
		return
	}
	b.add(b.bytes(0, (b.rows+7)/8))
}

func (b *buffers) fixed(width int) {
	if width > 0 && b.rows > math.MaxInt/width {
		b.malformed("%d values", b.rows)
		return
	}
	b.add(b.bytes(1, b.rows*width))
}

// values adds all but the validity.
func (b *buffers) values() {
	switch layoutOf(b.t) {
	case layoutBits:
		b.add(b.bytes(1, (b.rows+7)/8))
	case layoutFixed:
		b.fixed(widthOf(b.t))
	case layoutOffsets32:
		addOffsets[int32](b)
	case layoutOffsets64:
		addOffsets[int64](b)
	case layoutViews:
		b.fixed(16)
		n := int(b.a.n_buffers) - 3 // between validity, views and lengths
		if n < 0 {
			b.malformed("it has %d buffers", b.a.n_buffers)
			return
		}
		lengths := b.bytes(2+n, 8*n)
		for i := range n {
			if b.err != nil {
				return
			}
			size := *(*int64)(unsafe.Pointer(&lengths[8*i]))
			if size < 0 {
				b.malformed("buffer %d has %d bytes", i+2, size)
				return
			}
			b.add(b.bytes(2+i, int(size)))
		}
	}
}

// addOffsets adds the offsets, which must ascend, and the bytes that they
// lead to.
func addOffsets[T int32 | int64](b *buffers) {
	var zero T
	if b.rows == 0 {
		b.add(make([]byte, unsafe.Sizeof(zero)))
		b.add(nil)
		return
	}
	raw := b.bytes(1, (b.rows+1)*int(unsafe.Sizeof(zero)))
	if b.err != nil {
		return
	}
	offsets := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), b.rows+1)
	for i, at := range offsets[1:] {
		if offsets[0] < 0 || at < offsets[i] {
			b.malformed("offsets descend at value %d", i)
			return
		}
	}
	b.add(raw)
	b.add(b.bytes(2, int(offsets[b.rows])))
}
