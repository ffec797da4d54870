// This file reads CSV files whose columns the caller knows, into memory.

package arrow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/csv"
)

// readCSV reads a CSV file into memory, and returns its size too.
func readCSV(ctx context.Context, path string, cols []csv.Column) (values *csv.Table, size int64, err error) {
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
