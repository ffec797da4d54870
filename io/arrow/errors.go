// This file holds the errors of reading and writing.

package arrow

import (
	"errors"

	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// Errors to test for with errors.Is. A returned error wraps one of them, in a *FileError
// if it concerns a file. A missing file is fs.ErrNotExist, and a canceled context
// returns its own error.
var (
	// ErrNoData: a directory or pattern without a file to read.
	ErrNoData = input.ErrNoData
	// ErrFormat: a file that is neither Parquet nor Arrow.
	ErrFormat = input.ErrFormat
	// ErrTable: a directory, prefix or pattern of files of an Apache Iceberg, Delta Lake
	// or Apache Hudi table, other than the directory of a table that is read. Only the
	// metadata defines which files and rows are current.
	ErrTable = input.ErrTable
	// ErrDamaged: a file that contradicts itself or its format, is truncated,
	// or claims more than a file of its size plausibly holds.
	ErrDamaged = input.ErrDamaged
	// ErrUnsupported: a file that may be fine, but uses what isn't read here.
	ErrUnsupported = input.ErrUnsupported
	// ErrColumn: a column that is missing, or that would have to be guessed.
	ErrColumn = input.ErrColumn
	// ErrColumnType: a column of a type that ids or weights are not read from,
	// or of another type than the column that it goes with.
	ErrColumnType = input.ErrColumnType
	// ErrWeight: a number out of the range of the type of weights.
	ErrWeight = input.ErrWeight
	// ErrLimit: more than a limit that an option sets, such as Options.MaxFooter. They
	// guard against files and stores that mean harm.
	ErrLimit = input.ErrLimit
	// ErrNull: an edge that lacks an id or its weight.
	ErrNull = input.ErrNull
)

// Errors of objects in stores (s3://bucket/key), besides fs.ErrNotExist and
// fs.ErrPermission.
var (
	// ErrChanged: an object isn't any more what it was when it was listed.
	ErrChanged = input.ErrChanged
	// ErrStore: the store failed or gave an answer that makes no sense, after
	// some attempts.
	ErrStore = input.ErrStore
)

// Errors of tables.
var (
	// ErrSnapshot: a table of Iceberg or Delta Lake has no such snapshot, or none as of
	// that time, or it isn't complete any more.
	ErrSnapshot = input.ErrSnapshot
	// ErrRemoved: rows of a table were removed or changed since the snapshot that Options.Since
	// names, so that the rows that were added don't make the difference: read the whole table.
	ErrRemoved = input.ErrRemoved
	// ErrVacuumed: a data file of a snapshot isn't there any more. It is fs.ErrNotExist
	// too.
	ErrVacuumed = input.ErrVacuumed
	// ErrRows: files whose rows belong together (Table.Beside) have different
	// numbers of them. It is ErrDamaged too.
	ErrRows = dataset.ErrRows
	// ErrWhere: Options.Where is no condition, or one that the columns can't meet.
	ErrWhere = dataset.ErrWhere
	// ErrTwice: the table of vertices has properties of one vertex twice.
	ErrTwice = dataset.ErrTwice
)

// Errors of writing. A returned error wraps one of them, or an error of
// the operating system, of the context or of package graph, and describes the cause and
// a remedy.
var (
	// ErrOutputFormat: a format that isn't written, or an extension that says none.
	ErrOutputFormat = write.ErrOutputFormat
	// ErrOutputOption: a WriteOptions field that the format can't have.
	ErrOutputOption = write.ErrOutputOption
	// ErrResult: a result that doesn't belong to the graph.
	ErrResult = write.ErrResult
	// ErrOutputColumn: a ResultColumn that can't be written, or that clashes with another.
	ErrOutputColumn = write.ErrOutputColumn
	// ErrEdgeBatch: a batch of edges whose columns don't fit each other.
	ErrEdgeBatch = write.ErrEdgeBatch
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

// shown makes *err an error of this package: its text has no secrets, and the place in a file is a *FileError. It is
// for defer, in functions that programs call.
func shown(err *error) {
	if *err == nil {
		return
	}
	if f, ok := (*err).(*input.FileError); ok {
		*err = (*FileError)(f)
	} else if f := (*input.FileError)(nil); errors.As(*err, &f) {
		*err = &placed{*err, (*FileError)(f)}
	}
	location.Shown(err)
}

// placed is an error that has a FileError of an internal package somewhere below.
type placed struct {
	error
	file *FileError
}

// Unwrap returns the error as it was.
func (e *placed) Unwrap() error { return e.error }

// As makes errors.As find the FileError.
func (e *placed) As(target any) bool {
	f, ok := target.(**FileError)
	if ok {
		*f = e.file
	}
	return ok
}
