// This file holds the footer's structures for row groups and the file.

// Package metadata writes the metadata of Parquet files: page headers and
// footers. The structs, their fields and numbers come from parquet.thrift in
// github.com/apache/parquet-format, of which it has what Foray's files need.
// Pages and their values are the caller's.
package metadata

import "encoding/binary"

// Magic opens and closes a Parquet file.
const Magic = "PAR1"

// Statistics are of a column chunk. Min and Max are plain values without length.
type Statistics struct {
	NullCount      int64
	HasMin, HasMax bool
	Min, Max       []byte
	// Signed reports that values are ordered as signed numbers. Such
	// bounds are written under their older name too.
	Signed bool
}

func (s *Statistics) write(w *structWriter) {
	if s.HasMax && s.Signed {
		w.bytes(1, s.Max)
	}
	if s.HasMin && s.Signed {
		w.bytes(2, s.Min)
	}
	w.i64(3, s.NullCount)
	if s.HasMax {
		w.bytes(5, s.Max)
	}
	if s.HasMin {
		w.bytes(6, s.Min)
	}
}

// Chunk is a column of a row group.
type Chunk struct {
	Values     int64 // missing ones too
	Size       int64 // bytes before compression, and with page headers
	Compressed int64 // bytes in the file, page headers too
	DataPage   int64 // where the first data page is
	Dictionary int64 // the offset of the dictionary's page; 0 without a dictionary
	PlainPages int   // data pages whose values are plain
	IndexPages int   // data pages whose values are indices into the dictionary
	Stats      Statistics
}

// begin is where the chunk is in the file.
func (c *Chunk) begin() int64 {
	if c.Dictionary > 0 {
		return c.Dictionary
	}
	return c.DataPage
}

func (c *Chunk) write(w *structWriter, column *Column, codec Codec) {
	encodings := []Encoding{Plain, RLE}
	if c.Dictionary > 0 {
		encodings = []Encoding{RLEDictionary, Plain, RLE}
	}
	path := column.path()
	w.i32(1, int(column.Type))
	w.list(2, tI32, len(encodings))
	for _, e := range encodings {
		w.b = binary.AppendVarint(w.b, int64(e))
	}
	w.list(3, tBinary, len(path))
	for _, name := range path {
		w.b = appendString(w.b, name)
	}
	w.i32(4, int(codec))
	w.i64(5, c.Values)
	w.i64(6, c.Size)
	w.i64(7, c.Compressed)
	w.i64(9, c.DataPage)
	if c.Dictionary > 0 {
		w.i64(11, c.Dictionary)
	}
	w.inner(12, c.Stats.write)
	c.writeEncodings(w)
}

// writeEncodings writes how many pages have which encoding.
func (c *Chunk) writeEncodings(w *structWriter) {
	type pages struct {
		typ, count int
		encoding   Encoding
	}
	var all []pages
	if c.Dictionary > 0 {
		all = append(all, pages{dictionaryPage, 1, Plain})
	}
	if c.IndexPages > 0 {
		all = append(all, pages{dataPage, c.IndexPages, RLEDictionary})
	}
	if c.PlainPages > 0 {
		all = append(all, pages{dataPage, c.PlainPages, Plain})
	}
	w.list(13, tStruct, len(all))
	for _, p := range all {
		w.element(func(w *structWriter) {
			w.i32(1, p.typ)
			w.i32(2, int(p.encoding))
			w.i32(3, p.count)
		})
	}
}

// File is the metadata of a file that is being written. Row groups are kept as
// the bytes that they are in the footer.
type File struct {
	columns   []Column
	codec     Codec
	createdBy string
	rows      int64
	groups    []byte
	numGroups int
}

// NewFile begins a file. createdBy is the writer, as "NAME version NUMBER": a
// reader that can't parse it may ignore statistics.
func NewFile(columns []Column, codec Codec, createdBy string) *File {
	return &File{columns: columns, codec: codec, createdBy: createdBy}
}

// NumGroups is how many row groups were added.
func (f *File) NumGroups() int { return f.numGroups }

// AddGroup adds a row group with a chunk per column.
func (f *File) AddGroup(rows int, chunks []Chunk) {
	f.groups = appendStruct(f.groups, func(w *structWriter) {
		var size, compressed int64
		w.list(1, tStruct, len(chunks))
		for i := range chunks {
			c := &chunks[i]
			size += c.Size
			compressed += c.Compressed
			w.element(func(w *structWriter) {
				w.i64(2, 0) // file_offset: no metadata besides this
				w.inner(3, func(w *structWriter) { c.write(w, &f.columns[i], f.codec) })
			})
		}
		w.i64(2, size)
		w.i64(3, int64(rows))
		if len(chunks) > 0 {
			w.i64(5, chunks[0].begin())
		}
		w.i64(6, compressed)
		w.i16(7, f.numGroups)
	})
	f.numGroups++
	f.rows += int64(rows)
}

// KeyValue is an entry of the file's own metadata.
type KeyValue struct{ Key, Value string }

// Footer returns the end of the file: the metadata, its length and Magic.
func (f *File) Footer(metadata []KeyValue) []byte {
	elements := []element{{name: "schema", root: true, children: len(f.columns)}}
	for i := range f.columns {
		elements = append(elements, f.columns[i].elements()...)
	}
	footer := appendStruct(nil, func(w *structWriter) {
		w.i32(1, 2) // version
		w.list(2, tStruct, len(elements))
		for _, e := range elements {
			w.element(e.write)
		}
		w.i64(3, f.rows)
		w.list(4, tStruct, f.numGroups)
		w.b = append(w.b, f.groups...)
		if len(metadata) > 0 {
			w.list(5, tStruct, len(metadata))
			for _, kv := range metadata {
				w.element(func(w *structWriter) {
					w.string(1, kv.Key)
					w.string(2, kv.Value)
				})
			}
		}
		w.string(6, f.createdBy)
		w.list(7, tStruct, len(f.columns)) // the order of statistics: that of the type
		for range f.columns {
			w.element(func(w *structWriter) { w.inner(1, func(*structWriter) {}) })
		}
	})
	size := uint32(len(footer))
	return append(binary.LittleEndian.AppendUint32(footer, size), Magic...)
}
