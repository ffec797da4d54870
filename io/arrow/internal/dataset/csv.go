// This file reads CSV files whose columns the caller knows, into memory.

package dataset

import (
	"context"
	"fmt"
	"runtime"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/csv"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
)

// csvColumns returns the columns of CSV files.
func csvColumns(columns []Column) ([]csv.Column, error) {
	cols := make([]csv.Column, len(columns))
	for i, c := range columns {
		cols[i] = csv.Column{Name: c.Name, Type: csv.ParseType(c.Type)}
		if cols[i].Type == csv.None {
			return nil, fmt.Errorf("arrow: %w: column %.100q of CSV is of type %.40q; want one of %s", graph.ErrOptions, c.Name, c.Type, csv.Types())
		}
	}
	return cols, nil
}

// foreign returns a CSV file as one that Parquet files can be joined with.
func foreign(values *csv.Table, size int64) *parquet.File {
	return parquet.NewForeign(values.Columns, values.Rows, size, values.Bounds(), values.Nulls())
}

// csvColumn is a column of one of the files of a table that are CSV.
type csvColumn struct{ file, column int }

// readText fills v with the next rows of a column of CSV.
func (w *worker) readText(k int, v *columnar.Vector, n int) error {
	p := &w.table.choice.picks[k]
	at := w.text[k]
	values := w.blob.CSV[p.csv.file]
	if err := values.Read(p.csv.column, v, w.mem, p.kind, at, int(min(int64(n), values.Rows-at))); err != nil {
		return err
	}
	w.text[k] = at + int64(v.Len())
	return nil
}

// placeCSV makes the place of a row one of a line, where the file is CSV.
func (t *table) placeCSV(f *input.FileError) {
	cols, ok := t.CSV[f.Path]
	if !ok || f.Part == input.CSVPart {
		return
	}
	row := f.Row
	f.Part, f.Block, f.Row = input.CSVPart, -1, -1
	if row < 0 {
		return
	}
	file, _, err := input.OpenFile(context.Background(), t.FS, f.Path)
	if err != nil {
		return
	}
	defer file.Close()
	r, err := csv.Open(file, cols)
	for ; err == nil && row >= 0; row-- {
		err = r.Skip()
	}
	if err == nil {
		f.Block = int(r.Line())
	}
}

// atOnce returns how many files are opened at once: of CSV each takes its whole
// length of memory meanwhile.
func (d *Dataset) atOnce() int {
	if len(d.o.csv) == 0 {
		return opensAtOnce
	}
	workers := d.o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return min(opensAtOnce, workers)
}

// csvFiles returns the columns of CSV files. It reports those that can't be, before any file is opened.
func (o *Options) csvFiles() (map[string][]csv.Column, error) {
	files := make(map[string][]csv.Column, len(o.csv))
	for path, columns := range o.csv {
		if len(columns) == 0 {
			return nil, fmt.Errorf("arrow: %w: Table.CSV names no columns of %s", graph.ErrOptions, path)
		}
		cols, err := csvColumns(columns)
		if err != nil {
			return nil, err
		}
		files[path] = cols
	}
	return files, nil
}
