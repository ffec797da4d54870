// Package tables describes a snapshot of a data lake's table to the reader of its data files,
// whatever the table's format: its files, how a file's columns are found, and which rows are
// deleted. Packages iceberg and delta read the metadata of the formats into it.
package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// FS is where a table's files are: the local file system, or a store. Names are paths, or
// s3://bucket/key.
type FS interface {
	// Open opens a file. The error wraps fs.ErrNotExist if the file is missing.
	Open(ctx context.Context, name string) (File, error)
	// List returns the names and sizes of the files right below a directory, in their order.
	List(ctx context.Context, dir string) ([]Entry, error)
}

// Keyed is an FS that can take the credentials of a store.
type Keyed interface {
	FS
	// With returns an FS that opens objects of stores with a key.
	With(k Key) FS
}

// Key is what a catalog gives with a table, to read its files in a store.
type Key struct {
	AccessKey, SecretKey, SessionToken string
	Endpoint, Region                   string // empty where the catalog doesn't say
}

// File is an open file.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Entry is a file of a directory.
type Entry struct {
	Name     string // as Open takes it
	Size     int64
	Modified time.Time
}

// ErrSnapshot: there is no such snapshot, or it isn't complete any more.
var ErrSnapshot = errors.New("no such snapshot")

// ErrRemoved: rows were removed or changed since a snapshot, so that the added rows alone don't lead from
// it to the later one.
var ErrRemoved = errors.New("rows were removed or changed")

// At selects the snapshot of a table: the current one if all are zero. Snapshot or Time is set,
// or neither.
type At struct {
	Snapshot string    // Iceberg's id, branch or tag; Delta's version
	Time     time.Time // the one that was current then
	// Since, named as Snapshot is, is an earlier snapshot, whose rows are left out: only data files with
	// rows that were added later are meant. The error wraps ErrRemoved where rows were removed since.
	Since string
	// Table, if it is set and the table has a TableID, must equal it: a table that was created again at the same
	// path has other snapshots under the same names. The error wraps ErrSnapshot.
	Table string
	// RowsOnly: DataFile.Bounds isn't used, so that statistics but for the number of rows aren't kept.
	RowsOnly bool
}

// Check reports a table that isn't the one that is meant. field is where the metadata has its id.
func (at At) Check(id, field string) error {
	if at.Table == "" || id == "" || at.Table == id {
		return nil
	}
	return fmt.Errorf("%w: the table was made anew: its %s is %.60s, and that of the table whose snapshot is meant was %.60s; read the whole table",
		ErrSnapshot, field, id, at.Table)
}

// Snapshot is a table as it was at one time.
type Snapshot struct {
	Format string // "Apache Iceberg", "Delta Lake"
	Name   string // the table's, or its directory
	// TableID is what the table is known by wherever it is, and whatever its name: Delta's metaData.id,
	// Iceberg's table-uuid. Empty where the metadata has none.
	TableID string
	ID      string // the snapshot's id, or its version
	Time    time.Time
	// Dir is the table's directory, below which its files are expected: a path, or
	// s3://bucket/prefix.
	Dir    string
	Fields []Field
	Files  []DataFile
	// Plan, where it is set, finds the data files: Files are then none. may reports whether rows with
	// such values may be wanted; nil wants all. Files that were left out together, without a look at
	// each, are counted in left.
	Plan func(ctx context.Context, may func(known func(path string) (Known, bool)) bool) (files []DataFile, left int, err error)
	FS   FS // that opens the files; nil for the one that the snapshot was read with
}

// Field is a column of a table. Fields of structs are its Children; lists and maps have Opaque true,
// since no graph is read from them.
type Field struct {
	Name string
	// ID is the field id by which a file's column is found (Parquet's field_id), where ByID of a file
	// is set; Physical is the name by which it is found otherwise, in the struct that it is in.
	ID       int
	Physical string
	// Names are those by which it is found in the struct that it is in, where ByID of a file is set but
	// the file has no field ids (Iceberg's name mapping); with none it isn't there.
	Names []string
	// Type has the column's type, as a file that has the column would describe it: Type, Class, ID,
	// IsID, Numeric, Unit, UTC, Scale and so on. Files may have a narrower one (an int32 of an int64).
	Type     columnar.Column
	Required bool
	// Default is what rows of files without the column have; nil is null. In files that lack the struct
	// that it is in, they have null.
	Default  *columnar.Scalar
	Opaque   bool
	Children []Field
}

// DataFile is a data file of a snapshot, in Parquet: others are refused before.
type DataFile struct {
	Name string // as FS.Open takes it
	Size int64  // as the metadata says; 0 if it doesn't
	Rows int64  // likewise, deleted ones included; -1 if it doesn't
	// ByID: columns are found by their ids (or Names, see there), else by their physical names.
	ByID bool
	// Fixed are columns that have one value in all rows of the file, which isn't in the file, or need
	// not be (partition columns), by the path of the field (names joined by dots).
	Fixed map[string]Value
	// Bounds returns what the metadata knows of the values of a column, by the path of its field and
	// Stats. nil knows nothing. Many files share it.
	Bounds func(stats, path string) (b Known, ok bool)
	Stats  string
	// Deletes returns the rows that are deleted, in any order of calls; nil: none are. It is called
	// when the file is read, not before.
	Deletes func(ctx context.Context, fs FS) (*Deleted, error)
	// Equality are equality deletes that apply to the file.
	Equality []EqualityDelete
}

// Value is a constant, or null.
type Value struct {
	Null bool
	columnar.Scalar
}

// Known is what is known of a column's values in a file.
type Known struct {
	columnar.Bounds
	Nulls   bool // some may be null
	AllNull bool // all are
	// Has reports whether a value may be there; nil knows nothing.
	Has func(columnar.Scalar) bool
}

// Deleted are rows of a file by position, ascending, none twice.
type Deleted struct {
	Rows []int64
}

// EqualityDelete is a file of rows: a row of the data file that equals one of them in the columns is
// deleted. Null equals null.
type EqualityDelete struct {
	Name string // of the Parquet file, as FS.Open takes it
	Size int64
	IDs  []int // field ids of the columns, in the data file and in this one
}
