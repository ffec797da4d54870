// This file reads position deletes and deletion vectors.

package iceberg

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
	"github.com/foray-graph/foray/io/arrow/internal/tables/roaring"
)

// positions are the rows that a file of position deletes has, by the path of the data
// file, each list in the file's order.
type positions struct {
	once   once
	byPath map[string][]int64
}

// openDelete opens a file of deletes and calls use with it.
func (d *deleteFile) open(ctx context.Context, files tables.FS, use func(tables.File) error) error {
	f, err := files.Open(ctx, d.where)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: the deletes in %s aren't there any more: %w", tables.ErrSnapshot, d.where, err)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := use(f); err != nil {
		return in(d.where, err)
	}
	return nil
}

// readVector reads a deletion vector of a data file with so many rows.
func (d *deleteFile) readVector(ctx context.Context, files tables.FS, rows int64) (*tables.Deleted, error) {
	out := &tables.Deleted{}
	err := d.open(ctx, files, func(f tables.File) error {
		b, err := readRange(f, *d.Offset, *d.Length, maxVector)
		if err != nil {
			return err
		}
		out.Rows, err = parseVector(b, *d.Rows, rows)
		return err
	})
	return out, err
}

// vectorMagic opens a deletion vector.
const vectorMagic = "\xd1\xd3\x39\x64"

// parseVector decodes a deletion vector: its length, the magic number, a bitmap of 64 bits
// and the checksum of magic number and bitmap. It has so many of the rows.
func parseVector(b []byte, cardinality, rows int64) ([]int64, error) {
	if len(b) < 12 || int64(binary.BigEndian.Uint32(b)) != int64(len(b)-8) {
		return nil, columnar.Corrupt("a deletion vector of %d bytes, which doesn't begin with its length", len(b))
	}
	body, sum := b[4:len(b)-4], binary.BigEndian.Uint32(b[len(b)-4:])
	bitmap, ok := bytes.CutPrefix(body, []byte(vectorMagic))
	switch {
	case !ok:
		return nil, columnar.Corrupt("the deletion vector doesn't begin with the magic number D1 D3 39 64")
	case sum != crc32.ChecksumIEEE(body):
		return nil, columnar.Corrupt("the checksum of the deletion vector is wrong")
	}
	list, err := roaring.Parse64(bitmap, cardinality)
	if err != nil {
		return nil, err
	}
	if n := len(list); n > 0 && list[n-1] >= rows {
		return nil, columnar.Corrupt("the deletion vector has row %d of a file of %d rows", list[n-1], rows)
	}
	return list, nil
}

// readPositions returns the rows of a data file that files of position deletes list.
func readPositions(ctx context.Context, files tables.FS, deletes []*deleteFile, path string, rows int64) (*tables.Deleted, error) {
	out := &tables.Deleted{}
	for _, d := range deletes {
		err := d.listed.once.do(func() error {
			return d.open(ctx, files, func(f tables.File) (err error) {
				d.listed.byPath, err = d.parsePositions(ctx, f)
				return err
			})
		})
		if err != nil {
			return nil, err
		}
		if d.Referenced != nil && len(d.listed.byPath[path]) != int(*d.Rows) {
			return nil, in(d.where, columnar.Corrupt("of its %d position deletes %d are for %.200q, which all should be for", *d.Rows, len(d.listed.byPath[path]), path))
		}
		out.Rows = append(out.Rows, d.listed.byPath[path]...)
	}
	slices.Sort(out.Rows)
	out.Rows = slices.Compact(out.Rows)
	if n := len(out.Rows); n > 0 && (out.Rows[0] < 0 || out.Rows[n-1] >= rows) {
		return nil, columnar.Corrupt("position deletes of rows %d to %d of %.200q, which has %d rows", out.Rows[0], out.Rows[n-1], path, rows)
	}
	return out, nil
}

// parsePositions reads a Parquet file of position deletes.
func (d *deleteFile) parsePositions(ctx context.Context, f tables.File) (map[string][]int64, error) {
	file, err := parquet.Open(f, f.Size())
	if err != nil {
		return nil, err
	}
	var cols [2]int
	for k, name := range []string{"file_path", "pos"} {
		class := []columnar.Class{columnar.Text, columnar.Signed}[k]
		cols[k] = slices.IndexFunc(file.Columns(), func(c columnar.Column) bool { return c.Path == name })
		if cols[k] < 0 || file.Columns()[cols[k]].Class != class {
			return nil, columnar.Corrupt("a file of position deletes without a column %s that is %s", name, class)
		}
	}
	if err := file.Select(cols[:], []columnar.Kind{columnar.Strings, columnar.Ints}); err != nil {
		return nil, err
	}
	byPath := map[string][]int64{}
	mem := columnar.NewMemory(columnar.NewPool(f.Size()))
	r := parquet.NewReader(mem)
	defer func() {
		r.Close()
		mem.Reset()
	}()
	total := int64(0)
	for g := range file.Groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		mem.Begin(ctx, f.Size())
		r.Open(ctx, file, f, g)
		n, err := readGroup(r, file.Groups[g].Rows, byPath)
		if err != nil {
			return nil, columnar.PlaceAt(g, "", err)
		}
		if total += n; total > maxDeletes {
			return nil, columnar.Unsupported("more than %d position deletes in a file", maxDeletes)
		}
		if mem.End() {
			r.Drop()
			mem.Reset()
		}
	}
	if total != *d.Rows {
		return nil, columnar.Corrupt("it has %d position deletes, where the manifest says %d", total, *d.Rows)
	}
	return byPath, nil
}

// readGroup reads a row group of position deletes.
func readGroup(r *parquet.Reader, rows int64, byPath map[string][]int64) (n int64, err error) {
	var paths, at columnar.Vector
	var raw, path string
	var list []int64
	keep := func() {
		if list != nil {
			byPath[path] = list
		}
	}
	for n < rows {
		want := int(min(rows-n, columnar.BatchRows))
		if err := r.Read(0, &paths, want); err != nil {
			return n, err
		}
		if paths.Len() == 0 {
			return n, columnar.Corrupt("it ends after %d of %d rows", n, rows)
		}
		if err := r.Read(1, &at, paths.Len()); err != nil {
			return n, err
		}
		if at.Len() != paths.Len() || at.Nulls+paths.Nulls > 0 {
			return n, columnar.Corrupt("a position delete lacks its path or position")
		}
		for i, row := range at.Ints {
			if b := paths.Data[paths.Offsets[i]:paths.Offsets[i+1]]; list == nil || string(b) != raw {
				keep()
				raw = string(b)
				path = plain(raw)
				list = byPath[path]
			}
			list = append(list, row)
		}
		n += int64(paths.Len())
	}
	keep()
	return n, nil
}
