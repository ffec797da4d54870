// This file holds Reader, which reads row groups.

package parquet

import (
	"context"
	"io"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Reader reads the selected columns of row groups, one row group after the
// other. It is not safe for concurrent use; its buffers serve the next row
// group, of the same file or another.
type Reader struct {
	mem  *columnar.Memory
	cols []*column
	cod  codecs
}

// NewReader returns a Reader whose buffers are accounted for in mem.
func NewReader(mem *columnar.Memory) *Reader { return &Reader{mem: mem} }

// Open starts a row group of f, whose bytes r reads.
func (r *Reader) Open(ctx context.Context, f *File, src io.ReaderAt, group int) {
	for len(r.cols) < len(f.picked) {
		r.cols = append(r.cols, &column{mem: r.mem, cod: &r.cod})
	}
	for k := range f.picked {
		r.cols[k].open(ctx, src, f, k, &f.Groups[group].Chunks[k])
	}
}

// Read fills v with the next rows of the k-th selected column, at most n.
// There are fewer at the end of the row group, and where strings are long.
func (r *Reader) Read(k int, v *columnar.Vector, n int) error {
	c := r.cols[k]
	return columnar.Guard(func() error { return c.read(v, n) })
}

// Nth returns how many chunks the k-th selected column has left behind in the
// row group, of joined files.
func (r *Reader) Nth(k int) int { return r.cols[k].nth }

// Skip leaves out the next n rows of the k-th selected column, of which there
// have to be so many. Nothing is read for it before the next Read.
func (r *Reader) Skip(k int, n int64) { r.cols[k].pending += n }

// Jump sets where the pages of the k-th selected column are, so that Skip
// needn't go through those that it leaves out.
func (r *Reader) Jump(k int, pages []PageSpan) { r.cols[k].jumps = pages }

// Drop lets go of the buffers.
func (r *Reader) Drop() {
	for _, c := range r.cols {
		c.drop()
	}
}

// Close lets go of the buffers and the decompressors.
func (r *Reader) Close() {
	r.Drop()
	r.cod.close()
}
