// Package craft writes Parquet and Arrow files byte by byte, for tests: files that arrow's writer
// can't write, and malformed ones.
package craft

import (
	"bytes"
	"encoding/binary"
)

// Struct is a Thrift struct in the compact protocol, being written.
type Struct struct {
	buf  bytes.Buffer
	last int
}

func (s *Struct) head(id int, typ byte) {
	if d := id - s.last; d > 0 && d < 16 {
		s.buf.WriteByte(byte(d)<<4 | typ)
	} else {
		s.buf.WriteByte(typ)
		s.buf.Write(zigzag(int64(id)))
	}
	s.last = id
}

func zigzag(v int64) []byte { return binary.AppendUvarint(nil, uint64(v<<1^v>>63)) }

// Int adds an i32 (or an i64, which reads the same).
func (s *Struct) Int(id int, v int64) *Struct {
	s.head(id, 5)
	s.buf.Write(zigzag(v))
	return s
}

// Long adds an i64, for readers that tell it from an i32.
func (s *Struct) Long(id int, v int64) *Struct {
	s.head(id, 6)
	s.buf.Write(zigzag(v))
	return s
}

// Bool adds a bool.
func (s *Struct) Bool(id int, v bool) *Struct {
	if v {
		s.head(id, 1)
	} else {
		s.head(id, 2)
	}
	return s
}

// Bytes adds a string.
func (s *Struct) Bytes(id int, v string) *Struct {
	s.head(id, 8)
	s.buf.Write(binary.AppendUvarint(nil, uint64(len(v))))
	s.buf.WriteString(v)
	return s
}

// Sub adds a struct.
func (s *Struct) Sub(id int, v *Struct) *Struct {
	s.head(id, 12)
	s.buf.Write(v.End())
	return s
}

// List adds a list of structs.
func (s *Struct) List(id int, v ...*Struct) *Struct {
	s.ListHead(id, 12, len(v))
	for _, e := range v {
		s.buf.Write(e.End())
	}
	return s
}

// ListHead adds the head of a list, without its elements.
func (s *Struct) ListHead(id int, elem byte, n int) *Struct {
	s.head(id, 9)
	if n < 15 {
		s.buf.WriteByte(byte(n)<<4 | elem)
	} else {
		s.buf.WriteByte(0xf0 | elem)
		s.buf.Write(binary.AppendUvarint(nil, uint64(n)))
	}
	return s
}

// Raw adds bytes as they are.
func (s *Struct) Raw(b ...byte) *Struct {
	s.buf.Write(b)
	return s
}

// End returns the struct's bytes.
func (s *Struct) End() []byte { return append(bytes.Clone(s.buf.Bytes()), 0) }

// Page is a page, whose header need not be true.
type Page struct {
	Kind             int // 0 data, 2 dictionary, 3 data of version 2
	Values, Encoding int
	Body             []byte // as in the file
	Plain            int    // bytes when decompressed; 0 means len(Body)
	Levels           int    // bytes of definition levels, of version 2
	Reps, Rows       int    // bytes of repetition levels, of version 2, and rows, where Reps isn't 0
	Stored           bool   // not compressed, of version 2
}

// Column is a column and its one chunk.
type Column struct {
	Name     string
	Type     int
	Length   int // of FIXED_LEN_BYTE_ARRAY
	Optional bool
	Logical  *Struct // a member of the union LogicalType, or nil
	Codec    int
	Rows     int64
	Pages    []Page
	Stats    *Struct // Statistics, or nil
}

// Bytes returns the pages as they are in the file.
func (c *Column) Bytes() []byte {
	var out []byte
	for _, p := range c.Pages {
		plain := p.Plain
		if plain == 0 {
			plain = len(p.Body)
		}
		h := new(Struct).Int(1, int64(p.Kind)).Int(2, int64(plain)).Int(3, int64(len(p.Body)))
		switch p.Kind {
		case 0:
			h.Sub(5, new(Struct).Int(1, int64(p.Values)).Int(2, int64(p.Encoding)).Int(3, 3).Int(4, 3))
		case 2:
			h.Sub(7, new(Struct).Int(1, int64(p.Values)).Int(2, int64(p.Encoding)))
		case 3:
			rows := p.Values
			if p.Reps > 0 {
				rows = p.Rows
			}
			v2 := new(Struct).Int(1, int64(p.Values)).Int(2, 0).Int(3, int64(rows)).Int(4, int64(p.Encoding)).Int(5, int64(p.Levels)).Int(6, int64(p.Reps))
			if p.Stored {
				v2.Bool(7, false)
			}
			h.Sub(8, v2)
		}
		out = append(append(out, h.End()...), p.Body...)
	}
	return out
}

// Element returns the column's element of the schema.
func (c *Column) Element() *Struct {
	rep := int64(0)
	if c.Optional {
		rep = 1
	}
	e := new(Struct).Int(1, int64(c.Type))
	if c.Length > 0 {
		e.Int(2, int64(c.Length))
	}
	e.Int(3, rep).Bytes(4, c.Name)
	if c.Logical != nil {
		e.Sub(10, c.Logical)
	}
	return e
}

// Chunk returns the metadata of the column's chunk, which is at so many bytes.
func (c *Column) Chunk(at, length int64) *Struct {
	meta := new(Struct).Int(1, int64(c.Type)).ListHead(2, 5, 0).ListHead(3, 8, 0).
		Int(4, int64(c.Codec)).Int(5, c.Rows).Int(6, length).Int(7, length).Int(9, at)
	if c.Stats != nil {
		meta.Sub(12, c.Stats)
	}
	return new(Struct).Int(2, at).Sub(3, meta)
}

// File returns a file of one row group.
func File(rows int64, cols ...*Column) []byte {
	return Groups(rows, 1, cols...)
}

// Groups returns a file that claims several row groups, all of which have the
// same bytes.
func Groups(rows int64, groups int, cols ...*Column) []byte {
	out := []byte("PAR1")
	schema := []*Struct{new(Struct).Bytes(4, "schema").Int(5, int64(len(cols)))}
	var chunks []*Struct
	for _, c := range cols {
		b := c.Bytes()
		chunks = append(chunks, c.Chunk(int64(len(out)), int64(len(b))))
		schema = append(schema, c.Element())
		out = append(out, b...)
	}
	var list []*Struct
	for range groups {
		list = append(list, new(Struct).List(1, chunks...).Int(2, 0).Int(3, rows))
	}
	return Footer(out, new(Struct).Int(1, 1).List(2, schema...).Int(3, rows*int64(groups)).List(4, list...))
}

// Footer ends a file.
func Footer(body []byte, meta *Struct) []byte {
	foot := meta.End()
	out := append(append([]byte{}, body...), foot...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(foot)))
	return append(out, "PAR1"...)
}
