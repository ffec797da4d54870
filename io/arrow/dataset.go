// This file holds Dataset: files whose metadata was read and checked, and
// whose edges can be read, once or again.

package arrow

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// Dataset is the edges of one or more files. Nothing is held open between
// calls, and no edge is held at all.
type Dataset struct {
	o      Options
	where  *where.Expr // nil for all rows
	tables []*table
	schema Schema
	stats  Stats
	opened int64 // bytes read while opening
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
}

// Open reads the metadata of the files that paths stand for and chooses the
// columns. A path is a file; a directory, of which all files below are read
// that end in .parquet, .arrow, .feather, .ipc or .arrows, or have no extension
// but begin like Parquet or Arrow (as Hive's 000000_0 does), without those whose
// names, or whose directories' names, begin with a dot or an underscore; or a
// pattern as filepath.Match has it, in which a name ** stands for directories of
// any depth (dir/**/*.parquet). The format is told by what is in a file.
// All files must have the columns. Their ids are all integers, all strings or
// all binary; of integers of several types, in two columns or in two files, all
// are read as the narrowest type that holds all values of each, such as int64
// for int32 and int64 or for int32 and uint32. None does for uint64 and a signed
// type, which is ErrColumnType. Files are regular files:
// pipes, sockets and devices are ErrUnsupported.
//
// Directories named like year=2025, anywhere on the path, are columns too, whose
// values are integers or dates if they are in all files, else strings, and null
// for __HIVE_DEFAULT_PARTITION__. They come before a file's own column of that
// name.
func Open(ctx context.Context, paths []string, o Options) (*Dataset, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	d := &Dataset{o: o}
	if err := d.parseWhere(); err != nil {
		return nil, err
	}
	names, err := discover(paths)
	if err != nil {
		return nil, err
	}
	files, err := d.match(names)
	if err != nil {
		return nil, err
	}
	for i, f := range files {
		if err := stopped(ctx); err != nil {
			return nil, err
		}
		t, cols, err := d.openTable(f)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			d.describe(t, cols)
		}
		id, ok := commonType(d.schema.IDType, t.choice.id)
		if !ok {
			source := t.choice.picks[0].path
			return nil, fileError(f.path, t.part(), atColumn(source, fmt.Errorf("%w: it is %v, but in %s ids are %v; %s",
				ErrColumnType, t.choice.id, d.tables[0].path, d.schema.IDType, typesThatMix)))
		}
		d.schema.IDType = id
		d.tables = append(d.tables, t)
		d.stats.RowGroups += len(t.kept)
		d.stats.RowGroupsPassed += t.blocks() - len(t.kept)
		d.stats.Bytes += t.size
		d.stats.BytesRead += t.read
	}
	d.opened = d.stats.BytesRead
	for _, t := range d.tables {
		t.choice.id = d.schema.IDType // values are widened already
	}
	return d, nil
}

// describe keeps what the first file says; its choice of columns, by name,
// holds for the other files.
func (d *Dataset) describe(t *table, cols []columnar.Column) {
	c := t.choice
	d.schema = Schema{Source: c.picks[0].column, Target: c.picks[1].column, Weight: -1, IDType: c.id}
	for _, col := range cols {
		d.schema.Columns = append(d.schema.Columns, Column{Name: col.Path, Type: col.Type,
			IDs: col.IsID, Weights: col.Numeric, Nullable: col.Nullable, Partition: col.Partition})
	}
	d.o.Source, d.o.Target = c.picks[0].path, c.picks[1].path
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

// Schema returns the columns.
func (d *Dataset) Schema() Schema { return d.schema }

// Rows returns how many rows there are, without those of the files and row
// groups that Where rules out; the edges are as many, but for those that Where
// and NullSkip leave out.
func (d *Dataset) Rows() int64 {
	var n int64
	for _, t := range d.tables {
		n += t.rows()
	}
	return n
}

// Stats returns what the last call to Batches read, of Files, RowGroups and
// Bytes in all.
func (d *Dataset) Stats() Stats { return d.stats }

// IDRange returns the smallest and the largest id, nulls aside, if ids are
// integers and all files have statistics that say so; of uint64 none past
// MaxInt64. The statistics are the files' word.
func (d *Dataset) IDRange() (lo, hi int64, ok bool) {
	for _, t := range d.tables {
		if t.parquet == nil {
			return 0, 0, false
		}
		for _, i := range t.kept {
			g := &t.parquet.Groups[i]
			if g.Rows == 0 {
				continue
			}
			for _, p := range t.choice.picks[:2] {
				if p.value != nil {
					return 0, 0, false
				}
				c := &g.Chunks[p.read]
				if !c.Range.Known {
					return 0, 0, false
				}
				if !ok || c.Range.Min < lo {
					lo = c.Range.Min
				}
				if !ok || c.Range.Max > hi {
					hi = c.Range.Max
				}
				ok = true
			}
		}
	}
	return lo, hi, ok
}

// Estimate says what memory the graph takes, before any of it is read.
// vertices is how many there are, or 0: then it is the span of ids where the
// statistics tell, and at most two for each row. meanIDBytes is the mean
// length of string ids, 0 for integers.
func (d *Dataset) Estimate(vertices uint64, meanIDBytes float64) graph.Memory {
	rows := uint64(d.Rows())
	if vertices == 0 {
		vertices = 2 * rows
		if lo, hi, ok := d.IDRange(); ok {
			if span := uint64(hi) - uint64(lo) + 1; span != 0 {
				vertices = min(vertices, span)
			}
		}
	}
	return graph.Estimate(d.o.Graph, rows, vertices, meanIDBytes)
}
