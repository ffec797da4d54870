// This file holds the package's documentation.

// Package arrow reads graphs from Parquet and Arrow IPC files and from Arrow
// records, writes results back, and keeps graphs ready to be searched.
//
//	g, err := arrow.Load(ctx, "lake/follows/*.parquet", arrow.Options{Source: "src", Target: "dst"})
//
// The guides are [docs/loading.md] and [docs/tables.md].
//
// An edge list is a table with a row per edge and a column for each end. Ids are integers of any width,
// strings, binary, dates, timestamps, decimals without digits behind the point or UUIDs
// (graph.IDs.Logical names it), or tuples of those in several columns (Options.Source "tenant,user").
// Vertices may be of several kinds (Options.Source "user:u"). OpenTables makes one graph from several
// tables, and Options.Vertices adds vertices without edges and properties of vertices; columns of one
// table may be in several files (Table.Beside). Only the columns that are needed are read, a row group
// or record batch per worker, a batch of 64 Ki rows at a time; Options.Where drops rows, and skips files
// and row groups that can't match. Paths may be of an S3-compatible store, and directories named like
// year=2025 are columns. Open a Dataset to get batches instead of a graph. Options.FS reads the files of an fs.FS.
// A nil context is an error that wraps graph.ErrOptions.
//
// # What is where
//
//   - To a graph: Load; Open and OpenTables for a Dataset of several paths or tables; LoadRecords for Arrow records;
//     Options, Table and VertexTable say what to read, and FileFS makes a file of bytes in memory.
//   - Of a Dataset: Load, Batches and Read for edges, Info and Estimate before, Stats after, Properties of vertices.
//   - Of files alone: DescribeColumn, IDs, IsGraph.
//   - From a graph: Write and Records for columns by vertex (NewColumn, ValuesColumn, DegreeColumn, ResultColumns),
//     WritePaths and PathRecords, WriteSources for many searches, WriteEdges and WriteBatches for edges. Check looks
//     before a long search at what could go wrong with Write.
//   - Prepared graphs: WriteGraph, OpenGraph; LoadProperties reads properties of their vertices, and
//     ReadProperties those of files whose rows are in the order of vertices.
//   - Package graphar reads Apache GraphAr, package cdata exchanges records with other languages by address, and
//     the module io/arrow18 with Arrow for Go v18. A program that imports packages io/s3, iceberg or brotli also reads object
//     stores, tables of Apache Iceberg and Parquet files that are compressed with Brotli.
//
// # Formats
//
// Parquet: all encodings of integers, floats and strings, plain and split,
// dictionary and delta; all codecs but LZO. Encrypted files, LZO and the
// bit-packed levels of files from before 2013 are refused. Arrow IPC: files
// (which Feather version 2 is) and streams, compressed with LZ4 or zstd or
// not, dictionaries and views included; big-endian data and Feather version 1
// are refused.
//
// Tables of Apache Iceberg (format versions 1 to 3) and Delta Lake (reader versions 1 to 3): the table's
// directory or prefix stands for a snapshot; see Open. Only the metadata defines which files and rows
// are current, so other directories, prefixes and patterns that contain files of a table are ErrTable:
// those above the table's directory, and those inside it up to eight levels below. A table is recognized
// by its metadata: a directory _delta_log or .hoodie, or metadata with a *.metadata.json (or
// .metadata.json.gz) or version-hint.text in it. Apache Hudi tables are always ErrTable: export a
// snapshot to plain Parquet files. A file that is named itself is read, with all its rows.
//
// # Untrusted files
//
// A file may be damaged or malicious. Reading it returns its rows or one *FileError, which names the
// file, row group and column; it does not panic, does not hang, and holds no more than 128 MB and 32
// times the size of the file at a time for its own buffers. Memory that the garbage collector hasn't
// freed yet comes in addition: as much again with its usual setting (GOGC=100), more where it gets too
// little of the processors, and less under debug.SetMemoryLimit. For that, some limits are fixed:
// strings longer than 64 KiB are refused as ids, and so are schemas of more than 100,000 fields, and
// files with more rows (2^26 and 512 a byte) or with more in them when decompressed (1 GiB and 1024
// bytes a byte) than files of their size plausibly have.
//
// # Writing
//
//	err = arrow.Write(ctx, "depths.parquet", g, arrow.ResultColumns(res), arrow.WriteOptions{})
//
// Write, WriteEdges and WriteBatches write Parquet, Arrow IPC files and streams,
// CSV and JSON lines, by the path's extension. Write takes any number of columns with a value per
// vertex, as the results of all algorithms are. Vertices are written as the external ids that the
// input had, in the type that it had: ids that are tuples as the columns vertex_1, vertex_2 and so on,
// and where sources and targets are separate with a column vertex_side, source or target; where vertices
// have kinds with a column kind. (Dates of 64 bits are written as days, and seconds in Parquet as
// milliseconds.) WritePaths writes the paths to targets as lists. Results can have columns of the
// vertices' properties (WriteOptions.Properties) and be divided among files by a column (PartitionBy).
// Records and
// PathRecords return the same rows as Arrow record batches, in memory of the caller's allocator.
//
// Parquet files have statistics in every row group, and dictionaries where values repeat enough: the
// first page of a column chunk is made both ways, and the rest goes the way that was smaller.
// WriteOptions.Metadata records the origin of a result; bfs.Result.Metadata returns it.
//
// A file appears complete or not at all: it is written under a temporary name in the same directory,
// synced, and then renamed. On an error, a full disk or a canceled context no new file is left, and an
// earlier file is unchanged.
//
// # Prepared graphs
//
//	err = arrow.WriteGraph(ctx, "follows.foray", g, arrow.WriteGraphOptions{})
//	g, _, err = arrow.OpenGraph(ctx, "follows.foray", arrow.OpenGraphOptions{})
//	defer g.Close()
//
// A prepared graph is a graph in its in-memory layout, in one Arrow IPC file that is mapped: opening it
// builds nothing, and reads it once to check it. An object of a store, s3://bucket/key, is fetched into
// memory instead. Any Arrow reader can read it. The only record batch has a row for each vertex, in the
// order of the graph; columns that the graph doesn't need are left out:
//
//   - id: the external id, where ids aren't the numbers of the rows: uint32 where
//     they are these in another order, int64 or uint64, large_string or
//     large_binary;
//   - by_id: uint32, in row i the vertex with the i-th id, where ids don't ascend;
//   - side: bool, where sources and targets are separate: whether it is a target;
//   - out: large_list of uint32, the vertices that edges lead to; where there are
//     weights or edge ids, of struct of uint32, float32, float64 or int64 (weights that float32 rounds) and uint64, whichever
//     there are;
//   - in: the same for the vertices that edges come from, where the graph is
//     directed and has its reverse;
//   - edge.NAME: large_list of numbers, the values of the column NAME of the edges of out; for a column of strings the
//     codes, uint32, of the strings in strings.NAME, a large_list of large_binary that only the first row has;
//   - first, no_in: uint32 and bool, that pulls read;
//   - ell4, long: fixed_size_list of four uint32, and bool, the rows of a graph of low degree, four targets each.
//
// Arrays are aligned to 64 bytes. The schema's metadata begins with foray. and
// describes the graph, the version of the format, which snapshots of tables it was
// made of, and the checksum of each array and of all the rest: XXH3, 64 bits, of blocks of 64 KiB, whose
// checksums' XXH3 is the array's. A file has the oldest version that
// supports its graph (5 with columns of edges, 4 with weights that need 64 bits, 3 with kinds of vertices, 2 with edge ids, else 1). Files of all of these are read, and
// those of later versions are errors.ErrUnsupported.
//
// [docs/loading.md]: https://github.com/foray-graph/foray/blob/main/docs/loading.md
// [docs/tables.md]: https://github.com/foray-graph/foray/blob/main/docs/tables.md
package arrow
