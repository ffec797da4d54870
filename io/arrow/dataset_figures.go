// This file holds figures of a Dataset's files, before and after they are read.

package arrow

import (
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// Schema returns the columns.
func (d *Dataset) Schema() Schema { return d.schema }

// LeftOut returns the names of the columns that nothing is taken from, of the first
// file of each table: those that are neither ids nor weights, edge ids or
// properties. A condition may look at them. Each name comes once.
func (d *Dataset) LeftOut() []string {
	var names []string
	for _, p := range d.parts() {
		left := p.left
		if p.o.table != nil && d.propTable != nil {
			left = d.propTable.left
		}
		for _, name := range left {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func isID(c *columnar.Column) bool {
	_, ok := formOf(c)
	return ok
}

// Rows returns how many rows there are, without those of the files and row
// groups that Where rules out; the edges are as many, but for those that Where
// and NullSkip leave out, and those that a table of Iceberg or Delta Lake says are
// deleted.
func (d *Dataset) Rows() int64 {
	var n int64
	for _, p := range d.parts() {
		if p.o.table == nil {
			n += p.rows()
		}
	}
	return n
}

// RowsInFiles returns how many rows the files of edges have that were opened,
// whatever Where rules out.
func (d *Dataset) RowsInFiles() (n int64) {
	for _, p := range d.parts() {
		if p.o.table != nil {
			continue
		}
		for _, t := range p.tables {
			n += t.allRows()
		}
	}
	return n
}

// rows returns how many rows are read of this table.
func (d *Dataset) rows() (n int64) {
	for _, t := range d.tables {
		n += t.rows()
	}
	return n
}

// Stats returns what the last call to Batches read, of Files, RowGroups and
// Bytes in all; of all tables together.
func (d *Dataset) Stats() Stats {
	s := d.stats
	for _, p := range d.more {
		s.add(&p.stats)
	}
	return s
}

// IDRange returns the smallest and the largest id, nulls aside, if ids are
// integers and all files have statistics that say so; of uint64 none past
// MaxInt64. The statistics are the files' word.
func (d *Dataset) IDRange() (lo, hi int64, ok bool) {
	var tables []*table
	for _, p := range d.parts() {
		tables = append(tables, p.tables...)
	}
	if !baseOf(d.form).Integer() {
		return 0, 0, false
	}
	for _, t := range tables {
		if t.parquet == nil {
			return 0, 0, false
		}
		for _, i := range t.kept {
			g := &t.parquet.Groups[i]
			if g.Rows == 0 {
				continue
			}
			for _, k := range slices.Concat(t.choice.ends[0], t.choice.ends[1]) {
				p := t.choice.picks[k]
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

// Estimate returns the memory of the graph, before any of it is read. vertices is
// the number of vertices, or 0: then it is estimated as the span of ids, if
// statistics have it, and at most two for each row. meanIDBytes is the mean length
// of string ids, 0 for integers.
func (d *Dataset) Estimate(vertices uint64, meanIDBytes float64) graph.Memory {
	rows := uint64(d.Rows())
	if vertices == 0 {
		vertices = 2 * rows
		for _, p := range d.more {
			if p.o.table != nil {
				vertices += uint64(p.rows())
			}
		}
		if lo, hi, ok := d.IDRange(); ok {
			if span := uint64(hi) - uint64(lo) + 1; span != 0 {
				vertices = min(vertices, span)
			}
		}
	}
	return graph.Estimate(d.o.Graph, rows, vertices, meanIDBytes)
}
