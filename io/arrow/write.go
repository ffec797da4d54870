// This file holds what writing is told (WriteOptions), the formats and
// compressions by name, and the errors.

package arrow

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/io/arrow/internal/parquet/metadata"
)

// Errors to test for with errors.Is. A returned error wraps one of them, or an error of
// the operating system, of the context or of package graph, and describes the cause and
// a remedy.
var (
	// ErrOutputFormat: a format that isn't written, or an extension that says none.
	ErrOutputFormat = errors.New("unknown output format")
	// ErrOutputOption: a WriteOptions field that the format can't have.
	ErrOutputOption = errors.New("bad output option")
	// ErrResult: a result that doesn't belong to the graph.
	ErrResult = errors.New("the result doesn't fit the graph")
	// ErrOutputColumn: a ResultColumn that can't be written, or that clashes with another.
	ErrOutputColumn = errors.New("bad output column")
	// ErrEdgeBatch: a batch of edges whose columns don't fit each other.
	ErrEdgeBatch = errors.New("malformed batch of edges")
)

// WriteOptions say how to write. The zero value writes the format that the
// path's extension names, with its default compression.
type WriteOptions struct {
	// Format is parquet, arrow (an IPC file; also feather, ipc), arrows (an
	// IPC stream), csv, or jsonl (also ndjson). Empty means the one that the
	// path's extension names, which is spelled the same, and csv for "-".
	Format string
	// Compression is, for Parquet, zstd, snappy, gzip, brotli or none, and
	// zstd if empty; for IPC it is zstd, lz4 or none, and none if empty. CSV
	// and JSON lines are written uncompressed: empty or none.
	Compression string
	// RowGroup is the most rows that a row group of a Parquet file has; 0
	// means 1,048,576. A row group also ends where its values take 256 MiB,
	// so that writing takes bounded memory. Other formats have no row groups.
	RowGroup int
	// MemoryLimit is how many bytes writing may hold, beside the rows that it is given
	// and, for results, an order of the vertices: row groups of Parquet are smaller, and
	// fewer pages are compressed at a time. graph.ErrMemory says what the least is. 0 is
	// no limit.
	MemoryLimit uint64
	// Metadata goes into the file's footer or schema as keys and values, all
	// UTF-8. CSV and JSON lines have no place for it and are written without.
	Metadata map[string]string
	// ReachedOnly leaves out vertices that were not reached: rows without a depth or, if
	// the result has no depths, without a parent; for WriteColumns rows without a value
	// in the first column. For WritePaths it leaves out paths to such targets. Edges are
	// always all written.
	ReachedOnly bool
	// Properties are columns of the graph's vertices that results are written
	// with. nil, or a nil pointer as Dataset.Properties may return, means none;
	// edges and paths have none.
	Properties Properties
	// SortByID sorts the rows of vertices by ascending external id: integers by value,
	// strings and binary bytewise, vertices of several kinds by kind first. Otherwise
	// rows are in the order of internal vertex numbers. With PartitionBy each file has
	// that order. Paths and edges have their own order.
	SortByID bool
	// VertexColumn is what the column of vertices is called, "vertex" if empty; that of
	// their kinds is "kind" beside "vertex", else the name and _kind. Edges and paths
	// have other columns.
	VertexColumn string
	// PartitionBy names a column of a result; its values divide the rows among files:
	// vertex, depth, parent, one given to WriteColumns or a property, but no floats, and
	// no name that begins with a dot or an underscore, since readers skip such
	// directories. The path is then a Hive-style directory:
	//
	//	path/depth=3/part-0.parquet
	//
	// Values are written as CSV has them, but that those Hive escapes are escaped (%2F
	// for a slash), and that a missing value is __HIVE_DEFAULT_PARTITION__, as is an
	// empty one, which it can't be told from; a text that is spelled so is
	// %5F_HIVE_DEFAULT_PARTITION__. If a file system treats the names of two values as
	// equal, for example because it ignores case, the error is ErrOutputOption. The
	// files don't have the column itself. Format "" means the one that the directory's
	// extension names, and parquet if it names none.
	//
	// The directory appears complete or not at all; without rows it is empty. Sorting
	// rows into files takes 12 bytes a row; one file is open at a time.
	//
	// The path may be in a store, s3://bucket/prefix, which must have no objects yet;
	// without rows none is written. Files have a random part in their names there,
	// part-0-1f2e3d4c5b6a7988.parquet. Nothing is visible until all are uploaded; then
	// they appear one after another, within seconds, since a store can't publish them at
	// once. On an error, objects that have appeared are removed. A killed process may
	// leave uploads behind, which take space until a lifecycle rule ends them. Each file
	// takes three requests or more; up to 96 MiB are held on their way.
	PartitionBy string
	// MaxPartitions is how many values PartitionBy may find; more are an error.
	// 0 means 10,000.
	MaxPartitions int
	// Overwrite lets PartitionBy replace a directory that is there already and
	// holds what an earlier run wrote with PartitionBy, or nothing. The file
	// .foray-partitions of such a directory lists the files and their sizes;
	// anything else in the directory, such as a file that was changed, is an
	// ErrOutputOption, and all stays. Files are always replaced. In a store
	// the list has the writer's mark behind its name, and
	// the objects that were there are removed once all new ones are there; who
	// reads in those seconds may see both.
	Overwrite bool
	// S3 configures access to the store if the path is s3://bucket/key. An object
	// appears whole, or not at all.
	S3 S3Options
	// Stdout is where the path "-" leads; nil means the process's standard
	// output. It is not closed.
	Stdout io.Writer
}

// writeFormat is a format by its first name.
type writeFormat string

const (
	formatParquet writeFormat = "parquet"
	formatFile    writeFormat = "arrow"
	formatStream  writeFormat = "arrows"
	formatCSV     writeFormat = "csv"
	formatJSON    writeFormat = "jsonl"
)

// writeFormats has the formats by all their names, which are extensions too.
var writeFormats = map[string]writeFormat{
	"parquet": formatParquet,
	"arrow":   formatFile, "feather": formatFile, "ipc": formatFile,
	"arrows": formatStream,
	"csv":    formatCSV,
	"jsonl":  formatJSON, "ndjson": formatJSON,
}

// parquetCodecs and ipcCodecs have the compressions that there are; the first
// one named in the lists below is the default.
var (
	parquetCodecs = map[string]metadata.Codec{
		"zstd":   metadata.Zstd,
		"snappy": metadata.Snappy,
		"gzip":   metadata.Gzip,
		"brotli": metadata.Brotli,
		"none":   metadata.Uncompressed,
	}
	parquetCodecNames = []string{"zstd", "snappy", "gzip", "brotli", "none"}
	ipcCodecNames     = []string{"none", "zstd", "lz4"}
	textCodecNames    = []string{"none"}
)

// writeSpec is WriteOptions once they are checked against the path.
type writeSpec struct {
	WriteOptions
	path   string
	format writeFormat
	stdout bool

	// Of a partition in a store: where it is, and its name there.
	prefix *storeDir
	name   string
}

// newWriteSpec checks the options, of which there may be one or none, and
// finds the format.
func newWriteSpec(path string, options []WriteOptions) (writeSpec, error) {
	s := writeSpec{path: path, stdout: path == "-"}
	switch len(options) {
	case 0:
	case 1:
		s.WriteOptions = options[0]
	default:
		return s, fmt.Errorf("%w: %d WriteOptions; give one or none", ErrOutputOption, len(options))
	}
	if s.stdout {
		s.path = atomicfile.Stdout
	}
	if err := s.checkPartitions(); err != nil {
		return s, err
	}
	if err := s.findFormat(path); err != nil {
		return s, err
	}
	if s.RowGroup < 0 {
		return s, fmt.Errorf("%w: row groups of %d rows; give 1 or more, or 0 for %d", ErrOutputOption, s.RowGroup, defaultRowGroup)
	}
	if s.RowGroup == 0 {
		s.RowGroup = defaultRowGroup
	}
	names := textCodecNames
	switch s.format {
	case formatParquet:
		names = parquetCodecNames
	case formatFile, formatStream:
		names = ipcCodecNames
	}
	if s.Compression == "" {
		s.Compression = names[0]
	}
	if !slices.Contains(names, s.Compression) {
		return s, fmt.Errorf("%w: compression %q for %s; choose %s", ErrOutputOption, s.Compression, s.format, either(names))
	}
	return s, nil
}

func (s *writeSpec) findFormat(path string) error {
	name, what := s.Format, "format"
	if name == "" && s.stdout {
		name = string(formatCSV)
	}
	if name == "" {
		name, what = strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")), "extension"
		if _, known := writeFormats[name]; !known && s.PartitionBy != "" {
			name = string(formatParquet)
		}
		switch name {
		case "gz", "zst", "bz2", "xz", "lz4", "br":
			return fmt.Errorf("%w: %s: compressed text isn't written: write it without .%s and compress it afterwards, "+
				"or write .parquet, which is compressed inside", ErrOutputFormat, path, name)
		case "":
			return fmt.Errorf("%w: %s has no extension to tell it: end it in .%s, or name the format",
				ErrOutputFormat, path, either(formatNames()))
		}
	}
	format, ok := writeFormats[name]
	if !ok {
		return fmt.Errorf("%w: %s: %s %q; choose %s", ErrOutputFormat, s.path, what, name, either(formatNames()))
	}
	s.format = format
	return nil
}

// formatNames has all names of formats, sorted.
func formatNames() []string {
	var names []string
	for name := range writeFormats {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// either lists names as a choice.
func either(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
