// This file writes tables of any rows, which come in batches of columns.

package write

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// WriteTable is arrow.WriteTable. read calls yield with one batch of columns after the other.
func WriteTable(ctx context.Context, path string, g *graph.Graph, columns []ResultColumn,
	read func(ctx context.Context, yield func([]ResultColumn) error) error, o WriteOptions) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	spec, err := newWriteSpec(path, o)
	if err != nil {
		return fmt.Errorf("cannot write the table: %w", err)
	}
	switch {
	case spec.PartitionBy != "" || !input.IsNil(spec.Properties) || spec.ReachedOnly || spec.SortByID:
		return fmt.Errorf("cannot write %s: %w: PartitionBy, Properties, ReachedOnly and SortByID are for rows of vertices", spec.Path, ErrOutputOption)
	case g == nil || read == nil:
		return fmt.Errorf("cannot write %s: %w: the graph or the rows are nil", spec.Path, ErrResult)
	}
	release, err := g.Hold()
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", spec.Path, err)
	}
	defer release()
	t := &tableWriter{ids: g.IDs(), like: columns}
	if err = CheckIDs(t.ids); err == nil {
		err = t.setFields()
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", spec.Path, err)
	}
	if t.w, err = newRowWriter(ctx, spec, OpenOutput); err != nil {
		return err
	}
	defer t.w.abort()
	if err = t.w.begin(t.fields); err == nil {
		t.out.cols = make([]outColumn, len(t.fields))
		err = read(ctx, t.add)
		if err != nil && t.failed == nil && ctx.Err() == nil {
			return err // of who reads, whose error names it
		}
	}
	if t.failed != nil && (err == nil || !errors.Is(err, t.failed)) { // read may have lost it
		err = t.failed
	}
	return t.w.end(err)
}

// tableWriter writes batches of columns.
type tableWriter struct {
	ids    *graph.IDs
	like   []ResultColumn // without values
	fields []outField
	w      *rowWriter
	out    outBatch
	cols   []tableColumn
	rows   []uint32 // 0, 1, 2 and so on
	failed error
}

// tableColumn is a column of a batch.
type tableColumn struct {
	vertexColumn
	offsets []int // of lists
}

// setFields sets the columns.
func (t *tableWriter) setFields() error {
	if len(t.like) == 0 {
		return errNoColumn()
	}
	for i := range t.like {
		c, err := t.column(&t.like[i], i)
		if err == nil {
			err = c.checkNames(t.fields, 0)
		}
		if err != nil {
			return err
		}
		t.fields = append(t.fields, c.fields...)
	}
	return nil
}

// column returns a column of a batch.
func (t *tableWriter) column(c *ResultColumn, i int) (x tableColumn, err error) {
	if c.Wrong != nil {
		return x, c.Wrong
	}
	if c.Make != nil || c.Check != nil {
		return x, fmt.Errorf("%w: %.100q is a column of vertices' values; a table has those of NewColumn and NewListColumn", ErrOutputColumn, c.Name)
	}
	lists := c.Lists
	plain := *c
	plain.Lists = nil
	if x.vertexColumn, err = newVertexColumn(t.ids, &plain, i); err != nil || lists == nil {
		return x, err
	}
	for k := range x.fields {
		x.fields[k].list, x.fields[k].optional = true, false
	}
	if len(lists) == 0 || lists[0] < 0 || lists[len(lists)-1] > x.values {
		return x, fmt.Errorf("%w: %.100q has offsets that aren't of its %d values", ErrResult, c.Name, x.values)
	}
	x.offsets, x.values = lists, len(lists)-1
	return x, nil
}

// add writes a batch.
func (t *tableWriter) add(columns []ResultColumn) (err error) {
	defer func() {
		if t.failed == nil {
			t.failed = err
		}
	}()
	if err := t.take(columns); err != nil {
		return err
	}
	for lo := 0; lo < t.cols[0].values; {
		hi := t.cut(lo)
		if err := t.fill(&t.out, lo, hi); err != nil {
			return err
		}
		if err := t.w.write(&t.out); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// take checks a batch, whose rows fill takes then.
func (t *tableWriter) take(columns []ResultColumn) error {
	if len(columns) != len(t.like) {
		return fmt.Errorf("%w: a batch has %d columns, the table has %d", ErrResult, len(columns), len(t.like))
	}
	t.cols = t.cols[:0]
	for i := range columns {
		c, like := &columns[i], &t.like[i]
		if c.Name != like.Name || reflect.TypeOf(c.Values) != reflect.TypeOf(like.Values) || c.Vertices != like.Vertices || (c.Lists == nil) != (like.Lists == nil) ||
			c.Null != like.Null || c.Logical != like.Logical {
			return fmt.Errorf("%w: column %d of a batch is %.100q, of %T, and of the table %.100q, of %T", ErrResult, i, c.Name, c.Values, like.Name, like.Values)
		}
		x, err := t.column(c, i)
		if err != nil {
			return err
		}
		if len(t.cols) > 0 && x.values != t.cols[0].values {
			return fmt.Errorf("%w: column %.100q of a batch has %d rows, and %.100q has %d", ErrResult, c.Name, x.values, columns[0].Name, t.cols[0].values)
		}
		for row, v := range x.vertices {
			if int64(v) >= int64(t.ids.Len) && (v != graph.NoVertex || x.offsets != nil) {
				return fmt.Errorf("%w: value %d of %.100q is vertex %d of %d", ErrResult, row, c.Name, v, t.ids.Len)
			}
		}
		t.cols = append(t.cols, x)
	}
	return nil
}

// cut returns the end of the rows that are written together.
func (t *tableWriter) cut(lo int) int {
	hi := min(lo+batchRows, t.cols[0].values)
	for _, c := range t.cols {
		for c.offsets != nil && hi > lo+1 && c.offsets[hi]-c.offsets[lo] > pathElements {
			hi = lo + (hi-lo)/2
		}
	}
	return hi
}

// fill makes rows lo to before hi the columns of out.
func (t *tableWriter) fill(out *outBatch, lo, hi int) error {
	out.n = hi - lo
	cols := out.cols
	for i := range t.cols {
		c := &t.cols[i]
		from, to := lo, hi
		if c.offsets != nil {
			from, to = c.offsets[lo], c.offsets[hi]
			if to < from || to-from > maxPathBytes/4 {
				return fmt.Errorf("%w: a list of %.100q has %d vertices; at most %d are written", ErrOutputOption, c.name, to-from, maxPathBytes/4)
			}
		}
		t.rows = t.rows[:0]
		for row := from; row < to; row++ {
			t.rows = append(t.rows, uint32(row))
		}
		own := cols[:len(c.fields)]
		if err := c.fill(own, t.rows); err != nil {
			return fmt.Errorf("column %.100q: %w", c.name, err)
		}
		if c.offsets != nil {
			for k := range own {
				own[k].valid, own[k].offsets = own[k].valid[:0], own[k].offsets[:0]
				for _, at := range c.offsets[lo : hi+1] {
					own[k].offsets = append(own[k].offsets, int32(at-from))
				}
				for row := range hi - lo {
					if n := columnBytes(&c.fields[k], &own[k], row, row+1); n > maxPathBytes {
						return fmt.Errorf("%w: a list of %.100q takes %d bytes; at most %d are written", ErrOutputOption, c.name, n, maxPathBytes)
					}
				}
			}
		}
		cols = cols[len(c.fields):]
	}
	return nil
}
