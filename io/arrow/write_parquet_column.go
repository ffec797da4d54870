// This file holds how a column of a row group is encoded: values in the width
// of Parquet's physical types, definition levels, pages.

package arrow

import (
	"bytes"
	"fmt"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/klauspost/compress/zstd"
)

// zstdPager is a page writer that compresses with an encoder which outlives
// the page.
type zstdPager struct {
	file.PageWriter
	zstd *zstd.Encoder
}

// Compress compresses a page into buf's memory and returns it.
func (p zstdPager) Compress(buf *bytes.Buffer, page []byte) []byte {
	buf.Grow(len(page))
	return p.zstd.EncodeAll(page, buf.AvailableBuffer())
}

// parquetColumn is a column of the row group being written. Its slices are
// scratch, kept from batch to batch.
type parquetColumn struct {
	field *outField
	meta  *metadata.ColumnChunkMetaDataBuilder
	chunk file.ColumnChunkWriter

	levels []int16 // definition levels: 1 where a value is there, else 0
	int32s []int32
	int64s []int64
	bytes  []parquet.ByteArray
}

// write encodes rows lo to hi of the column, strings in pieces of maxBytes.
func (p *parquetColumn) write(c *outColumn, lo, hi, maxBytes int) error {
	var valid []bool
	var levels []int16
	if p.field.optional {
		p.levels = p.levels[:0]
		for i := lo; i < hi; i++ {
			var level int16
			if !c.missing(i) {
				level = 1
			}
			p.levels = append(p.levels, level)
		}
		levels = p.levels
		if len(c.valid) > 0 {
			valid = c.valid[lo:hi]
		}
	}
	var err error
	switch w := p.chunk.(type) {
	case *file.Int32ColumnChunkWriter:
		p.int32s = p.int32s[:0]
		for i, x := range c.ints[lo:hi] {
			if valid == nil || valid[i] {
				p.int32s = append(p.int32s, int32(x))
			}
		}
		_, err = w.WriteBatch(p.int32s, levels, nil)
	case *file.Int64ColumnChunkWriter:
		values := c.ints[lo:hi]
		if valid != nil {
			p.int64s = present(p.int64s[:0], values, valid)
			values = p.int64s
		}
		_, err = w.WriteBatch(values, levels, nil)
	case *file.Float32ColumnChunkWriter:
		_, err = w.WriteBatch(c.floats[lo:hi], levels, nil)
	case *file.ByteArrayColumnChunkWriter:
		values := c.bytes[lo:hi]
		if valid != nil {
			p.bytes = present(p.bytes[:0], values, valid)
			values = p.bytes
		}
		err = writeBytes(w, values, levels, maxBytes)
	default:
		err = fmt.Errorf("no way to write physical type %v", w.Type())
	}
	return err
}

// present appends the values that are there.
func present[T any](to, values []T, valid []bool) []T {
	for i, x := range values {
		if valid[i] {
			to = append(to, x)
		}
	}
	return to
}

// writeBytes writes strings in pieces of at most maxBytes (or one string). The
// module ends a page only after so many values, whatever their size, and a
// page of 2 GiB overflows.
func writeBytes(w *file.ByteArrayColumnChunkWriter, values []parquet.ByteArray, levels []int16, maxBytes int) error {
	for {
		// The piece: rows, or values where none can be missing.
		rows, n, size := 0, 0, 0
		for total := max(len(values), len(levels)); rows < total; rows++ {
			if levels != nil && levels[rows] == 0 {
				continue
			}
			if size += len(values[n]); size > maxBytes && n > 0 {
				break
			}
			n++
		}
		if levels == nil {
			_, err := w.WriteBatch(values[:n], nil, nil)
			if err != nil || n == len(values) {
				return err
			}
		} else {
			_, err := w.WriteBatch(values[:n], levels[:rows], nil)
			if err != nil || rows == len(levels) {
				return err
			}
			levels = levels[rows:]
		}
		values = values[n:]
	}
}
