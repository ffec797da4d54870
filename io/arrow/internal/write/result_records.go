// This file holds ColumnRecords, which hands a result over as Arrow's record batches.

package write

import (
	"context"
	"fmt"
	"sync/atomic"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/text"
)

// RecordOptions is arrow.RecordOptions.
type RecordOptions struct {
	Allocator   memory.Allocator
	BatchRows   int
	MemoryLimit uint64
	ReachedOnly bool
	Properties  Properties
	Metadata    map[string]string
}

// ColumnRecords is arrow.Records.
func ColumnRecords(ctx context.Context, g *graph.Graph, columns []ResultColumn, o RecordOptions) (array.RecordReader, error) {
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	rows, err := newColumnRows(g, columns, rowShape{reachedOnly: o.ReachedOnly, props: o.Properties})
	if err != nil {
		return nil, fmt.Errorf("no records: %w", err)
	}
	if o.BatchRows > 0 {
		rows.batch = min(rows.batch, o.BatchRows)
	}
	if rows.props != nil && o.Allocator != nil {
		rows.props.mem = o.Allocator
	}
	return newRecordReader(ctx, rows, o)
}

// recordReader is an array.RecordReader over rows.
type recordReader struct {
	refs  atomic.Int64
	ctx   context.Context
	rows  rowSource
	maker recordMaker
	limit uint64
	most  int // rows of a record

	batch  outBatch
	lo, hi int // rows of the batch that are still to come
	record goarrow.Record
	err    error
	done   bool
}

func newRecordReader(ctx context.Context, rows rowSource, o RecordOptions) (reader array.RecordReader, err error) {
	defer func() {
		if err != nil {
			rows.release()
		}
	}()
	if o.BatchRows < 0 {
		return nil, fmt.Errorf("no records: %w: BatchRows is %d; want 0 or more", ErrOutputOption, o.BatchRows)
	}
	schema, err := outSchema(rows.columns(), o.Metadata)
	if err != nil {
		return nil, fmt.Errorf("no records: %w", err)
	}
	if o.Allocator == nil {
		o.Allocator = memory.DefaultAllocator
	}
	r := &recordReader{ctx: ctx, rows: rows, limit: o.MemoryLimit, most: o.BatchRows,
		maker: recordMaker{mem: o.Allocator, schema: schema, fields: rows.columns()},
		batch: outBatch{cols: make([]outColumn, len(rows.columns()))}}
	if r.most == 0 {
		r.most = batchRows
	}
	r.refs.Store(1)
	return r, nil
}

func (r *recordReader) Retain() { r.refs.Add(1) }

func (r *recordReader) Release() {
	if r.refs.Add(-1) == 0 {
		r.end(nil)
	}
}

func (r *recordReader) Schema() *goarrow.Schema { return r.maker.schema }
func (r *recordReader) Record() goarrow.Record  { return r.record }
func (r *recordReader) Err() error              { return r.err }

// end lets go of everything.
func (r *recordReader) end(err error) {
	if r.err == nil {
		r.err = err
	}
	r.done = true
	r.drop()
	r.rows.release()
}

// drop releases the present record.
func (r *recordReader) drop() {
	if r.record != nil {
		r.record.Release()
		r.record = nil
	}
}

func (r *recordReader) Next() bool {
	r.drop()
	if r.done {
		return false
	}
	more, err := r.advance()
	if err != nil {
		err = fmt.Errorf("records of the result: %w", err)
	}
	if !more {
		r.end(err)
	}
	return more
}

// advance makes the next record.
func (r *recordReader) advance() (more bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			more, err = false, fmt.Errorf("the allocator, or what the properties call, panicked: %v", p)
		}
	}()
	if err := r.ctx.Err(); err != nil {
		return false, err
	}
	for r.lo == r.hi {
		more, err := r.rows.next(r.ctx, &r.batch)
		if err != nil || !more {
			return false, err
		}
		r.lo, r.hi = 0, r.batch.n
		if err := r.ctx.Err(); err != nil {
			return false, err
		}
	}
	hi := min(r.hi, r.lo+r.most)
	for !r.fits(r.lo, hi) {
		if hi-r.lo == 1 {
			return false, fmt.Errorf("%w: one row takes more than RecordOptions.MemoryLimit, which is %s; allow more",
				ErrOutputOption, text.Bytes(r.limit))
		}
		hi = r.lo + (hi-r.lo)/2
	}
	r.record = r.maker.record(&r.batch, r.lo, hi)
	r.lo = hi
	return true, nil
}

// fits reports whether rows lo to hi are few enough for a record.
func (r *recordReader) fits(lo, hi int) bool {
	sum := int64(0)
	for i := range r.maker.fields {
		n := columnBytes(&r.maker.fields[i], &r.batch.cols[i], lo, hi)
		if n > maxRecordBytes && hi-lo > 1 {
			return false
		}
		sum += int64(n)
	}
	return r.limit == 0 || uint64(sum) <= r.limit
}
