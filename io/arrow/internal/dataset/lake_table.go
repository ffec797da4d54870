// This file chooses the columns of data files of tables of data lakes, and leaves out the rows that
// the table says were deleted.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// lakeColumns describes the columns of the table as the file has them, and their
// positions.
func (t *table) lakeColumns() ([]columnar.Column, []input.LakeColumn, error) {
	fields := t.Lake.Table.Fields
	var own []columnar.Column
	if t.parquet != nil {
		own = t.parquet.Columns()
	}
	find, err := t.Lake.Finder(own)
	if err != nil {
		return nil, nil, err
	}
	cols, from := make([]columnar.Column, len(fields)), make([]input.LakeColumn, len(fields))
	for i := range fields {
		f := &fields[i]
		if fixed, ok := t.Lake.Fixed(f.Path); ok {
			from[i].Value = f.Constant(fixed)
			cols[i] = from[i].Value.Column()
			continue
		}
		if f.Opaque {
			cols[i] = f.Column()
			from[i].Refuse = columnar.Unsupported("no values are read of columns of type %s", cols[i].Type)
			continue
		}
		at, ok := find(f)
		switch {
		case ok:
			from[i].Column, cols[i] = at, f.Describe(&own[at])
			if cols[i].Class == columnar.Opaque {
				from[i].Refuse = fmt.Errorf("%w: it is %s", input.ErrColumnType, cols[i].Type)
			}
			continue
		case f.Default != nil && f.Inside:
			// If the struct is null, it doesn't have the default.
			cols[i] = f.Column()
			from[i].Refuse = columnar.Unsupported("the file lacks the column, and has the struct that it is in, so that only some rows have its default")
			continue
		case f.Default != nil:
			from[i].Value = f.Constant(tables.Value{Scalar: *f.Default})
		case !f.Nullable && t.Lake.File != nil:
			return nil, nil, atColumn(f.Path, columnar.Corrupt("the table requires a value, but the file lacks the column"))
		default:
			from[i].Value = f.Constant(tables.Value{Null: true})
		}
		cols[i] = from[i].Value.Column()
	}
	return cols, from, nil
}

// sniffLake opens a data file, which is Parquet.
func (t *table) sniffLake(r io.ReaderAt) (err error) {
	if t.Lake.File == nil {
		t.parquet = parquet.Empty()
		return nil
	}
	if t.parquet, err = parquet.OpenWithin(r, t.size, t.limits); err == nil {
		return nil
	}
	var head [len(parquet.Magic)]byte // which a file that can be opened ends with, too
	if n, readErr := r.ReadAt(head[:], 0); (readErr == nil || errors.Is(readErr, io.EOF)) && string(head[:n]) != parquet.Magic {
		if n == 0 {
			return input.ErrEmptyFile
		}
		return input.ErrNotParquet
	}
	return err
}

// selectLake tells the file which of its columns will be read, given where the table's
// columns are.
func (t *table) selectLake(cols []columnar.Column, from []input.LakeColumn) error {
	var columns []int
	var kinds []columnar.Kind
	for k := range t.choice.picks {
		p := &t.choice.picks[k]
		f := &from[p.column]
		switch {
		case f.Refuse != nil:
			return atColumn(cols[p.column].Path, f.Refuse)
		case f.Value != nil:
			p.value = f.Value
			continue
		}
		p.read = len(columns)
		columns, kinds = append(columns, f.Column), append(kinds, p.kind)
	}
	return t.parquet.Select(columns, kinds)
}

// checkRows compares the number of rows with what the table says, by which rows of files
// that weren't opened are numbered.
func (t *table) checkRows() error {
	if t.Lake == nil || t.Lake.File == nil || t.Lake.File.Rows < 0 || t.Lake.File.Rows == t.allRows() {
		return nil
	}
	return columnar.Corrupt("it has %d rows, where the table says %d, by which edges would be numbered", t.allRows(), t.Lake.File.Rows)
}

// openDeletes finds out which rows of the table are deleted.
func (w *worker) openDeletes(ctx context.Context, t *table) (err error) {
	w.deleted, w.equal = nil, w.equal[:0]
	if !t.Lake.Deletes() {
		return nil
	}
	w.holds = true
	w.deleted, err = t.Lake.DeletedRows(ctx, t.allRows())
	for i := range t.equality {
		if err != nil {
			break
		}
		var rows map[string]struct{}
		rows, err = t.equality[i].load(ctx, t.Lake.Table)
		err = t.Lake.Gone(t.equality[i].Name, err)
		w.equal = append(w.equal, rows)
	}
	return err
}

// deletedIn returns the deleted rows of a block, from one on to another, as they are
// numbered in the file, and what the number of the block's first row is.
func (w *worker) deletedIn(block int, from, to int64) (rows []int64, first int64) {
	first = w.table.starts[block] - w.table.starts[0]
	lo, _ := slices.BinarySearch(w.deleted, first+from)
	hi, _ := slices.BinarySearch(w.deleted, first+to)
	return w.deleted[lo:hi], first
}

// dropDeleted returns which of the first n rows of a slot are there, where they are
// those of a block from one on, and how many are not; nil if all are.
func (w *worker) dropDeleted(s *slot, block int, from int64, n int) (keep []bool, deleted int) {
	t := w.table
	if !t.Lake.Deletes() {
		return nil, 0
	}
	rows, first := w.deletedIn(block, from, from+int64(n))
	if len(rows) == 0 && len(t.equality) == 0 {
		return nil, 0
	}
	w.there = slices.Grow(w.there[:0], n)[:n]
	for i := range w.there {
		w.there[i] = true
	}
	for _, row := range rows {
		w.there[row-first-from] = false
	}
	for i := range t.equality {
		w.key = t.equality[i].drop(w.equal[i], s.cols, w.there, w.key)
	}
	for _, ok := range w.there {
		if !ok {
			deleted++
		}
	}
	return w.there, deleted
}
