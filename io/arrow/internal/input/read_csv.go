// This file reads CSV files whose columns the caller knows, into memory.

package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/csv"
)

// readCSV reads a CSV file into memory, and returns its size too.
func readCSV(ctx context.Context, fsys fs.FS, path string, cols []csv.Column) (values *csv.Table, size int64, err error) {
	f, info, err := OpenFile(ctx, fsys, path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	if info.Size() > csv.MaxFile {
		return nil, 0, InFile(path, "", fmt.Errorf("%w: it has %d bytes, and of CSV at most %d are read; write smaller chunks", ErrLimit, info.Size(), int64(csv.MaxFile)))
	}
	values, err = csv.ReadTable(ctx, f, info.Size(), cols)
	if stop := ctx.Err(); err != nil && stop != nil && errors.Is(err, stop) {
		return nil, 0, Stopped(ctx)
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
		return &FileError{Path: path, Part: CSVPart, Block: int(at.Line), Column: at.Column, Row: -1, Err: at.Err}
	}
	return InFile(path, "", err)
}

// CSVPart is FileError.Part of CSV.
const CSVPart = "line"

// BlobPart is a file of several whose bytes are read as one.
type BlobPart struct {
	io.ReaderAt
	io.Closer
	Size int64
	CSV  *csv.Table // the values of a CSV file, whose bytes aren't read again
}

// OpenPartOf opens a file of a table, of whichever of the two formats.
func OpenPartOf(ctx context.Context, from *Origin, path string) (BlobPart, error) {
	if columns, ok := from.CSV[path]; ok {
		values, size, err := readCSV(ctx, from.FS, path, columns)
		if err != nil {
			return BlobPart{}, err
		}
		r := strings.NewReader("")
		return BlobPart{r, io.NopCloser(r), size, values}, nil
	}
	f, info, err := OpenFile(ctx, from.FS, path)
	if err != nil {
		return BlobPart{}, err
	}
	return BlobPart{f, f, info.Size(), nil}, nil
}
