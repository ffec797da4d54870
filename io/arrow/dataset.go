// This file holds Dataset, whose edges can be read, once or again.

package arrow

import (
	"context"
	"iter"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
)

// Dataset is the edges of one or more files. Nothing is held open between
// calls, and no edge is held at all.
type Dataset struct{ d *dataset.Dataset }

// Field describes a column of a file.
type Field struct {
	Name     string // the names of the structs that it is in come first, with dots
	Type     string // in words, such as "int64", "timestamp" or "list of string"
	IDs      bool   // ids can be read from it
	Weights  bool   // weights can be read from it
	Nullable bool
	// Partition: it is told by the names of directories, as in year=2025.
	Partition bool
}

// Info is what the metadata of a dataset says.
type Info struct {
	// Columns are the columns of the first file. Source, Target and Weight are the places in Columns of
	// those that are read; Weight is -1 for none. SourceColumns and TargetColumns are all columns of
	// ids, where those are of several; Source and Target are the first of them.
	Columns                      []Field
	Source, Target, Weight       int
	SourceColumns, TargetColumns []int
	// IDType is the type of the ids, and Logical is what ids of that type stand for, as graph.IDs.Logical
	// has it.
	IDType  graph.IDType
	Logical string
	// Unused are the names of the columns that nothing is taken from, of the first file of each table: those that are
	// neither ids nor weights, edge ids or properties. A condition may look at them. Each name comes once.
	Unused []string
	// Rows is how many rows there are, without those of the files and row groups that Where rules out; the
	// edges are as many, but for those that Where and SkipNulls leave out, and those that a table of
	// Iceberg or Delta Lake says are deleted. RowsInFiles is how many rows the files of edges have that
	// were opened, whatever Where rules out.
	Rows, RowsInFiles int64
	// Snapshots are the snapshots of tables of Iceberg and Delta Lake that are read, in the order of the
	// paths; none where there are only files. The dataset reads these, whatever becomes of the tables.
	Snapshots []TableSnapshot
}

// Open reads the metadata of the files that paths stand for and chooses the columns, also those of
// Options.Vertices. A path is a file; an object of an S3-compatible store (s3://bucket/key), or a
// prefix or pattern of keys, which work like directories and patterns of files; a directory, in
// which all files are read, at any depth, that end in .parquet, .arrow, .feather, .ipc or .arrows,
// or have no extension but begin like Parquet or Arrow (as Hive's 000000_0 does), without those
// whose names, or whose directories' names, begin with a dot or an underscore, such as Spark's
// _SUCCESS and its checksums; or a pattern as filepath.Match has it, in which a
// name ** stands for directories of any depth (dir/**/*.parquet), and such names are left out too,
// of directories unless the pattern begins like them (dir/_*/*.parquet). The content of a file
// determines its format.
//
// The directory or prefix of an Apache Iceberg or Delta Lake table stands for the rows of its
// current snapshot, or of the snapshot that Options.Snapshot or Options.AsOf names; its columns
// are the table's. So does an Iceberg *.metadata.json, and iceberg://HOST/NAMESPACE/TABLE looks
// the table up in a REST catalog. The dataset keeps that snapshot, whatever is written meanwhile;
// Info.Snapshots describes it; a missing file of the snapshot is ErrSnapshot and fs.ErrNotExist. Paths above or
// inside such a directory, patterns too, and Apache Hudi tables, are ErrTable; a data file that is
// named itself is read as a plain file.
//
// A file that several paths stand for, or a path that is given twice, is read as often.
//
// Columns are found by name, at any position in a file. All files must have the columns that are
// read, unless Options.UnionByName is set. Their ids are all integers, all strings, all binary, or
// all dates, timestamps of one unit and zone, decimals without digits behind the point, or UUIDs,
// dictionary-encoded or not; of integers of several types, in two columns or in two files, all are
// read as the narrowest type that holds all values of each, such as int64 for int32 and int64 or
// for int32 and uint32. No type holds both uint64 and a signed type: that is ErrColumnType. Files
// are regular files: pipes, sockets and devices are errors.ErrUnsupported.
//
// Directories named like year=2025 are columns too, whose values are integers or dates if they are
// in all files, else strings, and null for __HIVE_DEFAULT_PARTITION__. Only directories below a
// named directory or prefix count, or from the first wildcard of a pattern on. They take
// precedence over a file's own column of that name. In a named path only the last directories
// count, so lake/year=2025 and lake/year=2025/month=03/x.parquet have a year, but neither
// /data/run=7/lake nor /data/year=2025/in has a column for directories further up. Those of a
// named path are columns only if the file has no column of that name, and only if requested by
// name.
func Open(ctx context.Context, paths []string, o Options) (_ *Dataset, failed error) {
	defer shown(&failed)
	return newDataset(dataset.Open(ctx, paths, o.inside()))
}

// OpenTables is Open for several tables of edges that make one graph, each with its own columns. Fields of
// o that Table also has must be unset, or the error is ErrOptions: use Table.Where for a condition. Either
// all tables have weights or none, and the same holds for edge ids. The types of ids must fit together, as
// in several files. Info describes the first table.
func OpenTables(ctx context.Context, tables []Table, o Options) (_ *Dataset, failed error) {
	defer shown(&failed)
	return newDataset(dataset.OpenTables(ctx, insideTables(tables), o.inside()))
}

func newDataset(d *dataset.Dataset, err error) (*Dataset, error) {
	if err != nil {
		return nil, err
	}
	return &Dataset{d}, nil
}

// Load builds a graph from a file, a directory of files or a pattern, as defined by
// Open. On cancellation it returns within a batch of rows (and, once all are read,
// as soon as building the graph does).
func Load(ctx context.Context, path string, o Options) (_ *graph.Graph, failed error) {
	defer shown(&failed)
	return dataset.Load(ctx, path, o.inside())
}

// Load makes a graph of the dataset.
func (d *Dataset) Load(ctx context.Context) (_ *graph.Graph, failed error) {
	defer shown(&failed)
	return d.d.Load(ctx)
}

// Batches reads all edges, in batches of at most 64 Ki of them, in no particular order:
//
//	d, err := arrow.Open(ctx, []string{"follows.parquet"}, arrow.Options{})
//	for batch, err := range d.Batches(ctx) {
//		if err != nil {
//			log.Fatal(err)
//		}
//		fmt.Println(len(batch.Src), "edges")
//	}
//
// A batch is valid until the loop asks for the next one, and is not empty. Several goroutines decode
// batches, and the loop gets one after the other: Read hands them over without waiting. The first error, of
// reading or ctx's, comes with an empty batch and ends the iteration. The dataset may be read again, but not
// from two goroutines at once.
//
// Several tables are read one after the other, vertices last, whose batches have Batch.Vertices set.
func (d *Dataset) Batches(ctx context.Context) iter.Seq2[graph.Batch, error] {
	return func(yield func(graph.Batch, error) bool) {
		err := each(func(yield func(graph.Batch) error) error { return d.Read(ctx, yield) },
			func(b graph.Batch) bool { return yield(b, nil) })
		if err != nil {
			yield(graph.Batch{}, err)
		}
	}
}

// each calls yield, in the goroutine that called it, with what read yields in others, one after the other. It
// returns the error of read, or nil after yield has returned false. A panic of read, as of a callback or a file system
// that it calls, becomes one of the caller's goroutine, which can recover it. A panic of yield takes precedence.
func each[T any](read func(yield func(T) error) error, yield func(T) bool) error {
	items, taken, stop := make(chan T), make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	var panicked any // set before done gets its value
	go func() {
		err := panics.ErrExited // unless read returns
		defer func() {
			panicked = recover()
			done <- err
		}()
		err = read(func(x T) error {
			select {
			case items <- x:
			case <-stop:
				return dataset.ErrStopped
			}
			select { // only the goroutine whose item came waits here
			case <-taken:
				return nil
			case <-stop:
				return dataset.ErrStopped
			}
		})
	}()
	ended, yielding := false, false
	defer func() { // also where yield panics
		close(stop)
		if ended {
			return
		}
		if <-done; panicked != nil && !yielding {
			panic(panicked)
		}
	}()
	for {
		select {
		case x := <-items:
			yielding = true
			more := yield(x)
			yielding = false
			if !more {
				return nil
			}
			taken <- struct{}{}
		case err := <-done:
			ended = true
			if panicked != nil {
				panic(panicked)
			}
			return err
		}
	}
}

// Read reads all edges and calls yield with batches, as Batches has them. Calls come from several goroutines
// at once. A batch is valid during the call alone. Read returns the first error, of reading or of yield, when
// all calls have returned; ctx is looked at before each batch, and within one at each page. A yield that is
// nil is graph.ErrOptions. graph.TwoPass and WriteBatches take Read.
func (d *Dataset) Read(ctx context.Context, yield func(graph.Batch) error) (failed error) {
	defer shown(&failed)
	return d.d.Batches(ctx, yield)
}

// EmptyError is the error of a dataset without an edge: graph.ErrEmpty with the
// paths' names and the reason, as far as the last call to Read or Batches found it. Load returns it.
func (d *Dataset) EmptyError() (failed error) {
	defer shown(&failed)
	return d.d.EmptyError()
}

// Info returns what the metadata of the files says.
func (d *Dataset) Info() Info {
	s := d.d.Schema()
	info := Info{Source: s.Source, Target: s.Target, Weight: s.Weight, IDType: s.IDType, Logical: s.Logical,
		SourceColumns: s.SourceColumns, TargetColumns: s.TargetColumns, Unused: d.d.LeftOut(), Rows: d.d.Rows(), RowsInFiles: d.d.RowsInFiles()}
	for _, c := range s.Columns {
		info.Columns = append(info.Columns, Field(c))
	}
	for _, t := range d.d.Snapshots() {
		info.Snapshots = append(info.Snapshots, TableSnapshot(t))
	}
	return info
}

// Stats returns what the last call to Read, Batches or Load read, of Files, RowGroups and
// Bytes in all; of all tables together.
func (d *Dataset) Stats() Stats { return Stats(d.d.Stats()) }

// Estimate returns the memory of the graph, before any of it is read. vertices is
// the number of vertices, or 0: then it is estimated as the span of ids, if
// statistics have it, and at most two for each row. meanIDBytes is the mean length
// of string ids, 0 for integers.
func (d *Dataset) Estimate(vertices uint64, meanIDBytes float64) graph.Memory {
	return d.d.Estimate(vertices, meanIDBytes)
}

// TableSnapshot is the snapshot of an Iceberg or Delta Lake table that is read.
type TableSnapshot struct {
	Path     string    // as it was given
	Format   string    // "Apache Iceberg" or "Delta Lake"
	Name     string    // what the table calls itself, or the name of its directory
	TableID  string    // what the table itself is known by: Iceberg's table-uuid, Delta Lake's metaData.id; empty where it has none
	ID       string    // of Iceberg the snapshot's id, of Delta Lake the version
	Time     time.Time // when it was committed; zero where that isn't known
	Since    string    // as Options.Since has it
	Where    string    // as Options.Where has it
	Files    int       // data files of the snapshot that are read
	FilesOut int       // data files that the condition leaves out unopened
	// Outside is the number of Files outside of the table's directory, as in shallow clones, and OutsideFile
	// the first of these. Their location comes only from the metadata: check it if you don't trust the
	// table's author.
	Outside     int
	OutsideFile string
	// OutsideMetadata is how many files of metadata and deletes were read so far that lie
	// outside of it, such as manifests, and OutsideMetadataFile one of these.
	OutsideMetadata     int
	OutsideMetadataFile string
}
