// This file reads columns of views: strings of which short ones are in place,
// and long ones in one of several other buffers.

package ipc

import (
	"encoding/binary"
	"io"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

const (
	// viewBytes is the size of a view: its length and either the string, or
	// the string's first four bytes, its buffer and its place there.
	viewBytes = 16
	// inlineBytes is the longest string that is in place.
	inlineBytes = 12
)

// viewed reports whether the column's values are views.
func (f *format) viewed() bool { return f.kind == typeUtf8View || f.kind == typeBinaryView }

// openParts reads the buffers that views point to. Views point anywhere in
// them, so they are held as long as the batch is read.
func (c *column) openParts(f *File, src io.ReaderAt, b *batch, buffer, views int) error {
	if views >= b.variadic.n {
		return columnar.Corrupt("no count of view buffers")
	}
	n := b.variadic.i64(views, 0)
	if b.flat.err != nil || n < 0 || n > int64(b.buffers.n) {
		return columnar.Corrupt("%d view buffers", n)
	}
	for len(c.parts) < int(n) {
		c.parts = append(c.parts, nil)
	}
	// Those of the batch before must not be found.
	for i := range c.parts {
		c.parts[i] = c.parts[i][:0]
	}
	for i := range int(n) {
		s := &c.offsets // which views have none of
		if err := b.open(s, f, src, buffer+i, views, 0); err != nil {
			return err
		}
		if err := c.mem.Check(s.size); err != nil {
			return err
		}
		part, err := columnar.Grow(c.mem, c.parts[i], int(s.size))
		if err != nil {
			return err
		}
		c.parts[i] = part
		for len(part) > 0 {
			some, err := s.next(min(len(part), windowBytes))
			if err != nil {
				return err
			}
			part = part[copy(part, some):]
		}
	}
	return nil
}

// readViews appends strings. A null is an empty string, whatever its view has.
func (c *column) readViews(v *columnar.Vector, flags []bool) error {
	data, err := c.data.next(len(flags) * viewBytes)
	if err != nil {
		return err
	}
	for i, ok := range flags {
		var s []byte
		if ok || !c.nulls {
			if s, err = c.view(data[i*viewBytes : (i+1)*viewBytes]); err != nil {
				return err
			}
		}
		if err := v.AppendString(c.mem, s); err != nil {
			return err
		}
	}
	return nil
}

// view returns the string that a view stands for.
func (c *column) view(b []byte) ([]byte, error) {
	n := int64(int32(binary.LittleEndian.Uint32(b)))
	if n >= 0 && n <= inlineBytes {
		return b[4 : 4+n], nil
	}
	part := int64(int32(binary.LittleEndian.Uint32(b[8:])))
	at := int64(int32(binary.LittleEndian.Uint32(b[12:])))
	if n < 0 || part < 0 || part >= int64(len(c.parts)) {
		return nil, columnar.Corrupt("a string of %d bytes in buffer %d", n, part)
	}
	if size := int64(len(c.parts[part])); at < 0 || at > size || n > size-at {
		return nil, columnar.Corrupt("a string of %d bytes at %d of %d", n, at, size)
	}
	return c.parts[part][at : at+n], nil
}
