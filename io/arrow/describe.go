// This file describes one column of files.

package arrow

import (
	"context"

	"github.com/foray-graph/foray/io/arrow/internal/dataset"
)

// ColumnInfo describes a column of files or of a table, by their metadata alone.
type ColumnInfo struct {
	Name  string
	Types []ColumnType // by the files that have them, most first

	Files, FilesWithout int // all files, and those that lack the column, where it is null
	Rows                int64
	Nulls               int64 // rows without a value, as far as the metadata says
	NullsUnknown        int64 // rows of which it doesn't say

	// Min and Max are the least and the greatest value that statistics state, as conditions have
	// them, if Bounded. The statistics are the files' word.
	Min, Max string
	Bounded  bool
	Unbound  int // column chunks with values, of which statistics don't say that

	// Of Parquet: column chunks, and how many of them are stored so.
	Chunks        int
	Encodings     map[string]int
	Codecs        map[string]int
	Dictionaries  int
	Indexed       int   // with a page index
	Blooms        int   // with a bloom filter
	Contradictory int   // with statistics whose least value is more than the greatest
	Bytes, Plain  int64 // in the files, and decompressed

	IDs, Weights, Where bool   // ids or weights can be read from it, in all files; conditions can compare it
	WhereExample        string // such a condition
}

// ColumnType is a type that files have for a column.
type ColumnType struct {
	Type     string // in words, such as "decimal of scale 2"
	Physical string // what Parquet stores it as, or where else the value is; empty of others
	Files    int
	Example  string // one of them
}

// DescribeColumn describes a column of the files that paths stand for, as defined by Open. Only these options
// are used: Where, Snapshot, AsOf, S3, FS, MaxFooter, MaxExpansion, MaxMetadata, FollowLinks and AllowOutside.
// Files that Where rules out by their directories or their table's metadata aren't read. The error is
// ErrColumn if no file has the column; DescribeColumn returns the other errors that Open returns.
func DescribeColumn(ctx context.Context, paths []string, column string, o Options) (_ *ColumnInfo, failed error) {
	defer shown(&failed)
	c, err := dataset.DescribeColumn(ctx, paths, column, o.inside())
	if err != nil {
		return nil, err
	}
	info := &ColumnInfo{Name: c.Name, Files: c.Files, FilesWithout: c.FilesWithout, Rows: c.Rows, Nulls: c.Nulls, NullsUnknown: c.NullsUnknown,
		Min: c.Min, Max: c.Max, Bounded: c.Bounded, Unbound: c.Unbound, Chunks: c.Chunks, Encodings: c.Encodings, Codecs: c.Codecs,
		Dictionaries: c.Dictionaries, Indexed: c.Indexed, Blooms: c.Blooms, Contradictory: c.Contradictory, Bytes: c.Bytes, Plain: c.Plain,
		IDs: c.IDs, Weights: c.Weights, Where: c.Where, WhereExample: c.WhereExample}
	for _, t := range c.Types {
		info.Types = append(info.Types, ColumnType(t))
	}
	return info, nil
}
