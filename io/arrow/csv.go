// This file reads CSV files whose columns the caller knows: as Parquet that it
// makes of them in memory, so that all the rest is the same as for Parquet files.

package arrow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/csvfile"
)

// csvColumns returns the columns of CSV files.
func csvColumns(columns []Column) ([]csvfile.Column, error) {
	cols := make([]csvfile.Column, len(columns))
	for i, c := range columns {
		cols[i] = csvfile.Column{Name: c.Name, Type: csvfile.ParseType(c.Type)}
		if cols[i].Type == csvfile.None {
			return nil, fmt.Errorf("arrow: %w: column %.100q of CSV is of type %.40q; want one of %s", graph.ErrOptions, c.Name, c.Type, csvfile.Types())
		}
	}
	return cols, nil
}

// csvOutput maps columns of CSV to Parquet.
func csvOutput(t csvfile.Type) outType {
	switch t {
	case csvfile.Bool:
		return outType{kind: kindBool}
	case csvfile.Int32:
		return outType{kind: kindInt, bits: 32}
	case csvfile.Float:
		return outType{kind: kindFloat, bits: 32}
	case csvfile.Double:
		return outType{kind: kindFloat, bits: 64}
	case csvfile.String:
		return outType{kind: kindString}
	case csvfile.Date:
		return outType{kind: kindDate, bits: 32}
	case csvfile.Timestamp:
		return outType{kind: kindTimestamp, bits: 64, unit: goarrow.Millisecond}
	}
	return outType{kind: kindInt, bits: 64}
}

// openCSV returns a CSV file as Parquet of one row group, and the size of the text.
// Columns that the file lacks are left out.
func openCSV(ctx context.Context, path string, columns []Column) (parquet *bytes.Reader, size int64, err error) {
	cols, err := csvColumns(columns)
	if err != nil {
		return nil, 0, err
	}
	f, info, err := openRegular(ctx, path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if info.Size() > csvfile.MaxFile {
		return nil, 0, fileError(path, "", fmt.Errorf("%w: it has %d bytes, and of CSV at most %d are read; write smaller chunks", ErrLimit, info.Size(), int64(csvfile.MaxFile)))
	}
	r, err := csvfile.Open(f, cols)
	if err == nil {
		parquet, err = encodeCSV(ctx, r, cols)
	}
	if stop := ctx.Err(); err != nil && stop != nil && errors.Is(err, stop) {
		return nil, 0, stopped(ctx)
	}
	return parquet, info.Size(), csvError(path, err)
}

// csvError makes a FileError of an error of package csvfile.
func csvError(path string, err error) error {
	var at *csvfile.LineError
	if errors.As(err, &at) {
		return &FileError{Path: path, Part: csvPart, Block: int(at.Line), Column: at.Column, Row: -1, Err: at.Err}
	}
	return fileError(path, "", err)
}

// csvPart is FileError.Part of CSV.
const csvPart = "line"

func encodeCSV(ctx context.Context, r *csvfile.Reader, cols []csvfile.Column) (*bytes.Reader, error) {
	var fields []outField
	var from []int // the column of each field
	for k, c := range cols {
		if r.Has(k) {
			fields, from = append(fields, outField{name: c.Name, typ: csvOutput(c.Type), optional: true}), append(from, k)
		}
	}
	if len(fields) == 0 {
		return nil, columnError(fmt.Sprintf("the header names none of the columns that are read, such as %.100q; it names %.300q", cols[0].Name, r.Header()))
	}
	var out bytes.Buffer
	w := newCountingWriter(&out)
	e, err := newParquetEncoder(w, fields, &writeSpec{WriteOptions: WriteOptions{Compression: "none"}})
	if err != nil {
		return nil, err
	}
	defer e.stop()
	e.groupRows, e.groupBytes = math.MaxInt, math.MaxInt // so that a worker makes the whole file once
	batch := outBatch{cols: make([]outColumn, len(fields))}
	for {
		b, err := r.Read(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		batch.n = b.Rows
		for i, k := range from {
			v := &b.Cols[k]
			batch.cols[i] = outColumn{ints: v.Ints, bytes: v.Bytes, floats: v.Floats, doubles: v.Doubles, valid: v.Valid}
		}
		if err := e.write(&batch); err != nil {
			return nil, err
		}
	}
	if err := e.close(); err != nil {
		return nil, err
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	return bytes.NewReader(out.Bytes()), nil
}

// blobPart is a file of several whose bytes are read as one.
type blobPart struct {
	io.ReaderAt
	io.Closer
	size int64
	text int64 // the size of the CSV that it was made of
}

// openPartOf opens a file of a table, of whichever of the two formats.
func openPartOf(ctx context.Context, from *origin, path string) (blobPart, error) {
	if columns, ok := from.csv[path]; ok {
		r, size, err := openCSV(ctx, path, columns)
		if err != nil {
			return blobPart{}, err
		}
		return blobPart{r, io.NopCloser(r), r.Size(), size}, nil
	}
	f, info, err := openRegular(ctx, path)
	if err != nil {
		return blobPart{}, err
	}
	return blobPart{f, f, info.Size(), 0}, nil
}

// readOf returns how many bytes of files were read, of n bytes of the blob: of CSV
// all of them.
func (b *blob) readOf(n int64) int64 {
	if b.text == 0 {
		return n
	}
	return min(n, b.size-b.memory) + b.text
}

// stored returns the size of the table's files.
func (t *table) stored() int64 { return t.size - t.memory + t.text }

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
	r, err := csvfile.Open(file, cols)
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
