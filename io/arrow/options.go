// This file holds what to read, and what was read.

package arrow

import (
	"io/fs"
	"log/slog"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/metrics"
)

// Options say what to read and what graph to build of it. The zero value
// works where the columns can be found by their names.
type Options struct {
	// Source and Target name the columns of the two ends of an edge. A column in a struct is named with
	// dots, such as "edge.src". Here and wherever else a column is named, an exact match is preferred,
	// then the only column that differs just in case. If both are empty, the columns src and dst, source
	// and target, or from and to are taken, if exactly one of these pairs is there, whatever the case of
	// its letters; else ids of several columns as WriteEdges names them, src_1, src_2 and so on with as
	// many dst_1, dst_2; else the two columns of a table that has only two. If one is empty, the column
	// that matches the other is used by the same rules.
	//
	// Ids of several columns are their names with commas between them, as many for both ends: Source
	// "tenant,user", Target "tenant,friend". A name with a comma must be in double quotes (and a double
	// quote in it is doubled), unless a column has exactly the name of the option. Graph.Bipartite
	// makes the same value on both sides two vertices.
	//
	// COLUMN:KIND, as in Source "user:u" and Target "item:i", sets the kind of the vertices: vertices of
	// different kinds are never the same vertex, even with equal ids, and each kind has its own id type.
	// KIND is letters, digits, _, - and dots; COLUMN may be empty for the default one. COLUMN:{OTHER}
	// takes the kind of each row from a column of strings, which is also read in advance. If a column
	// has exactly the name of the option, there is no kind. Either all ends of all tables have kinds or
	// none; ids with kinds are of one column. graph.ParseVertex takes "u:1" then, and results have
	// columns kind and, for other vertices, parent_kind and so on. There are at most 256 kinds.
	Source, Target string
	// Weight names the column of weights, of any numeric type. Integers stay integers, and an integer
	// past int64 is graph.ErrWeights; other types become float64. See Graph.WeightType. NaN and infinities in
	// the column are kept. If Weight is empty, weights are read only if Graph.Weights is set, from the
	// column named weight.
	Weight string
	// EdgeID names the column of the edges' ids, of any integer type, which end up in graph.CSR.EdgeIDs
	// (a negative one bit for bit). If it is empty and Graph.EdgeIDs is set, the id of an edge is its
	// row number: from 0, through the files in order and the tables in order. Rows that Where drops, or
	// that a table marks as deleted, count too, so a row's number doesn't depend on Where. To count the
	// rows of files that Where rules out, their metadata is read, and must be readable.
	EdgeID string
	// EdgeColumns names columns that the edges of the graph keep (graph.Graph.EdgeColumns), for functors
	// (traverse.EdgeColumn): numbers, strings, binary, booleans, dates, times, timestamps, and decimals of up to 18
	// digits. Integers of up to 32 bits become int32 or uint32, others int64 or uint64; booleans become uint32, 0 and 1;
	// dates, times and timestamps int64, in the unit that graph.Column.Logical names; decimals int64 without their
	// point; strings and binary codes (graph.Graph.Code). A null is NaN in a column of floats, graph.NoCode
	// in one of strings or binary, and else ErrNull, unless SkipNulls leaves the edge out. For parallel edges set
	// Graph.Merge or Graph.KeepDuplicates. It can't be combined with TwoPass. Every table of edges must have the columns.
	EdgeColumns []string
	// Vertices, if not nil, is a table of vertices, which are in the graph
	// whether they have edges or not.
	Vertices *VertexTable
	// VertexColumns names columns of Vertices that the vertices of the graph keep (graph.Graph.VertexColumns), for
	// functors (traverse.VertexColumn), of the types of EdgeColumns. A vertex that the table lacks, or that has a null,
	// has NaN in a column of floats and graph.NoCode in one of strings or binary; in other columns it is ErrNull. They
	// are read by Load; with Read or Batches call Properties and AddVertexColumns, and with records LoadProperties.
	VertexColumns []string
	// Where is a condition that rows have to meet, such as
	//
	//	amount >= 100 and type in ('follow', 'like') and year = 2025
	//
	// on any columns of numbers, strings, binary, booleans, dates, times and timestamps, and on
	// partition columns from directory names. Decimals may have any number of digits, which all count,
	// and timestamps may be Parquet's old INT96, which have no zone. It is written as in SQL: =, <>, <,
	// <=, >, >=, [not] in, [not] between, is [not] null, and, or, not, parentheses; of a column and
	// values, not of two columns. Names with other characters than letters, digits, _ and dots stand in
	// double quotes. Strings, dates ('2025-03-01') and timestamps ('2025-03-01 15:04:05', in UTC where
	// the column is) stand in single quotes, which 2025-03-01 and 2025-03-01T15:04:05 don't need; binary is x'00ff'. Comparing a date, time or timestamp with
	// a number is graph.ErrOptions: the unit and epoch of such numbers differ between systems. As in SQL, a
	// comparison with null is not true, and neither is its negation. NaN is unordered and unequal to
	// everything (in DuckDB and Spark it equals itself and comes last). Files, row groups and pages that
	// can't have matching rows, by names, statistics, page indexes and bloom filters, are not read.
	Where string
	// Snapshot names the snapshot of a table to read: for Delta Lake a version ("12"), for Iceberg an
	// id, a branch or a tag. AsOf names the snapshot that was current at that time. The zero values mean
	// the current snapshot. At most one of them is set. Setting one for anything but such a table is
	// graph.ErrOptions; a missing snapshot is ErrSnapshot.
	Snapshot string
	AsOf     time.Time
	// Since, in the form of Snapshot, reads only the rows that were added after that snapshot, up to the
	// snapshot that is read: the rows that a graph of the older snapshot lacks (see graph.Graph.Append).
	// Compactions since then add no rows. The error is ErrRemoved if rows were removed or changed, and
	// ErrSnapshot if the history between the two has expired or was cleaned up. A file that was added
	// and compacted since is read from its old path; if it is gone, the error is ErrSnapshot. If nothing
	// was added there are no rows, so Load returns graph.ErrEmpty.
	Since string
	// TableID, where it is set, is the TableSnapshot.TableID that the table has to have: ErrSnapshot where another one was
	// made at its path, whose snapshots may have the same names. A table that has none is taken.
	TableID string
	// UnionByName lets files lack columns that other files of the same table have,
	// as when a column was added later: it is null in all of their rows, and SkipNulls
	// and Where go by that. Without it a file that lacks a column that is read is
	// ErrColumn. It reads the metadata of all files before any column is chosen.
	// Tables of Iceberg and Delta Lake say themselves which columns they have; for
	// them it changes nothing.
	UnionByName bool
	// SkipNulls leaves out edges that lack an id or a weight, and counts them in Stats.NullRows. By default
	// they are ErrNull, an error that names the first that was found.
	SkipNulls bool
	// FS, if not nil, has the files: all paths, those of tables and vertices too, are names in it, such as of an
	// embed.FS or os.Root.FS. Patterns and directories are as for paths of this machine, but tables of Iceberg and Delta Lake
	// are ErrTable, and where links lead is the file system's business. A file that is no io.ReaderAt is read
	// into memory each time it is opened. FileFS makes a file system of an io.ReaderAt.
	FS fs.FS
	// S3 configures access to objects of a store, s3://bucket/key.
	S3 S3Options
	// MaxFooter is the most bytes that the footer of a file takes, with which its
	// metadata is read; 0 means 256 MiB. MaxExpansion is how many bytes may come of
	// each byte of a compressed file, beyond the first GiB; 0 means 500. More is
	// device.ErrMemory.
	MaxFooter    uint64
	MaxExpansion int
	// MaxMetadata is how many bytes of the metadata of tables of Iceberg and Delta
	// Lake a load holds at a time, decompressed: all metadata files and answers of
	// catalogs together, and each block of a manifest and each line of a log, which
	// may be longer as a whole; 0 means 64 MiB. More is device.ErrMemory.
	MaxMetadata uint64
	// FollowLinks follows symbolic links that lead out of a directory, a table's directory, or a
	// pattern's base directory. By default they are errors.ErrUnsupported, since anyone who can write into the
	// directory could make the program read any file of this machine.
	FollowLinks bool
	// AllowOutside has files read that the metadata of a table of Iceberg or Delta Lake
	// names outside of the table's directory or bucket, as shallow clones and Iceberg's
	// data.path have them: by default they are errors.ErrUnsupported, since the
	// author of the metadata could have any file of this machine read. It includes what
	// links in the table lead to.
	AllowOutside bool
	// Graph configures the graph to build. Graph.Weights is set by Weight, Graph.EdgeIDs by EdgeID, and
	// Graph.EdgeColumns by EdgeColumns.
	Graph graph.Options
	// TwoPass reads the files twice, rather than hold all edges while the graph
	// is built: slower, and less memory.
	TwoPass bool
	// Workers is the number of goroutines that read; 0 means GOMAXPROCS, less is
	// graph.ErrOptions. Files of less than a few hundred kilobytes get fewer.
	Workers int
	// Part and Parts divide the reading among processes: with Parts above 0, Batches
	// and Load read the row groups, record batches and streams alone that are the
	// Part-th of so many shares, from 0, which together have each edge once. All
	// metadata is read all the same, and Stats.Metadata tells processes that see different files.
	Part, Parts int
	// Progress, if not nil, is called now and then, in phase "read rows", with the rows that were read so far
	// and the rows of the dataset. Calls don't overlap. With TwoPass the rows start at 0 again in the second
	// pass. Graph.Progress reports edges and how the graph is built.
	Progress func(graph.Progress)
	// Logger, if not nil, gets a record for each file that is opened (slog.LevelDebug), and a summary
	// each time that all files have been read (slog.LevelInfo).
	Logger *slog.Logger
	// Metrics, if not nil, gets the end of each phase of a load: "read" each time that all files have been read,
	// twice with TwoPass, and "build" without TwoPass.
	Metrics metrics.Recorder
}

// inside returns the options as package dataset has them.
func (o *Options) inside() dataset.Options {
	g := o.Graph
	if o.EdgeColumns != nil {
		g.EdgeColumns = o.EdgeColumns
	}
	return dataset.Options{Source: o.Source, Target: o.Target, Weight: o.Weight, EdgeID: o.EdgeID, Vertices: o.Vertices.inside(),
		VertexColumns: o.VertexColumns, Where: o.Where, Snapshot: o.Snapshot, AsOf: o.AsOf, Since: o.Since, TableID: o.TableID, UnionByName: o.UnionByName,
		SkipNulls: o.SkipNulls, S3: input.S3Options(o.S3), FS: o.FS, MaxFooter: o.MaxFooter, MaxExpansion: o.MaxExpansion,
		MaxMetadata: o.MaxMetadata, FollowLinks: o.FollowLinks, AllowOutside: o.AllowOutside, Graph: g, TwoPass: o.TwoPass,
		Workers: o.Workers, Part: o.Part, Parts: o.Parts, Progress: o.Progress, Logger: o.Logger, Metrics: o.Metrics}
}

// Stats counts what was read. Files, row groups and rows that Options.Where drops are counted
// separately.
type Stats struct {
	Files     int
	RowGroups int   // row groups and record batches
	Rows      int64 // rows of them, those left out included
	NullRows  int64 // rows left out, as Options.SkipNulls says
	// DeletedRows are rows of files that a table of Iceberg or Delta Lake says were
	// deleted; Rows counts them too.
	DeletedRows int64
	// UnknownRows are rows left out, as VertexTable.SkipUnknown says.
	UnknownRows int64
	Bytes       int64 // the size of the files
	BytesRead   int64 // of them, those that were read, metadata included

	// Files in directories that aren't read, as they are neither Parquet nor Arrow
	// by their names or, without an extension, by how they begin; and one of them.
	// Hidden ones aren't counted.
	FilesIgnored int
	Ignored      string

	FilesPassed     int   // files that weren't opened, or only to count their rows (see Options.EdgeID)
	RowGroupsPassed int   // row groups that weren't read, as the footer's statistics exclude them
	RowsPassed      int64 // rows left out, except for those of such files and row groups

	// IndexesIgnored is how many page indexes of Parquet files weren't used, since they
	// contradict themselves or the statistics of the column: rows are right, reading is slower.
	// IgnoredIndex names one of them, its place and the contradiction.
	IndexesIgnored int
	IgnoredIndex   string

	// Metadata is, with Options.Parts, a hash of names, sizes and footers of the files, and of
	// some of the bytes of Arrow files. Two processes that have the same read the same files, as far
	// as can be told without reading them.
	Metadata uint64
}

// S3Options configure access to an S3-compatible store. Empty fields are taken from
// the environment and files that AWS's own tools read: AWS_ENDPOINT_URL_S3,
// AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
// AWS_SESSION_TOKEN, AWS_PROFILE, ~/.aws/credentials and ~/.aws/config, and the role
// of the container or instance. Without any credentials, or if AWS_NO_SIGN_REQUEST is
// true, requests are anonymous.
type S3Options struct {
	Endpoint                           string // http://host:port or https://host; AWS if it is set nowhere
	Region                             string
	AccessKey, SecretKey, SessionToken string
	Profile                            string
	Anonymous                          bool // without credentials, though there may be some
	Attempts                           int  // how often a request is sent at most; 0 for 6, over some seconds

	// MaxObjects is the most objects that a path may stand for; 0 means 1,000,000, more
	// is device.ErrMemory. MinRate is how many bytes a second an object has to come with, over
	// 30 seconds of waiting for it; 0 means 1,000, less than 0 any. A store that is
	// slower, time and again, is ErrStore.
	MaxObjects int
	MinRate    int64
}

// VertexTable is a source of vertices.
type VertexTable struct {
	// Paths are files, directories and patterns, as for Open.
	Paths []string
	// ID names the column of their ids, or several columns, or a kind, as Options.Source does.
	// Their types must fit the edges' ids. If it is empty, the column id or vertex is used,
	// ignoring case, or the only column.
	ID string
	// Snapshot and AsOf are as in Options, of a table of vertices.
	Snapshot string
	AsOf     time.Time
	// Properties names columns that Dataset.Properties returns. An id that is there
	// twice is then an error; without properties it is the same vertex again.
	Properties []string
	// Side says on which side they are, with graph.Options.Bipartite.
	Side graph.Side
	// SkipUnknown has LoadProperties leave out the rows of vertices that the
	// graph doesn't have, rather than fail, and count them in Stats.UnknownRows. A
	// graph that is built with the table has them all: there it is
	// graph.ErrOptions.
	SkipUnknown bool
}

func (t *VertexTable) inside() *dataset.VertexTable {
	if t == nil {
		return nil
	}
	return &dataset.VertexTable{Paths: t.Paths, ID: t.ID, Snapshot: t.Snapshot, AsOf: t.AsOf, Properties: t.Properties, Side: t.Side, SkipUnknown: t.SkipUnknown}
}

// Table is one table of edges: files and their columns. The fields mean the same as in Options.
type Table struct {
	Paths          []string
	Source, Target string
	Weight         string
	EdgeID         string
	Where          string
	Snapshot       string
	AsOf           time.Time
	Since          string
	TableID        string
	// Beside are Parquet files with further columns of the same rows: the i-th
	// of each list goes with the i-th of Paths, row by row, whatever their row
	// groups. Paths are then Parquet files, or CSV ones, on this machine or in Options.FS, not directories or
	// patterns; of a column that several of them have, the first one's counts. Files with
	// another number of rows are ErrDamaged.
	Beside [][]string
	// CSV has the columns of those files, of Paths and Beside, that are CSV and not
	// Parquet: Field.Name and Field.Type count, which is bool, int32, int64, float,
	// double, string, date or timestamp (in milliseconds). The first row of such a file
	// names the columns; those that CSV doesn't have are not read. A value without a
	// character is null, except for "" in quotes, which is a string. A file is read
	// into memory as a whole whenever it is read, by each worker. FileError names
	// lines.
	CSV map[string][]Field
}

func insideTables(all []Table) []dataset.Table {
	tables := make([]dataset.Table, len(all))
	for i, t := range all {
		tables[i] = dataset.Table{Paths: t.Paths, Source: t.Source, Target: t.Target, Weight: t.Weight, EdgeID: t.EdgeID, Where: t.Where,
			Snapshot: t.Snapshot, AsOf: t.AsOf, Since: t.Since, TableID: t.TableID, Beside: t.Beside}
		if t.CSV != nil {
			tables[i].CSV = make(map[string][]dataset.Column, len(t.CSV))
			for path, columns := range t.CSV {
				tables[i].CSV[path] = insideColumns(columns)
			}
		}
	}
	return tables
}

func insideColumns(all []Field) []dataset.Column {
	if all == nil {
		return nil
	}
	columns := make([]dataset.Column, len(all))
	for i, c := range all {
		columns[i] = dataset.Column(c)
	}
	return columns
}
