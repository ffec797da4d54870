// Package ipc reads columns of untrusted Arrow IPC files and streams.
//
// It stands in for arrow's own reader, which follows the offsets in the
// metadata unchecked (and panics, or recurses until the stack is full),
// allocates by lengths in the data, and decompresses all columns of a record
// batch at once. Here the metadata is read with bounds, and only the buffers
// of the selected columns, a window at a time.
package ipc

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Magic opens and closes an Arrow IPC file; streams don't have it.
const Magic = "ARROW1"

// continuation opens every message since version 0.15 of Arrow.
const continuation = 0xFFFFFFFF

const (
	versionV4 = 3
	versionV5 = 4
)

// Message types.
const (
	headerSchema = iota + 1
	headerDictionary
	headerBatch
)

// File is the metadata of an IPC file or stream. Once Select returned it is
// immutable, except for its cache of dictionaries, which locks.
type File struct {
	Size   int64
	Rows   int64
	Blocks []Block // the record batches, after Select

	schema  *schema
	picked  []int
	wants   []columnar.Kind
	version int
	stream  bool
	at      int64   // of a stream: behind the schema
	footer  []Block // of a file: where record batches are
	dicts   []dictBlock
	cache   dictCache
	work    *columnar.Work
}

// Block is a record batch: a message of Meta bytes at Offset, and its buffers
// in the Body bytes behind it.
type Block struct {
	Offset, Meta, Body int64
	Rows               int64
	dicts              int // how many dictionary batches come before it
}

// dictBlock is a dictionary batch.
type dictBlock struct {
	Block
	id    int64
	delta bool
}

// Open reads the schema of an IPC file of the given size.
func Open(r io.ReaderAt, size int64, limits columnar.Limits) (*File, error) {
	f, _, err := open(r, size, limits)
	return f, err
}

// open is Open, and returns the schema as it is in the file.
func open(r io.ReaderAt, size int64, limits columnar.Limits) (*File, table, error) {
	f := &File{Size: size, work: columnar.NewWork(size, limits)}
	const tail = 4 + len(Magic)
	if size < int64(8+tail) {
		return nil, table{}, columnar.Corrupt("%d bytes are too few for an Arrow file", size)
	}
	var end [tail]byte
	if err := readAt(r, end[:], size-int64(tail)); err != nil {
		return nil, table{}, err
	}
	if string(end[4:]) != Magic {
		return nil, table{}, columnar.Corrupt("it doesn't end with %s; it may be truncated", Magic)
	}
	n := int64(int32(binary.LittleEndian.Uint32(end[:])))
	if n <= 0 || n > size-int64(8+tail) {
		return nil, table{}, columnar.Corrupt("a footer of %d bytes in a file of %d", n, size)
	}
	if err := limits.CheckFooter(n); err != nil {
		return nil, table{}, err
	}
	b := make([]byte, n)
	if err := readAt(r, b, size-int64(tail)-n); err != nil {
		return nil, table{}, err
	}
	fb := &flat{b: b, left: maxTables}
	root := fb.root()
	f.version = root.i16(0)
	if err := f.checkVersion(fb); err != nil {
		return nil, table{}, err
	}
	st, ok := root.sub(1)
	if !ok && fb.err == nil {
		return nil, table{}, columnar.Corrupt("the footer has no schema")
	}
	var err error
	if f.schema, err = readSchema(st, f.version); err != nil {
		return nil, table{}, err
	}
	for _, b := range blocks(root.vector(2, 24)) {
		f.dicts = append(f.dicts, dictBlock{Block: b})
	}
	f.footer = blocks(root.vector(3, 24))
	return f, st, fb.err
}

// OpenStream reads the schema of an IPC stream of the given size.
func OpenStream(r io.ReaderAt, size int64, limits columnar.Limits) (*File, error) {
	f := &File{Size: size, stream: true, work: columnar.NewWork(size, limits)}
	m, err := f.message(r, 0, nil)
	switch {
	case errors.Is(err, io.EOF):
		return nil, columnar.Corrupt("an empty stream")
	case err != nil:
		return nil, err
	case m.kind != headerSchema:
		return nil, columnar.Corrupt("a stream that doesn't begin with a schema")
	}
	f.version = m.version
	if err := f.checkVersion(m.flat); err != nil {
		return nil, err
	}
	if f.schema, err = readSchema(m.header, f.version); err != nil {
		return nil, err
	}
	f.at = m.Offset + m.Meta + m.Body
	return f, nil
}

// LooksLikeStream reports whether a file that begins with these bytes may be
// an IPC stream.
func LooksLikeStream(b []byte) bool {
	return len(b) >= 8 && binary.LittleEndian.Uint32(b) == continuation &&
		int32(binary.LittleEndian.Uint32(b[4:])) > 0
}

func (f *File) checkVersion(fb *flat) error {
	if fb.err != nil {
		return fb.err
	}
	if f.version != versionV4 && f.version != versionV5 {
		return columnar.Unsupported("metadata version V%d, where V4 and V5 are read", f.version+1)
	}
	return nil
}

// blocks reads a vector of Block structs.
func blocks(v vector) []Block {
	list := make([]Block, v.n)
	for i := range list {
		list[i] = Block{Offset: v.i64(i, 0), Meta: int64(v.i32(i, 8)), Body: v.i64(i, 16)}
	}
	return list
}

// Columns describes the columns: the leaves of structs, joined by dots.
func (f *File) Columns() []columnar.Column {
	cols := make([]columnar.Column, len(f.schema.leaves))
	for i := range f.schema.leaves {
		cols[i] = f.schema.leaves[i].Column
	}
	return cols
}

// Select chooses the columns that will be read, by their index in Columns, and into
// what. It finds the record batches.
func (f *File) Select(r io.ReaderAt, cols []int, wants []columnar.Kind) error {
	f.picked, f.wants = cols, wants
	var err error
	if f.stream {
		err = f.scan(r)
	} else {
		err = f.locate(r)
	}
	if err != nil {
		return err
	}
	f.cache.init(f)
	return nil
}

// InOrder reports whether the record batches have to be read one after the
// other, because dictionaries are replaced between them.
func (f *File) InOrder() bool {
	if !f.stream {
		return false
	}
	seen := map[int64]bool{}
	for _, d := range f.dicts {
		if seen[d.id] && !d.delta {
			return true
		}
		seen[d.id] = true
	}
	return false
}

// locate reads the messages that the footer points to.
func (f *File) locate(r io.ReaderAt) error {
	var total int64
	var buf []byte
	for i := range f.dicts {
		d := &f.dicts[i]
		m, err := f.framed(r, d.Block, headerDictionary, &buf, &total)
		if err != nil {
			return err
		}
		d.Block, d.id, d.delta = m.Block, m.header.i64(0), m.header.u8(2) != 0
		if m.flat.err != nil {
			return m.flat.err
		}
	}
	for i, b := range f.footer {
		m, err := f.framed(r, b, headerBatch, &buf, &total)
		if err == nil {
			err = f.addBatch(m, len(f.dicts))
		}
		if err != nil {
			return columnar.PlaceAt(i, "", err)
		}
	}
	f.footer = nil
	return nil
}

// framed reads the message of a block that a footer names, and checks it
// against the block.
func (f *File) framed(r io.ReaderAt, b Block, kind int, buf *[]byte, total *int64) (*message, error) {
	if b.Offset < 0 || b.Meta <= 0 || b.Body < 0 || b.Offset > f.Size ||
		b.Meta > f.Size-b.Offset || b.Body > f.Size-b.Offset-b.Meta {
		return nil, columnar.Corrupt("%d and %d bytes at %d in a file of %d", b.Meta, b.Body, b.Offset, f.Size)
	}
	// No two blocks share bytes, or few bytes could be many rows.
	if *total += b.Meta + b.Body; *total > f.Size {
		return nil, columnar.Corrupt("the blocks overlap")
	}
	m, err := f.message(r, b.Offset, buf)
	switch {
	case errors.Is(err, io.EOF):
		return nil, columnar.Corrupt("an empty message")
	case err != nil:
		return nil, err
	case m.kind != kind:
		return nil, columnar.Corrupt("a message of type %d where type %d belongs", m.kind, kind)
	case m.Meta > b.Meta || m.Body > b.Body:
		return nil, columnar.Corrupt("a message of %d and %d bytes, where the footer says %d and %d", m.Meta, m.Body, b.Meta, b.Body)
	}
	// The footer counts padding that the message doesn't.
	m.Meta = b.Meta
	return m, nil
}

// scan walks over the messages of a stream.
func (f *File) scan(r io.ReaderAt) error {
	var buf []byte
	for at := f.at; at < f.Size; {
		m, err := f.message(r, at, &buf)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f.add(m)
		}
		if err != nil {
			return columnar.PlaceAt(len(f.Blocks), "", err)
		}
		at = m.Offset + m.Meta + m.Body
	}
	return nil
}

func (f *File) add(m *message) error {
	switch m.kind {
	case headerBatch:
		return f.addBatch(m, len(f.dicts))
	case headerDictionary:
		f.dicts = append(f.dicts, dictBlock{Block: m.Block, id: m.header.i64(0), delta: m.header.u8(2) != 0})
		return m.flat.err
	}
	return columnar.Corrupt("a message of type %d where a record batch belongs", m.kind)
}

func (f *File) addBatch(m *message, dicts int) error {
	b := m.Block
	b.Rows, b.dicts = m.header.i64(0), dicts
	if m.flat.err != nil {
		return m.flat.err
	}
	if b.Rows < 0 || b.Rows > columnar.MaxRows(f.Size)-f.Rows {
		return columnar.Corrupt("%d rows in a file of %d bytes are not plausible", b.Rows, f.Size)
	}
	f.Rows += b.Rows
	f.Blocks = append(f.Blocks, b)
	return nil
}
