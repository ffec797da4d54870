// This file holds how columns become arrays of Arrow.

package write

import (
	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// recordMaker makes record batches of batches. Their buffers come from the
// allocator and belong to the records, which must be released.
type recordMaker struct {
	mem     memory.Allocator
	schema  *goarrow.Schema
	fields  []outField
	buffers []*memory.Buffer // of the record being made
}

// record makes a record of rows lo to hi. An allocator that panics, as one with
// a limit may, leaves nothing behind.
func (m *recordMaker) record(b *outBatch, lo, hi int) goarrow.Record {
	defer func() {
		for _, buffer := range m.buffers {
			buffer.Release() // arrays have retained what is in them
		}
		m.buffers = m.buffers[:0]
	}()
	data := make([]goarrow.ArrayData, len(m.fields))
	defer func() {
		for _, d := range data {
			if d != nil {
				d.Release()
			}
		}
	}()
	columns := make([]goarrow.Array, len(m.fields))
	for i := range m.fields {
		data[i] = m.column(&m.fields[i], &b.cols[i], lo, hi)
	}
	for i := range columns {
		columns[i] = array.MakeFromData(data[i])
		defer columns[i].Release()
	}
	return array.NewRecord(m.schema, columns, int64(hi-lo))
}

// buffer returns a buffer of n bytes, whose contents are whatever they are.
func (m *recordMaker) buffer(n int) *memory.Buffer {
	b := memory.NewResizableBuffer(m.mem)
	m.buffers = append(m.buffers, b)
	b.Resize(n)
	return b
}

// column makes the data of rows lo to hi.
func (m *recordMaker) column(f *outField, c *outColumn, lo, hi int) goarrow.ArrayData {
	n, nulls := hi-lo, 0
	var bits *memory.Buffer
	if len(c.valid) > 0 {
		bits, nulls = m.bits(n, func(i int) bool { return c.valid[lo+i] })
		nulls = n - nulls
	}
	if !f.list {
		buffers := append([]*memory.Buffer{bits}, m.values(f.typ, c, lo, hi)...)
		return array.NewData(f.typ.arrow(), n, buffers, nil, nulls, 0)
	}
	from, to := c.elements(lo, hi)
	offsets := m.buffer(4 * (n + 1))
	out := goarrow.Int32Traits.CastFromBytes(offsets.Bytes())
	for i := range out {
		out[i] = c.offsets[lo+i] - c.offsets[lo]
	}
	values := array.NewData(f.typ.arrow(), to-from, append([]*memory.Buffer{nil}, m.values(f.typ, c, from, to)...), nil, 0, 0)
	defer values.Release()
	return array.NewData(f.arrow().Type, n, []*memory.Buffer{bits, offsets}, []goarrow.ArrayData{values}, nulls, 0)
}

// bits makes a bitmap of n bits, and returns how many of them are set.
func (m *recordMaker) bits(n int, set func(i int) bool) (b *memory.Buffer, ones int) {
	b = m.buffer((n + 7) / 8)
	out := b.Bytes()
	clear(out)
	for i := range n {
		if set(i) {
			out[i/8] |= 1 << (i % 8)
			ones++
		}
	}
	return b, ones
}

// values makes the buffers of values lo to hi.
func (m *recordMaker) values(t outType, c *outColumn, lo, hi int) []*memory.Buffer {
	switch {
	case t.kind == kindFixed:
		b := m.buffer(int(t.wide) * (hi - lo))
		c.fixedValues(t, b.Bytes(), lo, hi)
		return []*memory.Buffer{b}
	case t.kind == kindDecimal:
		b := m.buffer(16 * (hi - lo))
		c.fixedValues(t, b.Bytes(), lo, hi)
		return []*memory.Buffer{b}
	case t.text():
		total := 0
		for _, x := range c.bytes[lo:hi] {
			total += len(x)
		}
		offsets, values := m.buffer(4*(hi-lo+1)), m.buffer(total)
		out, data, end := goarrow.Int32Traits.CastFromBytes(offsets.Bytes()), values.Bytes(), 0
		out[0] = 0
		for i, x := range c.bytes[lo:hi] {
			end += copy(data[end:], x)
			out[i+1] = int32(end)
		}
		return []*memory.Buffer{offsets, values}
	case t.kind == kindFloat && t.bits == 32:
		b := m.buffer(4 * (hi - lo))
		copy(goarrow.Float32Traits.CastFromBytes(b.Bytes()), c.floats[lo:hi])
		return []*memory.Buffer{b}
	case t.kind == kindFloat:
		b := m.buffer(8 * (hi - lo))
		copy(goarrow.Float64Traits.CastFromBytes(b.Bytes()), c.doubles[lo:hi])
		return []*memory.Buffer{b}
	case t.kind == kindBool:
		b, _ := m.bits(hi-lo, func(i int) bool { return c.ints[lo+i] != 0 })
		return []*memory.Buffer{b}
	}
	return []*memory.Buffer{m.integers(int(t.bits)/8, c.ints[lo:hi])}
}

// integers makes a buffer of integers of size bytes.
func (m *recordMaker) integers(size int, ints []int64) *memory.Buffer {
	b := m.buffer(size * len(ints))
	switch size {
	case 8:
		copy(goarrow.Int64Traits.CastFromBytes(b.Bytes()), ints)
	case 4:
		out := goarrow.Int32Traits.CastFromBytes(b.Bytes())
		for i, x := range ints {
			out[i] = int32(x)
		}
	case 2:
		out := goarrow.Int16Traits.CastFromBytes(b.Bytes())
		for i, x := range ints {
			out[i] = int16(x)
		}
	default:
		out := b.Bytes()
		for i, x := range ints {
			out[i] = byte(x)
		}
	}
	return b
}
