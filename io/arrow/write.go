// This file writes edges and results.

package arrow

import (
	"context"
	"io"
	"iter"

	"github.com/foray-graph/foray/graph"
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
	// fewer pages are compressed at a time. device.ErrMemory states the minimum. 0 is
	// no limit.
	MemoryLimit uint64
	// Metadata goes into the file's footer or schema as keys and values, all
	// UTF-8. CSV and JSON lines have no place for it and are written without.
	Metadata map[string]string
	// ReachedOnly leaves out vertices that were not reached: rows without a value in the first column,
	// which is the depth or, if the result has no depths, the parent. A search that lists the few vertices that it has
	// reached (bfs.Result.Few) is written in time that depends on these alone. For WritePaths it leaves out paths to such targets, for
	// WriteEdges edges without a value in the first of EdgeColumns; without EdgeColumns edges are all written.
	ReachedOnly bool
	// EdgeColumns are columns that WriteEdges adds. They have a value for each edge of Graph.Out, such as an
	// array of traverse.EdgeArray. An undirected edge gets the value of its direction from the larger to the smaller internal
	// vertex (with separate sides, from the source), as traverse.Corner has it. Other functions refuse them.
	EdgeColumns []Column
	// Properties are columns of the graph's vertices that results are written
	// with. nil, as Dataset.Properties may return, means none; edges and paths have none.
	Properties *Properties
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
	// the vertex, one of the given columns or a property, but no floats, and
	// no name that begins with a dot or an underscore, since readers skip such
	// directories. The path is then a Hive-style directory:
	//
	//	path/depth=3/part-0.parquet
	//
	// Values are written as CSV has them, but that those Hive escapes are escaped (%2F
	// for a slash), and that a missing value is __HIVE_DEFAULT_PARTITION__, as is an
	// empty one, which it can't be told from; a text that is spelled so is
	// %5F_HIVE_DEFAULT_PARTITION__. If a file system treats the names of two values as
	// equal, for example because it ignores case, the error is graph.ErrOptions. The
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
	// anything else in the directory, such as a file that was changed, is
	// graph.ErrOptions, and all stays. Files are always replaced. In a store
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

func (o *WriteOptions) inside() write.WriteOptions {
	return write.WriteOptions{Format: o.Format, Compression: o.Compression, RowGroup: o.RowGroup, MemoryLimit: o.MemoryLimit,
		Metadata: o.Metadata, ReachedOnly: o.ReachedOnly, Properties: o.Properties.inside(), SortByID: o.SortByID,
		VertexColumn: o.VertexColumn, PartitionBy: o.PartitionBy, MaxPartitions: o.MaxPartitions, Overwrite: o.Overwrite, EdgeColumns: insideColumnsOf(o.EdgeColumns),
		S3: input.S3Options(o.S3), Stdout: o.Stdout}
}

// Write writes columns with a value for each vertex to the path, or to standard
// output if the path is "-":
//
//	err := arrow.Write(ctx, "depths.parquet", g, arrow.ResultColumns(res), arrow.WriteOptions{})
//	err = arrow.Write(ctx, "labels.csv", g, []arrow.Column{arrow.ValuesColumn("label", result), arrow.DegreeColumn("degree")}, arrow.WriteOptions{})
//
// There is one row per vertex, in ascending order of internal vertex id, with the columns
//
//   - vertex: the external id, in the type that the graph's ids have; or vertex_1,
//     vertex_2 and so on for the parts of ids of several columns; with separate sides
//     vertex_side comes first, and if vertices have kinds, kind comes after it (the id
//     is text then, if not all kinds have ids of one type). The same applies to columns
//     of vertices, such as parent, with parent_kind;
//   - the given columns, in order, with their names and the types of their values; columns
//     of vertices in the type of the graph's ids;
//   - the columns of WriteOptions.Properties, by their own names.
//
// Parquet and IPC files have every value bit for bit, NaN included. For a missing value JSON lines have null, and
// CSV has nothing, except -1 for a depth of ResultColumns; JSON lines have null for NaN and infinities too. Both
// have binary ids in hexadecimal.
// WriteOptions.ReachedOnly leaves out vertices for which the first column has no value, and
// PartitionBy may name any column that isn't of floats; the path is then a directory with a file for each value.
//
// Errors wrap graph.ErrOptions (invalid options; a name that is empty, not UTF-8 or another column's, the id's
// included; no column at all), ErrResult (no graph, no result, a column of more or fewer values than the graph
// has vertices, or of another graph), device.ErrClosed (a closed graph, closed values), an error of package graph
// about ids, ctx's error, or the operating system's. g and the values are
// only read. The file appears complete, replacing an earlier one, or not at all.
func Write(ctx context.Context, path string, g *graph.Graph, columns []Column, o WriteOptions) (failed error) {
	defer shown(&failed)
	return write.WriteColumns(ctx, path, g, insideColumnsOf(columns), o.inside())
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
// vertices or one path; a path that takes more than 1 GiB is graph.ErrOptions,
// and a target that the graph doesn't have graph.ErrNoVertex. Other errors are
// the same as for Write.
func WritePaths(ctx context.Context, path string, g *graph.Graph, r Result, targets []uint32, o WriteOptions) (failed error) {
	defer shown(&failed)
	return write.WritePaths(ctx, path, g, r, targets, o.inside())
}

// WriteEdges writes the edges of a graph to the path, or to standard output if the path is "-": one row per edge,
// in ascending order of the source's internal vertex id and the order of its row in the CSR, with the columns src
// and dst (external ids, in the type that the graph's ids have) and, if the graph has weights, weight (int64,
// float64 or float32, as graph.Graph.WeightType says), and if it has edge ids, edge_id (uint64), and its edge columns
// (graph.Graph.EdgeColumns): strings, booleans, dates, times, timestamps, decimals and UUIDs as such. The columns of
// WriteOptions.EdgeColumns come last, and undirected edges are then in the order of their higher vertex; WriteOptions.ReachedOnly leaves out edges for which the first of them has no value. An undirected
// edge is written in one direction: from the end with the lower id (graph.IDs.ByID), or, if sources and targets are
// separate, from the source. Tuple ids are the columns src_1, src_2 and so on, which readers find automatically.
// Isolated vertices have no rows. In CSV an id with a NUL byte is graph.ErrOptions, since package edgelist
// couldn't read it back; binary ids are hexadecimal. The file appears complete, replacing an earlier one, or not
// at all.
//
// Errors wrap graph.ErrOptions, another error of package graph
// about ids, ctx's error, or the operating system's. g is only read.
func WriteEdges(ctx context.Context, path string, g *graph.Graph, o WriteOptions) (failed error) {
	defer shown(&failed)
	return write.WriteEdges(ctx, path, g, o.inside())
}

// WriteBatches writes edges that come in batches, as from a generator or another file, without building a
// graph and without holding more than a row group. read calls yield with one batch after the other, from any
// number of goroutines; rows are written in the order in which the calls come. yield has read the batch when it
// returns. If it returns an error, stop. read is what graph.TwoPass takes, such as Dataset.Read, and is called once.
//
// The columns are the same as for WriteEdges. The first batch that has an edge sets their types: ids as
// Batch.Type says (strings or binary as Strings.Binary says), a weight if it has Weights, an id if it has
// EdgeIDs; later batches must be the same, but for weights: where the first are float64, others are made so; else
// they are graph.ErrWeights too. If no batch has an edge the file has the columns of the last one, or, if none
// came at all, src and dst of int64. Self-loops and repeated edges are written as they come. Batch.Columns are
// ErrResult: build a graph, and write it by WriteEdges.
//
// An error of read, other than an error of yield, is returned unchanged. Errors wrap ErrResult (also where
// read is nil), graph.ErrOptions, graph.ErrIDType, graph.ErrIDRange, ctx's error, or the
// operating system's. On an error no new file is left, and an earlier file is kept.
func WriteBatches(ctx context.Context, path string,
	read func(ctx context.Context, yield func(graph.Batch) error) error, o WriteOptions) (failed error) {
	defer shown(&failed)
	return write.WriteEdgeBatches(ctx, path, read, o.inside())
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
	// Rows has the rows of one source after the other. The rows are used only until the next ones are asked for.
	// An error ends the rows.
	Rows iter.Seq2[SourceRows, error]
}

// WriteSources writes a row for every vertex that each source reached, with the columns source, vertex, depth
// (int32) or distance and, with parents, parent; ids are in the same columns as in Write (if vertices have
// kinds, with source_kind next to source). Sources come in the order of Rows. With WriteOptions.SortByID the
// vertices of each source are sorted by id, else they keep the order of Rows. Rows are written as they come: no
// more than a row group is held.
//
// WriteOptions.PartitionBy and Properties are graph.ErrOptions, rows that don't fit the table or the graph
// ErrResult; other errors are the same as for Write. An error of Rows is returned unchanged.
func WriteSources(ctx context.Context, path string, g *graph.Graph, t SourceTable, o WriteOptions) (failed error) {
	defer shown(&failed)
	inside := write.SourceTable{Distances: t.Distances, Parents: t.Parents}
	if t.Rows != nil {
		inside.Read = func(ctx context.Context, yield func(write.SourceRows) error) error {
			for rows, err := range t.Rows {
				if err == nil {
					err = yield(write.SourceRows(rows))
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
	}
	return write.WriteSources(ctx, path, g, inside, o.inside())
}

// WriteTable writes a table whose rows come in batches, such as pairs of vertices or random walks, without holding more than a batch and a row
// group. columns have the names and types, and no values:
//
//	columns := []arrow.Column{arrow.NewColumn("vertex", []uint32{}).Vertices(), arrow.NewColumn("score", []float64{})}
//
// Each batch has the same columns, with as many rows each. Columns of vertices, and lists of vertices (NewListColumn), are written as external
// ids, as WritePaths does. A batch is used only until the next one is asked for. An error of batches ends the table, and is returned unchanged.
//
// WriteOptions.PartitionBy, Properties, ReachedOnly and SortByID are graph.ErrOptions, batches that don't fit the columns or the graph ErrResult, as are ValuesColumn
// and DegreeColumn; other errors are the same as for Write.
func WriteTable(ctx context.Context, path string, g *graph.Graph, columns []Column, batches iter.Seq2[[]Column, error], o WriteOptions) (failed error) {
	defer shown(&failed)
	var read func(ctx context.Context, yield func([]write.ResultColumn) error) error
	if batches != nil {
		read = func(ctx context.Context, yield func([]write.ResultColumn) error) error {
			for batch, err := range batches {
				if err == nil {
					err = yield(insideColumnsOf(batch))
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
	}
	return write.WriteTable(ctx, path, g, insideColumnsOf(columns), read, o.inside())
}

// Check reports why Write could write nothing to a path with these options, for callers that work long before
// they write. Without a graph (nil) and columns, it looks at the options and the path, for every function that
// writes: a directory that isn't there or mayn't be written, a bucket that isn't there, no right to write
// into it, and with PartitionBy what is there already and mayn't be replaced. It leaves nothing behind: stores
// are asked to begin an upload, which is dropped. Pipes and devices aren't opened.
//
// With a graph and columns it looks at these instead: the columns' names, properties that don't fit the graph or
// have the name of another column, the options and the format, a missing partition column, and, unless
// ReachedOnly is set, more than MaxPartitions values where the column is an id's or a property. The columns'
// values are not read, and may be nil slices.
//
// The errors are those that writing would return.
func Check(ctx context.Context, path string, g *graph.Graph, columns []Column, o WriteOptions) (failed error) {
	defer shown(&failed)
	if g == nil && columns == nil {
		return write.CheckOutput(ctx, path, o.inside())
	}
	return write.CheckColumns(ctx, path, g, insideColumnsOf(columns), o.inside())
}
