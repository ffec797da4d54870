// This file holds the errors of reading and writing.

package arrow

import (
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/foray-graph/foray/io/arrow/internal/errs"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/where"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// Errors to test for with errors.Is. A returned error wraps one of them, or one of these, in a *FileError if
// it concerns a file:
//
//   - graph.ErrOptions: an option, a condition, an output format or a column to write that can't be;
//   - device.ErrMemory: more than MemoryLimit, MaxFooter, MaxExpansion, MaxMetadata or S3Options.MaxObjects;
//   - graph.ErrWeights: a number out of the range of the type of weights;
//   - errors.ErrUnsupported: a file that may be fine, but uses what isn't read here;
//   - fs.ErrNotExist: no such file or object, also a directory or pattern without a file to read;
//   - fs.ErrPermission, and other errors of the operating system;
//   - the error of a canceled context;
//   - other errors of package graph, about ids and about building.
var (
	// ErrFormat: a file that is neither Parquet nor Arrow.
	ErrFormat = input.ErrFormat
	// ErrTable: a directory, prefix or pattern of files of an Apache Iceberg, Delta Lake
	// or Apache Hudi table, other than the directory of a table that is read. Only the
	// metadata defines which files and rows are current.
	ErrTable = input.ErrTable
	// ErrDamaged: a file that contradicts itself, its format or another file that it belongs to, is truncated,
	// or claims more than a file of its size plausibly holds.
	ErrDamaged = input.ErrDamaged
	// ErrColumn: a column that is missing, or that would have to be guessed.
	ErrColumn = input.ErrColumn
	// ErrCondition: a condition, such as Options.Where, that isn't written as one, whatever the columns are. It is
	// graph.ErrOptions too.
	ErrCondition = where.ErrSyntax
	// ErrColumnType: a column of a type that ids or weights are not read from,
	// or of another type than the column that it goes with.
	ErrColumnType = input.ErrColumnType
	// ErrNull: an edge that lacks an id or its weight.
	ErrNull = input.ErrNull
	// ErrStore: an object store failed or gave an answer that makes no sense, after some attempts, or an
	// object changed while it was read. Another attempt, later, may succeed.
	ErrStore = input.ErrStore
	// ErrSnapshot: a table of Iceberg or Delta Lake has no such snapshot, or none as of that time, or it isn't
	// complete any more. If a file of it is missing, the error is fs.ErrNotExist too.
	ErrSnapshot = input.ErrSnapshot
	// ErrRemoved: rows of a table were removed or changed since the snapshot that Options.Since
	// names, so that the rows that were added don't make the difference: read the whole table.
	ErrRemoved = input.ErrRemoved
	// ErrResult: columns, a result or batches of edges that don't fit the graph or each other, or are nil.
	ErrResult = write.ErrResult
)

// FileError gives the file of an error, and the place in it.
type FileError struct {
	Path string
	// Part is what the file consists of, "row group", "record batch" or, of CSV, "line".
	Part string
	// Block is the number of the row group or record batch, from 0, or of the line,
	// from 1; -1 where the error is about the whole file.
	Block int
	// Column is the name of the column, empty where the error isn't about one.
	Column string
	// Row is the row in the row group or record batch, from 0, or -1.
	Row int64
	Err error
}

func (e *FileError) Error() string { return (*input.FileError)(e).Error() }

// Unwrap returns the error without its place.
func (e *FileError) Unwrap() error { return e.Err }

// shown makes *err an error of this package: its text has no secrets, the place in a file is a *FileError, and
// it wraps errors that callers know. It is for defer, in functions that programs call.
func shown(err *error) {
	errs.Show(err, func(f input.FileError) error { return (*FileError)(&f) })
}

// reader is a reader of records whose error is this package's.
type reader struct{ array.RecordReader }

// Err returns why Next ended early, or nil.
func (r reader) Err() error {
	err := r.RecordReader.Err()
	shown(&err)
	return err
}
