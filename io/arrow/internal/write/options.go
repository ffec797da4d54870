// This file holds what writing is told (WriteOptions), the formats and
// compressions by name, and the errors.

// Package write writes results and edges as Parquet, Arrow IPC, CSV and JSON lines, to files,
// objects and directories of partitions.
package write

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/io/arrow/internal/input"
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
	// ErrOutputColumn: a column that can't be written, or that clashes with another.
	ErrOutputColumn = errors.New("bad output column")
	// ErrEdgeBatch: a batch of edges whose columns don't fit each other.
	ErrEdgeBatch = errors.New("malformed batch of edges")
)

// WriteOptions is arrow.WriteOptions.
type WriteOptions struct {
	Format        string
	Compression   string
	RowGroup      int
	MemoryLimit   uint64
	Metadata      map[string]string
	ReachedOnly   bool
	Properties    Properties
	SortByID      bool
	VertexColumn  string
	PartitionBy   string
	MaxPartitions int
	Overwrite     bool
	EdgeColumns   []ResultColumn
	S3            input.S3Options
	Stdout        io.Writer
}

// writeFormat is a format by its first name.
type writeFormat string

const (
	formatParquet writeFormat = "parquet"
	FormatFile    writeFormat = "arrow"
	formatStream  writeFormat = "arrows"
	formatCSV     writeFormat = "csv"
	formatJSON    writeFormat = "jsonl"
)

// writeFormats has the formats by all their names, which are extensions too.
var writeFormats = map[string]writeFormat{
	"parquet": formatParquet,
	"arrow":   FormatFile, "feather": FormatFile, "ipc": FormatFile,
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

// WriteSpec is WriteOptions once they are checked against the path.
type WriteSpec struct {
	WriteOptions
	Path   string
	As     writeFormat
	stdout bool

	// Of a partition in a store: where it is, and its name there.
	prefix *storeDir
	name   string
}

// newWriteSpec checks the options and finds the format.
func newWriteSpec(path string, o WriteOptions) (WriteSpec, error) {
	s := WriteSpec{WriteOptions: o, Path: path, stdout: path == "-"}
	if s.stdout {
		s.Path = atomicfile.Stdout
	}
	if len(o.EdgeColumns) > 0 {
		return s, fmt.Errorf("%w: EdgeColumns are for WriteEdges", ErrOutputOption)
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
	switch s.As {
	case formatParquet:
		names = parquetCodecNames
	case FormatFile, formatStream:
		names = ipcCodecNames
	}
	if s.Compression == "" {
		s.Compression = names[0]
	}
	if !slices.Contains(names, s.Compression) {
		return s, fmt.Errorf("%w: compression %q for %s; choose %s", ErrOutputOption, s.Compression, s.As, either(names))
	}
	return s, nil
}

func (s *WriteSpec) findFormat(path string) error {
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
		return fmt.Errorf("%w: %s: %s %q; choose %s", ErrOutputFormat, s.Path, what, name, either(formatNames()))
	}
	s.As = format
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
