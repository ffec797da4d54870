// This file reads the layout of a file: its schema's metadata, and where the
// buffers of its one record batch are, for callers that use them in place.

package ipc

import (
	"fmt"
	"io"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// metadataPrefix is what the keys of metadata that is kept begin with.
const metadataPrefix = "foray."

// Layout is a file's description of itself.
type Layout struct {
	Metadata map[string]string // see File.Metadata
	Fields   []Field
	Rows     int64 // of the record batch
	Body     int64 // where in the file its buffers begin
	Length   int64 // of all of them
	Nodes    [][2]int64
	Buffers  [][2]int64 // where each is in the body, and its bytes; checked against Length
}

// Field is a column: its name and its type with the types in it, such as
// "large_list<uint32>".
type Field struct {
	Name, Type string
	Nullable   bool // it, or one of those in it
}

// Metadata returns those keys of the schema's metadata that begin with "foray.";
// of one that comes twice, the last value.
func (f *File) Metadata() map[string]string { return f.schema.foray }

// ReadLayout reads the layout of a file that has one record batch, not
// compressed, and no dictionary; others are refused. If the file states that it
// is for another reader (metadata returns false), there is no
// more in the layout.
func ReadLayout(r io.ReaderAt, size int64, metadata func(map[string]string) bool) (*Layout, error) {
	f, schema, err := open(r, size, columnar.Limits{})
	if err != nil {
		return nil, err
	}
	l := &Layout{Metadata: f.schema.foray}
	if !metadata(l.Metadata) {
		return l, nil
	}
	if len(f.footer) != 1 || len(f.dicts) != 0 {
		return nil, columnar.Corrupt("%d record batches and %d dictionaries, want one and none", len(f.footer), len(f.dicts))
	}
	fields := schema.vector(1, 4)
	for i := 0; i < fields.n && schema.f.err == nil; i++ {
		l.Fields = append(l.Fields, readField(fields.table(i), 0))
	}
	if schema.f.err != nil {
		return nil, schema.f.err
	}
	var total int64
	at := f.footer[0]
	m, err := f.framed(r, at, headerBatch, nil, &total)
	if err != nil {
		return nil, err
	}
	b, err := f.batchOf(m.header, at.Offset+at.Meta, m.Body)
	switch {
	case err != nil:
		return nil, err
	case b.codec != codecNone:
		return nil, columnar.Unsupported("compressed buffers")
	}
	l.Rows, l.Body, l.Length = b.rows, b.body, b.length
	for i := range b.nodes.n {
		l.Nodes = append(l.Nodes, [2]int64{b.nodes.i64(i, 0), b.nodes.i64(i, 8)})
	}
	for i := range b.buffers.n {
		at, length := b.buffers.i64(i, 0), b.buffers.i64(i, 8)
		if at < 0 || length < 0 || at > b.length || length > b.length-at {
			return nil, columnar.Corrupt("a buffer of %d bytes at %d of %d", length, at, b.length)
		}
		l.Buffers = append(l.Buffers, [2]int64{at, length})
	}
	return l, m.flat.err
}

// readMetadata reads a vector of keys and values.
func readMetadata(v vector) map[string]string {
	var kv map[string]string
	for i := 0; i < min(v.n, maxMetadata) && v.f.err == nil; i++ {
		t := v.table(i)
		if key := t.string(0); strings.HasPrefix(key, metadataPrefix) {
			if kv == nil {
				kv = map[string]string{}
			}
			kv[key] = t.string(1)
		}
	}
	return kv
}

// readField describes a field.
func readField(t table, depth int) Field {
	x := Field{Name: t.string(0), Nullable: t.u8(1) != 0}
	kind := t.u8(2)
	typ, _ := t.sub(3)
	_, x.Type = readType(kind, typ)
	if _, dictionary := t.sub(4); dictionary {
		x.Type = "dictionary of " + x.Type
	}
	if kind == typeFixedList {
		x.Type += fmt.Sprintf("[%d]", typ.i32(0, 0))
	}
	children := t.vector(5, 4)
	if children.n > 8 || depth > 3 { // such columns are never selected
		x.Type += "<...>"
		return x
	}
	var inner []string
	for i := 0; i < children.n && t.f.err == nil; i++ {
		c := readField(children.table(i), depth+1)
		inner = append(inner, c.Type)
		x.Nullable = x.Nullable || c.Nullable
	}
	if len(inner) > 0 {
		x.Type += "<" + strings.Join(inner, ", ") + ">"
	}
	return x
}
