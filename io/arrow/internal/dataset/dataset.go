// This file holds Dataset: files whose metadata was read and checked, and
// whose edges can be read, once or again.

// Package dataset reads edges, vertices and their properties: it chooses the columns of each file,
// decodes them by row group, drops rows that a condition excludes, and passes batches of edges on.
package dataset

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// Dataset is the edges of one or more files. Nothing is held open between
// calls, and no edge is held at all.
type Dataset struct {
	o      Options
	name   string      // of its paths, for errors
	where  *where.Expr // nil for all rows
	store  *input.Store
	tables []*table
	schema Schema
	stats  Stats
	opened int64 // bytes read while opening

	// passed are the files that the condition rules out, by the table that they
	// come before; the last list is of those behind the last table.
	passed [][]input.Origin
	after  int64 // rows of these, where they are counted

	lakes []*input.LakeTable // tables of Iceberg and Delta Lake

	files []input.Origin    // those that are read
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

// Column is arrow.Field.
type Column struct {
	Name      string
	Type      string
	IDs       bool
	Weights   bool
	Nullable  bool
	Partition bool
}

// Schema is the columns of arrow.Info.
type Schema struct {
	Columns                      []Column
	Source, Target               int
	Weight                       int
	IDType                       graph.IDType
	Logical                      string
	SourceColumns, TargetColumns []int
}

// Open is arrow.Open.
func Open(ctx context.Context, paths []string, o Options) (_ *Dataset, failed error) {
	defer o.notOpened(ctx, pathsName(paths), time.Now(), &failed)
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
		o.budget = tables.NewBudget(o.MaxMetadata)
	}
	d := &Dataset{o: o, name: pathsName(paths), store: &input.Store{S3: o.S3, FS: input.CheckFS(o.FS), Links: o.FollowLinks, Outside: o.AllowOutside, Metadata: o.budget}}
	if err := d.parseWhere(); err != nil {
		return nil, err
	}
	d.store.RowsOnly = d.where == nil
	if !d.numbers() { // which takes the rows of all files
		d.store.Where = d.where
	}
	defer d.store.Rest()
	at, err := d.at()
	if err != nil {
		return nil, err
	}
	all, err := d.store.Discover(ctx, paths, at)
	if err != nil {
		return nil, err
	}
	d.lakes = d.store.Lakes
	if err := d.checkAt(all, at); err != nil {
		return nil, err
	}
	if err := d.putBeside(all, paths); err != nil {
		return nil, err
	}
	d.stats.FilesIgnored, d.stats.Ignored = d.store.Left.N, d.store.Left.One
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
		d.stats.Bytes += t.size
		d.stats.BytesRead += t.read
		if d.o.Logger != nil {
			d.o.Logger.LogAttrs(ctx, slog.LevelDebug, "file opened", slog.String("path", location.Redact(t.Path)), slog.Int64("bytes", t.size),
				slog.Int64("rows", t.allRows()), slog.Int("blocks", t.blocks()), slog.Int("kept", len(t.kept)))
		}
	}
	if d.o.Parts > 0 {
		d.stats.Metadata = metadataSum(tables)
	}
	if err := d.countPassed(ctx); err != nil {
		return nil, err
	}
	d.number(0)
	d.stats.BytesRead += d.store.Fetched() + d.store.LakeBytes.Load()
	d.opened = d.stats.BytesRead
	return d, nil
}

// mix widens the form of ids so that the table's can be read as it.
func (d *Dataset) mix(t, first *table) error {
	form, ok := columnar.CommonForm(d.form, t.choice.own)
	if mixed := (d.form.Kind == logical.Kinds) != t.choice.hasKinds(); mixed {
		with, without := first.Path, t.Path
		if t.choice.hasKinds() {
			with, without = without, with
		}
		return fmt.Errorf("arrow: %w: vertices of %s have kinds, and those of %s have none; write COLUMN:KIND for all tables of edges and vertices, or for none",
			graph.ErrOptions, with, without)
	}
	if !ok {
		return input.InFile(t.Path, t.part(), atColumn(t.choice.picks[0].path, fmt.Errorf("%w: it is %v, but in %s ids are %v; %s",
			input.ErrColumnType, t.choice.own, first.Path, d.form, columnar.TypesThatMix)))
	}
	d.form = form
	return nil
}

// settle makes all tables read ids as of a form.
func (d *Dataset) settle(form logical.Type) {
	d.form = form
	d.schema.IDType, d.schema.Logical = columnar.BaseOf(form), columnar.LogicalOf(form)
	for _, t := range d.tables {
		t.choice.read(form)
	}
}

// openTables opens the first file, whose columns determine the choice of columns in the others,
// and then the others, several at once. It returns the error of the first file that has one.
func (d *Dataset) openTables(ctx context.Context, files []input.Origin) ([]*table, error) {
	d.files = files
	tables := make([]*table, len(files))
	if d.o.UnionByName {
		var err error
		if tables, err = d.readUnion(ctx, files); err != nil {
			return nil, err
		}
	}
	one := func(i int) (cols []columnar.Column, err error) {
		if err = input.Stopped(ctx); err == nil {
			tables[i], cols, err = d.openTable(ctx, files[i], tables[i])
		}
		return cols, err
	}
	cols, err := one(0)
	if err != nil {
		return nil, err
	}
	d.describe(tables[0], cols)
	return tables, input.EachFile(1, len(files), d.atOnce(), func(i int) error {
		err := panics.Await(func() error {
			panics.Point("open file")
			_, err := one(i)
			return err
		})
		if panics.In(err) || errors.Is(err, panics.ErrExited) {
			var f *input.FileError
			if !errors.As(err, &f) {
				err = input.InFile(files[i].Path, "", err)
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
			d.guessed[option] = t.Path
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
