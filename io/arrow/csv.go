// This file reads CSV files whose columns the caller knows, into memory.

package arrow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/csv"
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

// readCSV reads a CSV file into memory, and returns its size too.
func readCSV(ctx context.Context, path string, columns []Column) (values *csv.Table, size int64, err error) {
	cols, err := csvColumns(columns)
	if err != nil {
		return nil, 0, err
	}
	f, info, err := openRegular(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if info.Size() > csv.MaxFile {
		return nil, 0, fileError(path, "", fmt.Errorf("%w: it has %d bytes, and of CSV at most %d are read; write smaller chunks", ErrLimit, info.Size(), int64(csv.MaxFile)))
	}
	values, err = csv.ReadTable(ctx, f, info.Size(), cols)
	if stop := ctx.Err(); err != nil && stop != nil && errors.Is(err, stop) {
		return nil, 0, stopped(ctx)
	}
	var none *csv.NoColumnError
	if errors.As(err, &none) {
		err = columnError(none.Error())
	}
	return values, info.Size(), csvError(path, err)
}

// csvError makes a FileError of an error of package csvfile.
func csvError(path string, err error) error {
	var at *csv.LineError
	if errors.As(err, &at) {
		return &FileError{Path: path, Part: csvPart, Block: int(at.Line), Column: at.Column, Row: -1, Err: at.Err}
	}
	return fileError(path, "", err)
}

// csvPart is FileError.Part of CSV.
const csvPart = "line"

// foreign returns a CSV file as one that Parquet files can be joined with.
func foreign(values *csv.Table, size int64) *parquet.File {
	return parquet.NewForeign(values.Columns, values.Rows, size, values.Bounds(), values.Nulls())
}

// blobPart is a file of several whose bytes are read as one.
type blobPart struct {
	io.ReaderAt
	io.Closer
	size int64
	csv  *csv.Table // the values of a CSV file, whose bytes aren't read again
}

// openPartOf opens a file of a table, of whichever of the two formats.
func openPartOf(ctx context.Context, from *origin, path string) (blobPart, error) {
	if columns, ok := from.csv[path]; ok {
		values, size, err := readCSV(ctx, path, columns)
		if err != nil {
			return blobPart{}, err
		}
		r := strings.NewReader("")
		return blobPart{r, io.NopCloser(r), size, values}, nil
	}
	f, info, err := openRegular(ctx, path)
	if err != nil {
		return blobPart{}, err
	}
	return blobPart{f, f, info.Size(), nil}, nil
}

// csvColumn is a column of one of the files of a table that are CSV.
type csvColumn struct{ file, column int }

// readText fills v with the next rows of a column of CSV.
func (w *worker) readText(k int, v *columnar.Vector, n int) error {
	p := &w.table.choice.picks[k]
	at := w.text[k]
	values := w.blob.csv[p.csv.file]
	if err := values.Read(p.csv.column, v, w.mem, p.kind, at, int(min(int64(n), values.Rows-at))); err != nil {
		return err
	}
	w.text[k] = at + int64(v.Len())
	return nil
}

// placeCSV makes the place of a row one of a line, where the file is CSV.
func (t *table) placeCSV(f *FileError) {
	columns, ok := t.csv[f.Path]
	if !ok || f.Part == csvPart {
		return
	}
	row := f.Row
	f.Part, f.Block, f.Row = csvPart, -1, -1
	cols, err := csvColumns(columns)
	if err != nil || row < 0 {
		return
	}
	file, _, err := openRegular(context.Background(), f.Path)
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

// checkCSV reports columns of CSV files that can't be, before any is opened.
func (o *Options) checkCSV() error {
	for path, columns := range o.csv {
		if len(columns) == 0 {
			return fmt.Errorf("arrow: %w: Table.CSV names no columns of %s", graph.ErrOptions, path)
		}
		if _, err := csvColumns(columns); err != nil {
			return err
		}
	}
	return nil
}
