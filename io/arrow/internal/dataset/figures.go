// This file holds figures of a Dataset's files, before and after they are read, and a hash
// of their metadata.

package dataset

import (
	"io"
	"path/filepath"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// Schema returns the columns, for arrow.Info.
func (d *Dataset) Schema() Schema { return d.schema }

// LeftOut is arrow.Info.Unused.
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
	_, ok := columnar.FormOf(c)
	return ok
}

// Rows is arrow.Info.Rows.
func (d *Dataset) Rows() int64 {
	var n int64
	for _, p := range d.parts() {
		if p.o.table == nil {
			n += p.rows()
		}
	}
	return n
}

// RowsInFiles is arrow.Info.RowsInFiles.
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

// Stats is arrow.Dataset.Stats.
func (d *Dataset) Stats() Stats {
	s := d.stats
	for _, p := range d.more {
		s.add(&p.stats)
	}
	return s
}

// IDRange returns the smallest and the largest id, nulls aside, if ids are integers and all files have statistics that
// say so; of uint64 none past MaxInt64.
func (d *Dataset) IDRange() (lo, hi int64, ok bool) {
	var tables []*table
	for _, p := range d.parts() {
		tables = append(tables, p.tables...)
	}
	if !columnar.BaseOf(d.form).Integer() {
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

// Estimate is arrow.Dataset.Estimate.
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

// sample reads some of an Arrow file, for the hash: its metadata has no statistics, and buffers
// that aren't compressed have the same length whatever is in them.
func (t *table) sample(r *input.Counter) error {
	var buf [sampleBytes]byte
	for i := range int64(samplePieces) {
		at := t.size / (samplePieces + 1) * (i + 1)
		if _, err := r.ReadAt(buf[:min(sampleBytes, t.size-at)], at); err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}

// metadataSum hashes what was read of files when they were opened, in their order.
func metadataSum(tables []*table) (sum uint64) {
	for _, t := range tables {
		sum = input.Spread(sum) + t.sum.Load() + xxhash.Sum64String(filepath.Base(t.Path)) + input.Spread(uint64(t.size))
	}
	return sum
}
