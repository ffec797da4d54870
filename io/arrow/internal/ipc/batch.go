// This file reads the header of a record batch: where its buffers are.

package ipc

import (
	"io"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// batch is what the header of a record batch says.
type batch struct {
	rows     int64
	body     int64 // where in the file the buffers are
	length   int64 // of all of them
	nodes    vector
	buffers  vector
	variadic vector
	codec    int
	flat     *flat
}

// batchOf reads a RecordBatch header.
func (f *File) batchOf(t table, body, length int64) (*batch, error) {
	b := &batch{rows: t.i64(0), body: body, length: length, nodes: t.vector(1, 16), buffers: t.vector(2, 16),
		variadic: t.vector(4, 8), codec: codecNone, flat: t.f}
	if c, ok := t.sub(3); ok {
		b.codec = int(int8(c.u8(0)))
		if c.u8(1) != 0 || b.codec != codecLZ4 && b.codec != codecZstd {
			return nil, columnar.Unsupported("compression number %d", b.codec)
		}
	}
	if t.f.err == nil && (b.rows < 0 || b.rows > columnar.MaxRows(f.Size)) {
		return nil, columnar.Corrupt("%d rows in a file of %d bytes are not plausible", b.rows, f.Size)
	}
	return b, t.f.err
}

// check compares the numbers of nodes and buffers with the schema's.
func (b *batch) check(s *schema) error {
	if b.variadic.n != s.views {
		return columnar.Corrupt("%d counts of view buffers for %d columns of views", b.variadic.n, s.views)
	}
	buffers := int64(s.buffers)
	for i := range b.variadic.n {
		n := b.variadic.i64(i, 0)
		if n < 0 || n > int64(b.buffers.n) {
			return columnar.Corrupt("%d view buffers", n)
		}
		buffers += n
	}
	if b.nodes.n != s.nodes || int64(b.buffers.n) != buffers {
		return columnar.Corrupt("%d nodes and %d buffers, where the schema makes %d and %d", b.nodes.n, b.buffers.n, s.nodes, buffers)
	}
	return b.flat.err
}

// open starts the i-th buffer, where views columns of views come before it,
// whose buffers i doesn't count. It has to have need bytes.
func (b *batch) open(s *stream, f *File, src io.ReaderAt, i, views int, need int64) error {
	for k := range views {
		i += int(b.variadic.i64(k, 0))
	}
	if i >= b.buffers.n {
		return columnar.Corrupt("%d buffers", b.buffers.n)
	}
	at, length := b.buffers.i64(i, 0), b.buffers.i64(i, 8)
	if b.flat.err != nil {
		return b.flat.err
	}
	if at < 0 || length < 0 || at > b.length || length > b.length-at {
		return columnar.Corrupt("a buffer of %d bytes at %d of %d", length, at, b.length)
	}
	return s.open(f, src, b.body+at, length, need, b.codec)
}
