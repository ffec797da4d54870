// This file holds Dataset: files whose metadata was read and checked, and
// whose edges can be read, once or again.

package arrow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/lake"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// Dataset is the edges of one or more files. Nothing is held open between
// calls, and no edge is held at all.
type Dataset struct {
	o      Options
	name   string      // of its paths, for errors
	where  *where.Expr // nil for all rows
	store  *store
	tables []*table
	schema Schema
	stats  Stats
	opened int64 // bytes read while opening

	// passed are the files that the condition rules out, by the table that they
	// come before; the last list is of those behind the last table.
	passed [][]origin
	after  int64 // rows of these, where they are counted

	lakes []*lakeTable // tables of Iceberg and Delta Lake

	files []origin          // those that are read
	union []columnar.Column // of all files, where they may lack some

	left    []string          // columns of the first file that nothing is taken from
	guessed map[string]string // the first file, by the options that were empty: its columns count for all

	form logical.Type // what ids are read as
	// more is further tables of edges, then one of vertices.
	more []*Dataset
	// propTable is the vertices again, with their properties.
	propTable   *Dataset
	propFields  []arrow.Field
	propClasses []columnar.Class
	props       *VertexProperties
}

// Column describes a column of a file.
type Column struct {
	Name     string // the names of the structs that it is in come first, with dots
	Type     string // in words, such as "int64", "timestamp" or "list of string"
	IDs      bool   // ids can be read from it
	Weights  bool   // weights can be read from it
	Nullable bool
	// Partition: it is told by the names of directories, as in year=2025.
	Partition bool
}

// Schema is the columns of a dataset's first file, and which of them are read.
type Schema struct {
	Columns        []Column
	Source, Target int
	Weight         int // -1 for none
	IDType         graph.IDType
	// Logical is what ids of that type stand for, as graph.IDs.Logical has it.
	Logical string
	// SourceColumns and TargetColumns are all columns of ids, where those are of
	// several; Source and Target are the first of them.
	SourceColumns, TargetColumns []int
}

// Open reads the metadata of the files that paths stand for and chooses the columns, also those of
// Options.Vertices. A path is a file; an object of an S3-compatible store (s3://bucket/key), or a
// prefix or pattern of keys, which work like directories and patterns of files; a directory, in
// which all files are read, at any depth, that end in .parquet, .arrow, .feather, .ipc or .arrows,
// or have no extension but begin like Parquet or Arrow (as Hive's 000000_0 does), without those
// whose names, or whose directories' names, begin with a dot or an underscore, as those of Spark's
// _SUCCESS and of the checksums beside it do; or a pattern as filepath.Match has it, in which a
// name ** stands for directories of any depth (dir/**/*.parquet), and such names are left out too,
// of directories unless the pattern begins like them (dir/_*/*.parquet). The content of a file
// determines its format.
//
// The directory or prefix of an Apache Iceberg or Delta Lake table stands for the rows of its
// current snapshot, or of the snapshot that Options.Snapshot or Options.AsOf names; its columns
// are the table's. So does an Iceberg *.metadata.json, and iceberg://HOST/NAMESPACE/TABLE looks
// the table up in a REST catalog. The dataset keeps that snapshot, whatever is written meanwhile;
// Dataset.Snapshots returns it, and a missing file of the snapshot is ErrVacuumed. Paths above or
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
// for int32 and uint32. There is none for uint64 and a signed type, which is ErrColumnType. Files
// are regular files: pipes, sockets and devices are ErrUnsupported.
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
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	return openAll(ctx, []Table{{Paths: paths, Source: o.Source, Target: o.Target, Weight: o.Weight, EdgeID: o.EdgeID, Where: o.Where,
		Snapshot: o.Snapshot, AsOf: o.AsOf, Since: o.Since, TableID: o.TableID}}, o)
}

// openPart reads the metadata of one table's files.
func openPart(ctx context.Context, paths []string, o Options) (*Dataset, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.budget == nil {
		o.budget = lake.NewBudget(o.MaxMetadata)
	}
	d := &Dataset{o: o, name: pathsName(paths), store: &store{o: o.S3, links: o.FollowLinks, outside: o.AllowOutside, metadata: o.budget}}
	if err := d.parseWhere(); err != nil {
		return nil, err
	}
	d.store.rowsOnly = d.where == nil
	if !d.numbers() { // which takes the rows of all files
		d.store.where = d.where
	}
	defer d.store.rest()
	at, err := d.at()
	if err != nil {
		return nil, err
	}
	all, err := d.store.discover(ctx, paths, at)
	if err != nil {
		return nil, err
	}
	d.lakes = d.store.lakes
	if err := d.checkAt(all, at); err != nil {
		return nil, err
	}
	if err := d.putBeside(all, paths); err != nil {
		return nil, err
	}
	d.stats.FilesIgnored, d.stats.Ignored = d.store.left.n, d.store.left.one
	files, err := d.match(all)
	if err != nil {
		return nil, err
	}
	tables, err := d.openTables(ctx, files)
	if err != nil {
		return nil, err
	}
	d.tables = tables
	if err := d.findKinds(ctx, paths); err != nil {
		return nil, err
	}
	for _, t := range tables {
		if err := d.mix(t, d.tables[0]); err != nil {
			return nil, err
		}
		d.stats.Rows += t.allRows()
		d.stats.RowGroups += len(t.kept)
		d.stats.RowGroupsPassed += t.blocks() - len(t.kept)
		d.stats.Bytes += t.stored()
		d.stats.BytesRead += t.read
		if d.o.Logger != nil {
			d.o.Logger.LogAttrs(ctx, slog.LevelDebug, "file opened", slog.String("path", location.Redact(t.path)), slog.Int64("bytes", t.stored()),
				slog.Int64("rows", t.allRows()), slog.Int("blocks", t.blocks()), slog.Int("kept", len(t.kept)))
		}
	}
	if d.o.Parts > 0 {
		d.stats.Metadata = metadata(tables)
	}
	if err := d.countPassed(ctx); err != nil {
		return nil, err
	}
	d.number(0)
	d.stats.BytesRead += d.store.fetched() + d.store.lakeBytes.Load()
	d.opened = d.stats.BytesRead
	return d, nil
}

// mix widens the form of ids so that the table's can be read as it.
func (d *Dataset) mix(t, first *table) error {
	form, ok := commonForm(d.form, t.choice.own)
	if mixed := (d.form.Kind == logical.Kinds) != t.choice.hasKinds(); mixed {
		with, without := first.path, t.path
		if t.choice.hasKinds() {
			with, without = without, with
		}
		return fmt.Errorf("arrow: %w: vertices of %s have kinds, and those of %s have none; write COLUMN:KIND for all tables of edges and vertices, or for none",
			graph.ErrOptions, with, without)
	}
	if !ok {
		return fileError(t.path, t.part(), atColumn(t.choice.picks[0].path, fmt.Errorf("%w: it is %v, but in %s ids are %v; %s",
			ErrColumnType, t.choice.own, first.path, d.form, typesThatMix)))
	}
	d.form = form
	return nil
}

// settle makes all tables read ids as of a form.
func (d *Dataset) settle(form logical.Type) {
	d.form = form
	d.schema.IDType, d.schema.Logical = baseOf(form), logicalOf(form)
	for _, t := range d.tables {
		t.choice.read(form)
	}
}

// openTables opens the first file, whose columns determine the choice of columns in the others,
// and then the others, several at once. It returns the error of the first file that has one.
func (d *Dataset) openTables(ctx context.Context, files []origin) ([]*table, error) {
	d.files = files
	tables := make([]*table, len(files))
	if d.o.UnionByName {
		var err error
		if tables, err = d.readUnion(ctx, files); err != nil {
			return nil, err
		}
	}
	one := func(i int) (cols []columnar.Column, err error) {
		if err = stopped(ctx); err == nil {
			tables[i], cols, err = d.openTable(ctx, files[i], tables[i])
		}
		return cols, err
	}
	cols, err := one(0)
	if err != nil {
		return nil, err
	}
	d.describe(tables[0], cols)
	return tables, eachFile(1, len(files), d.atOnce(), func(i int) error {
		err := panics.Call(func() error {
			panics.Point("open file")
			_, err := one(i)
			return err
		})
		if panics.In(err) {
			var f *FileError
			if !errors.As(err, &f) {
				err = fileError(files[i].path, "", err)
			}
		}
		return err
	})
}

// describe keeps what the first file says; its choice of columns, by name,
// holds for the other files.
func (d *Dataset) describe(t *table, cols []columnar.Column) {
	c := t.choice
	d.form = c.own
	d.schema = Schema{Weight: -1}
	var names [2][]string
	for end, columns := range [2]*[]int{&d.schema.SourceColumns, &d.schema.TargetColumns} {
		for _, k := range c.ends[end] {
			*columns = append(*columns, c.picks[k].column)
			names[end] = append(names[end], c.picks[k].path)
		}
	}
	for _, col := range cols {
		d.schema.Columns = append(d.schema.Columns, Column{Name: col.Path, Type: col.Type,
			IDs: isID(&col), Weights: col.Numeric, Nullable: col.Nullable, Partition: col.Partition})
	}
	for i, col := range cols {
		if !c.takes(i) && !(d.o.Graph.Bipartite && isSide(col.Path)) {
			d.left = append(d.left, col.Path)
		}
	}
	d.schema.Source = d.schema.SourceColumns[0]
	d.guessed = map[string]string{}
	guess := func(option, value string) {
		if value == "" {
			d.guessed[option] = t.path
		}
	}
	if d.o.table != nil {
		guess("Vertices.ID", d.o.table.ID)
		d.o.table.ID = joinNames(names[0]) + c.kinds[0].suffix()
		return
	}
	d.schema.Target = d.schema.TargetColumns[0]
	guess("Source", d.o.Source)
	guess("Target", d.o.Target)
	guess("Weight", d.o.Weight)
	d.o.Source, d.o.Target = joinNames(names[0])+c.kinds[0].suffix(), joinNames(names[1])+c.kinds[1].suffix()
	d.o.Graph.EdgeIDs = d.o.Graph.EdgeIDs || c.edgeID >= 0
	if c.weight >= 0 {
		d.schema.Weight = c.picks[c.weight].column
		d.o.Weight = c.picks[c.weight].path
		d.o.Graph.Weights = true
	}
}

// stopped returns an error if ctx is done.
func stopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("arrow: reading stopped: %w", err)
	}
	return nil
}
