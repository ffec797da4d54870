// This file writes edges and results.

package arrow

import (
	"context"
	"io"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/write"
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
	// MemoryLimit is how many bytes writing may hold, in addition to the rows that it is given
	// and, for results, an order of the vertices: row groups of Parquet are smaller, and
	// fewer pages are compressed at a time. graph.ErrMemory states the minimum. 0 is
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

func insideWrite(all []WriteOptions) []write.WriteOptions {
	inside := make([]write.WriteOptions, len(all))
	for i, o := range all {
		inside[i] = write.WriteOptions{Format: o.Format, Compression: o.Compression, RowGroup: o.RowGroup, MemoryLimit: o.MemoryLimit,
			Metadata: o.Metadata, ReachedOnly: o.ReachedOnly, Properties: insideProperties(o.Properties), SortByID: o.SortByID,
			VertexColumn: o.VertexColumn, PartitionBy: o.PartitionBy, MaxPartitions: o.MaxPartitions, Overwrite: o.Overwrite,
			S3: input.S3Options(o.S3), Stdout: o.Stdout}
	}
	return inside
}

// Properties are columns with a value for every vertex of a graph.
type Properties interface {
	// Fields are the columns. They are of type bool, an integer, float32,
	// float64, string, binary (large ones too), date or timestamp; others are
	// refused. A column that isn't nullable has no nulls.
	Fields() []goarrow.Field
	// Gather returns a record with the columns of those numbers, in that order,
	// and a row for each vertex, which is an internal one of the graph, in that
	// order. Its memory comes from mem; the caller releases it. The slices are
	// the caller's again when Gather returns.
	Gather(ctx context.Context, columns []int, vertices []uint32, mem memory.Allocator) (goarrow.Record, error)
}

// insideProperties returns properties as package write has them: it looks at whose vertices they are.
func insideProperties(p Properties) write.Properties {
	switch p := p.(type) {
	case nil:
		return nil
	case *VertexProperties:
		if p == nil {
			return (*dataset.VertexProperties)(nil)
		}
		return p.p
	}
	return p
}

// Result is what a traversal found, as slices over the graph's vertices by
// internal vertex id. The results of Foray's searches are Results.
//
// A Result may have a method Graph() *graph.Graph as well, as bfs.Result has: the
// graph that was searched, or nil where it doesn't know. It is then written with
// that very graph only; all else is ErrResult, also the same graph in another order,
// whose vertices have other numbers.
type Result interface {
	// Depths returns the depth of every vertex, -1 where it was not reached. If the result has none, it
	// returns nil, or an error that wraps graph.ErrOptions. Any other error fails the call that writes it.
	Depths() ([]int32, error)
	// Parents returns the parent of every vertex, graph.NoVertex where it has none. If the result has
	// none, it returns the same as Depths.
	Parents() ([]uint32, error)
}

// WriteResult writes a result to the path, or to standard output if the path
// is "-": one row per vertex, in ascending order of internal vertex id, with
// the columns
//
//   - vertex: the external id, in the type that the graph's ids have; or vertex_1,
//     vertex_2 and so on for the parts of ids of several columns; with separate sides
//     vertex_side comes first, and if vertices have kinds, kind comes after it (the id
//     is text then, if not all kinds have ids of one type). The same applies to parent,
//     with parent_kind;
//   - depth: int32, missing where the vertex was not reached. Absent if the
//     result has no depths;
//   - parent: the parent's external id, missing if there is no parent. Absent if the
//     result has no parents;
//   - the columns of WriteOptions.Properties, by their own names.
//
// With WriteOptions.PartitionBy the path is a directory with a file for each
// value of a column.
//
// CSV has -1 for a missing depth and nothing for a missing parent, JSON lines have null
// for either; both have binary ids in hexadecimal. The file appears complete, replacing
// an earlier one, or not at all.
//
// Errors wrap ErrResult, also for no graph and no result, which a nil pointer is
// too, ErrOutputFormat, ErrOutputOption, an error of package graph about ids, ctx's
// error, or the operating system's; at most one WriteOptions may be given. A graph
// that was closed is device.ErrClosed. g and r are only read.
func WriteResult(ctx context.Context, path string, g *graph.Graph, r Result, o ...WriteOptions) (failed error) {
	defer shown(&failed)
	return write.WriteResult(ctx, path, g, r, insideWrite(o)...)
}

// WritePaths writes the path from the source to each target to a file, or to
// standard output if the path is "-": one row per target, which is an internal
// vertex, in the order in which they come, with the columns
//
//   - target: its external id, in the type that the graph's ids have;
//   - depth: int32, the number of edges of the path, missing where the target was
//     not reached;
//   - distance, if the result has a method Distances() any by internal vertex, such as
//     sums of weights (Tree of the results of algos/sssp): a slice of int64, float64 or float32, which is the
//     type of the column; missing where the target was not reached;
//   - path: a list of external ids, from the source that it begins with to the
//     target, both included; missing where the target was not reached;
//   - edges, if the graph has edge ids (graph.CSR.EdgeIDs): a list of uint64, the
//     ids of the path's edges in order, one fewer than path has vertices; of several
//     edges between two vertices the first in the row. Missing where path is.
//
// In Parquet path is a LIST of three levels, in IPC a list, in JSON lines an
// array. In CSV the ids are joined by semicolons; one that is part of an id, and
// a backslash, has a backslash before it. WriteOptions.ReachedOnly leaves out
// targets that were not reached; PartitionBy and Properties are not for paths.
//
// Paths are made of the result's parents, without which there are none
// (ErrResult). A batch holds the paths of some targets at a time, of 262,144
// vertices or one path; a path that takes more than 1 GiB is ErrOutputOption,
// and a target that the graph doesn't have graph.ErrNoVertex. Other errors are
// the same as for WriteResult.
func WritePaths(ctx context.Context, path string, g *graph.Graph, r Result, targets []uint32, o ...WriteOptions) (failed error) {
	defer shown(&failed)
	return write.WritePaths(ctx, path, g, r, targets, insideWrite(o)...)
}

// ResultColumn is a column with a value for each vertex of a graph.
type ResultColumn struct {
	// Name is what the column is called, in UTF-8.
	Name string
	// Values are the values by internal vertex: a slice of int32, int64, uint32, uint64,
	// float32, float64 or bool, or a value whose method All returns such a slice and
	// an error, as *traverse.Values has. If the value also has a method Graph()
	// *graph.Graph, it must return the graph that is written. The values must not change
	// meanwhile.
	Values any
	// Null is the value that stands for a missing one, as -1 does in depths, or NaN, which
	// stands for any NaN. It may be of any numeric type that holds it. nil: none is missing.
	Null any
	// Vertices says that values are vertices, uint32. They are written as external ids, in
	// as many columns as those have; graph.NoVertex is missing.
	Vertices bool

	// CSVNull is what CSV has where a value is missing, such as -1 in the depths of
	// WriteResult; "": nothing.
	CSVNull string
}

func insideResults(all []ResultColumn) []write.ResultColumn {
	columns := make([]write.ResultColumn, len(all))
	for i, c := range all {
		columns[i] = write.ResultColumn(c)
	}
	return columns
}

// WriteColumns writes columns with a value for each vertex to the path, or to standard
// output if the path is "-": one row per vertex, in ascending order of internal vertex id,
// with the columns
//
//   - vertex: the external id, as WriteResult writes it;
//   - the given columns, in order, with their names and the types of their values; columns
//     of vertices in the type of the graph's ids;
//   - the columns of WriteOptions.Properties.
//
// Parquet and IPC files have every value bit for bit, NaN included. CSV has CSVNull and
// JSON lines have null for a missing value; JSON lines have null for NaN and infinities too.
// WriteOptions.ReachedOnly leaves out vertices for which the first column has no value, and
// PartitionBy may name any column that isn't of floats.
//
// Errors wrap ErrOutputColumn (a name that is empty, not UTF-8 or another column's, the id's
// included; values of another type; an invalid Null; no column at all), ErrResult (no graph,
// a column of more or fewer values than the graph has vertices, or of another graph),
// device.ErrClosed (a closed graph, freed values), or any error of WriteResult. The file
// appears whole or not at all.
func WriteColumns(ctx context.Context, path string, g *graph.Graph, columns []ResultColumn, o ...WriteOptions) (failed error) {
	defer shown(&failed)
	return write.WriteColumns(ctx, path, g, insideResults(columns), insideWrite(o)...)
}

// WriteEdges writes the edges of a graph to the path, or to standard output if the path is "-": one row per edge,
// in ascending order of the source's internal vertex id and the order of its row in the CSR, with the columns src
// and dst (external ids, in the type that the graph's ids have) and, if the graph has weights, weight (int64,
// float64 or float32, as graph.Graph.WeightType says), and if it has edge ids, edge_id (uint64). An undirected
// edge is written in one direction: from the lower internal vertex number, or, if sources and targets are
// separate, from the source. Tuple ids are the columns src_1, src_2 and so on, which readers find automatically.
// Isolated vertices have no rows. In CSV an id with a NUL byte is ErrOutputFormat, since package edgelist
// couldn't read it back; binary ids are hexadecimal. The file appears complete, replacing an earlier one, or not
// at all.
//
// Errors wrap ErrOutputFormat, ErrOutputOption, an error of package graph
// about ids, ctx's error, or the operating system's; at most one WriteOptions
// may be given. g is only read.
func WriteEdges(ctx context.Context, path string, g *graph.Graph, o ...WriteOptions) (failed error) {
	defer shown(&failed)
	return write.WriteEdges(ctx, path, g, insideWrite(o)...)
}

// WriteEdgeBatches writes edges that come in batches, as from a generator or another file, without building a
// graph and without holding more than a row group. read calls yield with one batch after the other, from any
// number of goroutines; rows are written in the order in which the calls come. yield has read the batch when it
// returns. If it returns an error, stop. read is what graph.TwoPass takes, and is called once.
//
// The columns are the same as for WriteEdges. The first batch that has an edge sets their types: ids as
// Batch.Type says (strings or binary as Strings.Binary says), a weight if it has Weights, an id if it has
// EdgeIDs; later batches must be the same, but for weights: where the first are float64, others are made so; else
// they are graph.ErrWeights too. If no batch has an edge the file has the columns of the last one, or, if none
// came at all, src and dst of int64. Self-loops and repeated edges are written as they come.
//
// An error of read, other than an error of yield, is returned unchanged. Errors wrap ErrEdgeBatch (also where
// read is nil), ErrOutputFormat, ErrOutputOption, graph.ErrIDType, graph.ErrIDRange, ctx's error, or the
// operating system's. On an error no new file is left, and an earlier file is kept.
func WriteEdgeBatches(ctx context.Context, path string,
	read func(ctx context.Context, yield func(graph.Batch) error) error, o ...WriteOptions) (failed error) {
	defer shown(&failed)
	return write.WriteEdgeBatches(ctx, path, read, insideWrite(o)...)
}

// SourceRows is what a search from one source reached: rows of WriteSources. The
// slices are as long as Vertices.
type SourceRows struct {
	Source    uint32
	Vertices  []uint32
	Depths    []int32  // unless the table has distances
	Distances any      // if it has: a slice of int64, float64 or float32, as SourceTable.Distances says
	Parents   []uint32 // if the table has parents; graph.NoVertex is missing
}

// SourceTable is a table of the results of many sources.
type SourceTable struct {
	// Distances is the type of a column distance, which the table has instead of depth; WeightsAuto: it has depth.
	Distances graph.WeightType
	Parents   bool
	// Read calls yield with the rows of one source after the other, from one goroutine. The rows are used only
	// during the call.
	Read func(ctx context.Context, yield func(SourceRows) error) error
}

// WriteSources writes a row for every vertex that each source reached, with the columns source, vertex, depth
// (int32) or distance and, with parents, parent; ids are in the same columns as in WriteResult (if vertices have
// kinds, with source_kind next to source). Sources come in the order of Read. With WriteOptions.SortByID the
// vertices of each source are sorted by id, else they keep the order of Read. Rows are written as they come: no
// more than a row group is held.
//
// WriteOptions.PartitionBy and Properties are ErrOutputOption, rows that don't fit the table or the graph
// ErrResult; other errors are the same as for WriteResult. An error of Read, other than an error of yield, is
// returned unchanged.
func WriteSources(ctx context.Context, path string, g *graph.Graph, t SourceTable, o ...WriteOptions) (failed error) {
	defer shown(&failed)
	inside := write.SourceTable{Distances: t.Distances, Parents: t.Parents}
	if t.Read != nil {
		inside.Read = func(ctx context.Context, yield func(write.SourceRows) error) error {
			return t.Read(ctx, func(rows SourceRows) error { return yield(write.SourceRows(rows)) })
		}
	}
	return write.WriteSources(ctx, path, g, inside, insideWrite(o)...)
}

// CheckOutput reports why nothing can be written to a path with these options,
// for callers that work long before they write: wrong options, a directory that
// isn't there or mayn't be written, a bucket that isn't there, no right to write
// into it, and with PartitionBy what is there already and mayn't be replaced. The
// errors are those that writing would return. It leaves nothing behind: stores
// are asked to begin an upload, which is dropped. Pipes and devices aren't opened.
func CheckOutput(ctx context.Context, path string, o ...WriteOptions) (failed error) {
	defer shown(&failed)
	return write.CheckOutput(ctx, path, insideWrite(o)...)
}

// CheckResult reports errors that WriteResult would return for any result of a graph,
// for callers that search long before they write: no graph, a result with neither depths
// nor parents, properties that don't fit the graph, invalid options and, by the path's
// extension if no format is named, an invalid format, in this order; then properties
// that have the name of another column, a missing partition column, and, unless
// ReachedOnly is set, more than MaxPartitions values where the column is an id's or a
// property. The result has depths, parents, or both. It checks only the extension of the
// path; CheckOutput checks what exists there.
func CheckResult(ctx context.Context, path string, g *graph.Graph, depths, parents bool, o ...WriteOptions) (failed error) {
	defer shown(&failed)
	return write.CheckResult(ctx, path, g, depths, parents, insideWrite(o)...)
}

// CheckColumns is CheckResult for the output of WriteColumns. It checks the names of the
// columns and the types of their values, which may be nil slices.
func CheckColumns(ctx context.Context, path string, g *graph.Graph, columns []ResultColumn, o ...WriteOptions) (failed error) {
	defer shown(&failed)
	return write.CheckColumns(ctx, path, g, insideResults(columns), insideWrite(o)...)
}
