// This file holds the errors of reading.

package input

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/files/tableformat"
	"github.com/foray-graph/foray/internal/text/limit"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Errors to test for with errors.Is. A returned error wraps one of them, in a *FileError
// if it concerns a file. A missing file is fs.ErrNotExist, and a canceled context
// returns its own error.
var (
	// ErrNoData: a directory or pattern without a file to read.
	ErrNoData = errors.New("no data")
	// ErrFormat: a file that is neither Parquet nor Arrow.
	ErrFormat = errors.New("unknown format")
	// ErrEmptyFile: a file of 0 bytes. ErrNotParquet: a data file of a table in another format. Both are ErrFormat and
	// ErrDamaged.
	ErrEmptyFile  error = badFile("unknown format: the file is empty; check what wrote it")
	ErrNotParquet error = badFile("unknown format: the table says that it is Parquet, but it doesn't begin as Parquet does")
	// ErrTable: a directory, prefix or pattern of files of an Apache Iceberg, Delta Lake
	// or Apache Hudi table, other than the directory of a table that is read. Only the
	// metadata defines which files and rows are current.
	ErrTable = tableformat.ErrTable
	// ErrDamaged: a file that contradicts itself or its format, is truncated,
	// or claims more than a file of its size plausibly holds.
	ErrDamaged = columnar.ErrCorrupt
	// ErrUnsupported: a file that may be fine, but uses what isn't read here.
	ErrUnsupported = columnar.ErrUnsupported
	// ErrColumn: a column that is missing, or that would have to be guessed.
	ErrColumn = errors.New("no such column")
	// ErrColumnType: a column of a type that ids or weights are not read from,
	// or of another type than the column that it goes with.
	ErrColumnType = errors.New("wrong column type")
	// ErrWeight: a number out of the range of the type of weights.
	ErrWeight = errors.New("weight out of range")
	// ErrLimit: more than a limit that an option sets, such as Options.MaxFooter. They
	// guard against files and stores that mean harm.
	ErrLimit = limit.Err
	// ErrNull: an edge that lacks an id or its weight.
	ErrNull = errors.New("null")
)

// Unknown is ErrFormat for a file that begins with those bytes; and ErrDamaged if they are neither text nor compressed, so that
// something has written other bytes than it meant to, or only some of them.
func Unknown(begin string) error {
	text := utf8.ValidString(begin) && !strings.ContainsFunc(begin, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' })
	cut := begin != "" && (strings.HasPrefix("PAR1", begin) || strings.HasPrefix("ARROW1", begin))
	packed := slices.ContainsFunc([]string{"\x1f\x8b", "\x28\xb5\x2f\xfd", "PK\x03\x04", "BZh", "\xfd7zXZ"}, func(magic string) bool { return strings.HasPrefix(begin, magic) })
	if packed || text && !cut {
		return ErrFormat
	}
	return errUnknown
}

const errUnknown badFile = "unknown format"

type badFile string

func (b badFile) Error() string { return string(b) }
func (badFile) Unwrap() []error { return []error{ErrFormat, ErrDamaged} }

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

func (e *FileError) Error() string {
	var b strings.Builder
	if strings.Contains(e.Path, "://") {
		b.WriteString(location.RedactAddress(e.Path))
	} else {
		b.WriteString(e.Path)
	}
	sep := ": "
	if e.Block >= 0 {
		fmt.Fprintf(&b, "%s%s %d", sep, e.Part, e.Block)
		sep = ", "
	}
	if e.Column != "" {
		fmt.Fprintf(&b, "%scolumn %.100q", sep, e.Column)
		sep = ", "
	}
	if e.Row >= 0 {
		fmt.Fprintf(&b, "%srow %d", sep, e.Row)
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	return b.String()
}

// Unwrap returns the error without its place.
func (e *FileError) Unwrap() error { return e.Err }

// columnError is an ErrColumn with its own text.
type columnError string

func ColumnErrorf(format string, args ...any) error { return columnError(fmt.Sprintf(format, args...)) }

func (e columnError) Error() string { return string(e) }
func (e columnError) Unwrap() error { return ErrColumn }

// InFile makes a FileError of an error of the readers.
func InFile(path, part string, err error) error {
	if err == nil {
		return nil
	}
	f := &FileError{Path: path, Part: part, Block: -1, Row: -1, Err: err}
	var at *columnar.At
	if errors.As(err, &at) {
		f.Block, f.Column, f.Err = at.Block, at.Column, at.Err
	}
	return f
}

// Stopped returns an error if ctx is done.
func Stopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("arrow: reading stopped: %w", err)
	}
	return nil
}

// StoppedAt returns the error of reading one or several paths: if ctx ended it, the
// error names the input that was being loaded.
func StoppedAt(ctx context.Context, name string, err error) error {
	end := ctx.Err()
	if err == nil || end == nil || !errors.Is(err, end) {
		return err
	}
	return fmt.Errorf("arrow: loading %s: %w", name, end)
}

// IsNil reports nothing, as an interface that is nil or has a nil pointer in it: a
// search that failed returns a *bfs.Result that is nil.
func IsNil(x any) bool {
	v := reflect.ValueOf(x)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}
