// This file chooses the columns of data files of tables of data lakes.

package arrow

import (
	"errors"
	"fmt"
	"io"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// lakeColumns describes the columns of the table as the file has them, and their
// positions.
func (t *table) lakeColumns() ([]columnar.Column, []lakeColumn, error) {
	fields := t.lake.table.fields
	var own []columnar.Column
	if t.parquet != nil {
		own = t.parquet.Columns()
	}
	find, err := t.lake.finder(own)
	if err != nil {
		return nil, nil, err
	}
	cols, from := make([]columnar.Column, len(fields)), make([]lakeColumn, len(fields))
	for i := range fields {
		f := &fields[i]
		if fixed, ok := t.lake.fixed(f.path); ok {
			from[i].value = f.constant(fixed)
			cols[i] = from[i].value.column()
			continue
		}
		if f.Opaque {
			cols[i] = f.column()
			from[i].refuse = columnar.Unsupported("no values are read of columns of type %s", cols[i].Type)
			continue
		}
		at, ok := find(f)
		switch {
		case ok:
			from[i].column, cols[i] = at, f.describe(&own[at])
			if cols[i].Class == columnar.Opaque {
				from[i].refuse = fmt.Errorf("%w: it is %s", ErrColumnType, cols[i].Type)
			}
			continue
		case f.Default != nil && f.inside:
			// If the struct is null, it doesn't have the default.
			cols[i] = f.column()
			from[i].refuse = columnar.Unsupported("the file lacks the column, and has the struct that it is in, so that only some rows have its default")
			continue
		case f.Default != nil:
			from[i].value = f.constant(tables.Value{Scalar: *f.Default})
		case !f.nullable && t.lake.file != nil:
			return nil, nil, atColumn(f.path, columnar.Corrupt("the table requires a value, but the file lacks the column"))
		default:
			from[i].value = f.constant(tables.Value{Null: true})
		}
		cols[i] = from[i].value.column()
	}
	return cols, from, nil
}

// sniffLake opens a data file, which is Parquet.
func (t *table) sniffLake(r io.ReaderAt) (err error) {
	if t.lake.file == nil {
		t.parquet = parquet.Empty()
		return nil
	}
	if t.parquet, err = parquet.OpenWithin(r, t.size, t.limits); err == nil {
		return nil
	}
	var head [len(parquet.Magic)]byte // which a file that can be opened ends with, too
	if n, readErr := r.ReadAt(head[:], 0); (readErr == nil || errors.Is(readErr, io.EOF)) && string(head[:n]) != parquet.Magic {
		return fmt.Errorf("%w: the table says that it is Parquet, but it doesn't begin as Parquet does", ErrFormat)
	}
	return err
}

// selectLake tells the file which of its columns will be read, given where the table's
// columns are.
func (t *table) selectLake(cols []columnar.Column, from []lakeColumn) error {
	var columns []int
	var kinds []columnar.Kind
	for k := range t.choice.picks {
		p := &t.choice.picks[k]
		f := &from[p.column]
		switch {
		case f.refuse != nil:
			return atColumn(cols[p.column].Path, f.refuse)
		case f.value != nil:
			p.value = f.value
			continue
		}
		p.read = len(columns)
		columns, kinds = append(columns, f.column), append(kinds, p.kind)
	}
	return t.parquet.Select(columns, kinds)
}

// checkRows compares the number of rows with what the table says, by which rows of files
// that weren't opened are numbered.
func (t *table) checkRows() error {
	if t.lake == nil || t.lake.file == nil || t.lake.file.Rows < 0 || t.lake.file.Rows == t.allRows() {
		return nil
	}
	return columnar.Corrupt("it has %d rows, where the table says %d, by which edges would be numbered", t.allRows(), t.lake.file.Rows)
}
