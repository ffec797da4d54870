// This file holds Dataset: files whose metadata was read and checked, and
// whose edges can be read, once or again.

package arrow

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Dataset is the edges of one or more files. Nothing is held open between
// calls, and no edge is held at all.
type Dataset struct {
	o      Options
	tables []*table
	schema Schema
	stats  Stats
}

// Column describes a column of a file.
type Column struct {
	Name     string // the names of the structs that it is in come first, with dots
	Type     string // in words, such as "int64", "timestamp" or "list of string"
	IDs      bool   // ids can be read from it
	Weights  bool   // weights can be read from it
	Nullable bool
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
func Open(ctx context.Context, paths []string, o Options) (*Dataset, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	names, err := discover(paths)
	if err != nil {
		return nil, err
	}
	d := &Dataset{o: o}
	d.stats.Files = len(names)
	for i, name := range names {
		if err := stopped(ctx); err != nil {
			return nil, err
		}
		t, cols, err := openTable(name, &d.o)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			d.describe(t, cols)
		}
		id, ok := commonType(d.schema.IDType, t.choice.id)
		if !ok {
			source := cols[t.choice.source].Path
			return nil, fileError(name, t.part(), atColumn(source, fmt.Errorf("%w: it is %v, but in %s ids are %v; %s",
				ErrColumnType, t.choice.id, d.tables[0].path, d.schema.IDType, typesThatMix)))
		}
		d.schema.IDType = id
		d.tables = append(d.tables, t)
		d.stats.RowGroups += t.blocks()
		d.stats.Bytes += t.size
	}
	for _, t := range d.tables {
		t.choice.id = d.schema.IDType // values are widened already
	}
	return d, nil
}

// describe keeps what the first file says; its choice of columns, by name,
// holds for the other files.
func (d *Dataset) describe(t *table, cols []columnar.Column) {
	c := t.choice
	d.schema = Schema{Source: c.source, Target: c.target, Weight: c.weight, IDType: c.id}
	for _, col := range cols {
		d.schema.Columns = append(d.schema.Columns, Column{Name: col.Path, Type: col.Type,
			IDs: col.IsID, Weights: col.Numeric, Nullable: col.Nullable})
	}
	d.o.Source, d.o.Target = cols[c.source].Path, cols[c.target].Path
	if c.weight >= 0 {
		d.o.Weight = cols[c.weight].Path
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

// Rows returns how many rows there are; the edges are as many, but for those
// that NullSkip skips.
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
		for _, g := range t.parquet.Groups {
			if g.Rows == 0 {
				continue
			}
			for _, c := range g.Chunks[:2] {
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
