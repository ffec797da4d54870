// This file holds Reader, which reads record batches.

package ipc

import (
	"context"
	"errors"
	"io"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Reader reads the selected columns of record batches, one batch after the
// other. It is not safe for concurrent use; its buffers serve the next batch,
// of the same file or another.
type Reader struct {
	mem  *columnar.Memory
	cols []*column
	meta []byte
	ctx  context.Context
}

// NewReader returns a Reader whose buffers are accounted for in mem.
func NewReader(mem *columnar.Memory) *Reader { return &Reader{mem: mem} }

// Open starts a record batch of f, whose bytes r reads.
func (r *Reader) Open(ctx context.Context, f *File, src io.ReaderAt, block int) error {
	r.ctx = ctx
	return columnar.Guard(func() error { return r.open(f, src, block) })
}

func (r *Reader) open(f *File, src io.ReaderAt, block int) error {
	at := f.Blocks[block]
	b, err := f.batchAt(src, at, headerBatch, &r.meta)
	if err == nil {
		err = b.check(f.schema)
	}
	if err == nil && b.rows != at.Rows {
		err = columnar.Corrupt("%d rows, where there were %d before", b.rows, at.Rows)
	}
	if err != nil {
		return err
	}
	for len(r.cols) < len(f.picked) {
		r.cols = append(r.cols, &column{mem: r.mem})
	}
	for k, p := range f.picked {
		l := &f.schema.leaves[p]
		err := r.cols[k].open(f, src, b, l, f.wants[k], false)
		if err == nil && l.dictionary && b.rows > 0 {
			err = r.cols[k].look(r.ctx, src, at.dicts)
		}
		if err != nil {
			return columnar.PlaceAt(block, l.Path, err)
		}
	}
	return nil
}

// Read fills v with the next rows of the k-th selected column, at most n.
// There are fewer at the end of the batch, and where strings are long.
func (r *Reader) Read(k int, v *columnar.Vector, n int) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	return columnar.Guard(func() error { return r.cols[k].read(v, n) })
}

// Skip leaves out the next n rows of the k-th selected column. Nothing is read
// for it before the next Read.
func (r *Reader) Skip(k int, n int64) { r.cols[k].pending += n }

// Drop lets go of the buffers.
func (r *Reader) Drop() {
	for _, c := range r.cols {
		c.drop()
	}
}

// Close lets go of the buffers and the decompressors.
func (r *Reader) Close() { r.Drop() }

// batchAt reads the header of a record batch, or of the one in a dictionary
// batch.
func (f *File) batchAt(src io.ReaderAt, at Block, kind int, buf *[]byte) (*batch, error) {
	m, err := f.message(src, at.Offset, buf)
	if errors.Is(err, io.EOF) {
		err = columnar.Corrupt("an empty message")
	}
	if err != nil {
		return nil, err
	}
	if m.kind != kind || m.Meta > at.Meta || m.Body > at.Body {
		return nil, columnar.Corrupt("it changed while it was read")
	}
	t := m.header
	if kind == headerDictionary {
		var ok bool
		if t, ok = t.sub(1); !ok && m.flat.err == nil {
			return nil, columnar.Corrupt("a dictionary without data")
		}
	}
	return f.batchOf(t, at.Offset+at.Meta, m.Body)
}
