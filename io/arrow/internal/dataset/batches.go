// This file holds Batches: workers that read row groups and record batches, as many as a limit of
// memory allows.

package dataset

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/metrics"
)

// unit is what a worker does at a time: blocks of a table.
type unit struct {
	table  *table
	blocks []int
}

// ErrStopped is the error of a callback that needs no more batches. The Logger doesn't get it as an error.
var ErrStopped = errors.New("arrow: the loop has ended")

// Batches is arrow.Dataset.Read.
func (d *Dataset) Batches(ctx context.Context, yield func(graph.Batch) error) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	if yield == nil {
		return errNoYield()
	}
	parts := d.parts()
	total, before := int64(0), int64(0)
	for _, p := range parts {
		p.stats.Rows, p.stats.NullRows, p.stats.RowsPassed, p.stats.DeletedRows = 0, 0, 0, 0
		total += p.rows()
	}
	var edges atomic.Bool
	for _, p := range parts {
		err := p.batches(ctx, func(s *slot) error {
			if !s.batch.Vertices && !edges.Load() {
				edges.Store(true)
			}
			return yield(s.batch)
		}, before, total)
		if err != nil {
			return err
		}
		before += p.rows()
	}
	if len(d.o.Graph.EdgeColumns) > 0 && !edges.Load() && len(d.tables) > 0 {
		return yield(d.tables[0].choice.noEdges())
	}
	return nil
}

// batches is Batches of one table, of which so many rows were read before.
func (d *Dataset) batches(ctx context.Context, yield func(*slot) error, before, total int64) error {
	start := time.Now()
	r := &run{d: d, yield: yield, before: before, last: d.rows(), total: total, pool: columnar.NewPool(d.stats.Bytes)}
	for _, t := range d.tables {
		if t.ipc != nil && t.ipc.InOrder() {
			r.units = append(r.units, unit{t, t.kept})
			continue
		}
		for i := range t.kept {
			r.units = append(r.units, unit{t, t.kept[i : i+1]})
		}
	}
	if d.o.Parts > 0 {
		i := -1
		r.units = slices.DeleteFunc(r.units, func(unit) bool { i++; return i%d.o.Parts != d.o.Part })
	}
	workers, _ := d.atWork()
	readers := max(1, min(workers, len(r.units)))
	r.takers = workers - readers
	fetched := d.store.Fetched()
	err := r.start(ctx, readers)
	d.store.Rest()
	d.stats.Rows, d.stats.NullRows, d.stats.RowsPassed = r.rows.Load(), r.skipped.Load(), r.passed.Load()
	d.stats.DeletedRows = r.deleted.Load()
	d.stats.IndexesIgnored, d.stats.IgnoredIndex = r.ignored, r.ignoredOne
	d.stats.BytesRead = d.opened + r.bytes.Load() + d.store.Fetched() - fetched
	if stop := input.Stopped(ctx); err != nil && stop != nil {
		err = input.StoppedAt(ctx, d.name, stop)
	}
	took := time.Since(start)
	if d.o.Metrics != nil {
		e := metrics.Load{Phase: "read", Rows: d.stats.Rows, Bytes: d.stats.BytesRead, Took: took}
		if !errors.Is(err, ErrStopped) {
			e.Err = err
		}
		d.o.Metrics.Load(ctx, e)
	}
	if d.o.Logger != nil {
		d.log(ctx, took, err)
	}
	return err
}

// notOpened reports files that could not be opened, as a load that failed. It runs after the error has no secrets
// anymore.
func (o *Options) notOpened(ctx context.Context, path string, began time.Time, failed *error) {
	if *failed == nil || ctx == nil {
		return
	}
	took := time.Since(began)
	if o.Metrics != nil {
		o.Metrics.Load(ctx, metrics.Load{Phase: "read", Took: took, Err: *failed})
	}
	if o.Logger != nil {
		o.Logger.LogAttrs(ctx, slog.LevelInfo, "edges read", slog.String("path", location.Redact(path)), slog.Duration("took", took), slog.Any("error", *failed))
	}
}

// log logs what was read.
func (d *Dataset) log(ctx context.Context, took time.Duration, err error) {
	s := &d.stats
	attrs := []slog.Attr{slog.String("path", location.Redact(d.tables[0].Path)), slog.Int("files", s.Files), slog.Int64("rows", s.Rows),
		slog.Int64("bytes_read", s.BytesRead), slog.Duration("took", took)}
	if d.o.Where != "" {
		attrs = append(attrs, slog.Int("files_passed", s.FilesPassed), slog.Int("row_groups_passed", s.RowGroupsPassed),
			slog.Int64("rows_passed", s.RowsPassed))
	}
	if s.DeletedRows > 0 {
		attrs = append(attrs, slog.Int64("deleted_rows", s.DeletedRows))
	}
	if s.NullRows > 0 {
		attrs = append(attrs, slog.Int64("null_rows", s.NullRows))
	}
	if err != nil && !errors.Is(err, ErrStopped) {
		attrs = append(attrs, slog.Any("error", err))
	}
	if s.IndexesIgnored > 0 {
		d.o.Logger.LogAttrs(ctx, slog.LevelWarn, "page indexes ignored", slog.Int("indexes", s.IndexesIgnored), slog.String("first", s.IgnoredIndex))
	}
	d.o.Logger.LogAttrs(ctx, slog.LevelInfo, "edges read", attrs...)
}

// run is one call of Batches.
type run struct {
	d     *Dataset
	yield func(*slot) error
	pool  *columnar.Pool
	units []unit
	next  atomic.Int64

	// If there are fewer units than workers, the other workers process
	// batches for the readers.
	takers int
	full   chan *slot

	before        int64 // rows of other tables
	last          int64 // rows of this one
	total         int64 // of all
	rows, skipped atomic.Int64
	passed, bytes atomic.Int64
	deleted       atomic.Int64
	progress      sync.Mutex

	doubts     sync.Mutex // guards what follows
	ignored    int        // page indexes
	ignoredOne string
}

func (r *run) start(ctx context.Context, readers int) error {
	group, ctx := errgroup.WithContext(ctx)
	r.full = make(chan *slot)
	var reading sync.WaitGroup
	for range readers {
		reading.Add(1)
		group.Go(func() error {
			defer reading.Done()
			return panics.Await(func() error { return newWorker(r).run(ctx) })
		})
	}
	for range r.takers {
		group.Go(func() error {
			return panics.Await(func() error {
				for s := range r.full {
					if err := r.relieve(s); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	reading.Wait()
	close(r.full)
	return group.Wait()
}

// relieve takes a batch off a reader's hands, and gives the slot back.
func (r *run) relieve(s *slot) (err error) {
	defer func() { s.home <- s }()
	defer func() {
		if panics.In(err) {
			err = &input.FileError{Path: s.table.Path, Part: s.table.part(), Block: s.block, Row: -1, Err: err}
		}
	}()
	defer panics.Recover(&err)
	return r.take(s)
}

// take gives a batch to a waiting worker.
func (r *run) take(s *slot) error {
	panics.Point("take batch")
	if len(s.batch.Src) > 0 || s.batch.SrcStrings != nil && s.batch.SrcStrings.Len() > 0 {
		if err := r.yield(s); err != nil {
			return err
		}
	}
	r.skipped.Add(int64(s.skipped))
	r.passed.Add(int64(s.dropped))
	r.deleted.Add(int64(s.deleted))
	r.done(int64(s.rows))
	return nil
}

// pass counts rows that were left out unread, so many of them deleted.
func (r *run) pass(n, deleted int64) {
	r.passed.Add(n - deleted)
	r.deleted.Add(deleted)
	r.done(n)
}

// done counts rows and reports them.
func (r *run) done(n int64) {
	rows := r.rows.Add(n)
	report := r.d.o.Progress
	if report == nil {
		return
	}
	// A worker that finds it busy leaves it to the next worker, except for
	// the last.
	if rows == r.last {
		r.progress.Lock()
	} else if !r.progress.TryLock() {
		return
	}
	defer r.progress.Unlock()
	report(graph.Progress{Phase: ReadRows, Done: uint64(r.before + r.rows.Load()), Total: uint64(r.total)})
}

// atWork returns how many workers read a dataset, and what they hold. With a limit of memory they are as
// few as that asks for.
func (d *Dataset) atWork() (workers int, held uint64) {
	workers = d.o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = int(min(int64(workers), 1+d.stats.Bytes/bytesPerWorker))
	each := uint64(integerWorker)
	if !d.schema.IDType.Integer() {
		each = stringWorker
	}
	if limit := d.o.Graph.MemoryLimit; limit > 0 {
		workers = max(1, int(min(uint64(workers), limit/readShare/each)))
	}
	// A small file doesn't fill the buffers: a byte of it becomes some tens.
	return workers, min(uint64(workers)*each, 1<<20+32*uint64(max(d.stats.Bytes, 0)))
}

// held returns the most that reading any of the tables holds.
func (d *Dataset) held() (most uint64) {
	for _, p := range d.parts() {
		_, held := p.atWork()
		most = max(most, held)
	}
	return most
}
