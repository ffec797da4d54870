// This file numbers the rows of a dataset: those of files that a condition rules
// out count too, so that a row has one number whatever is asked for.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// numbers reports whether edges get the numbers of their rows as ids.
func (d *Dataset) numbers() bool {
	return d.o.Graph.EdgeIDs && d.o.EdgeID == "" && d.o.table == nil
}

// countPassed reads the row counts of files that were ruled out, several at once,
// if rows are numbered, the only use of these counts.
func (d *Dataset) countPassed(ctx context.Context) error {
	if !d.numbers() {
		return nil
	}
	all := slices.Concat(d.passed...)
	rows, errs := make([]int64, len(all)), make([]error, len(all))
	var (
		next, read atomic.Int64
		failed     atomic.Bool
		wg         sync.WaitGroup
	)
	for range min(opensAtOnce, len(all)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(all)) && !failed.Load(); i = next.Add(1) - 1 {
				var n int64
				if errs[i] = input.Stopped(ctx); errs[i] == nil {
					errs[i] = panics.Await(func() (err error) {
						rows[i], n, err = d.countRows(ctx, all[i])
						return err
					})
					if errors.Is(errs[i], panics.ErrExited) {
						errs[i] = input.InFile(all[i].Path, "", errs[i])
					}
				}
				read.Add(n)
				if errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	d.stats.BytesRead += read.Load()
	at := 0
	for i, passed := range d.passed {
		n := int64(0)
		for range passed {
			n += rows[at]
			at++
		}
		if i < len(d.tables) {
			d.tables[i].before = n
		} else {
			d.after = n
		}
	}
	return nil
}

// countRows returns how many rows a file has, by its metadata, and how many bytes
// of a file were read for that.
func (d *Dataset) countRows(ctx context.Context, from input.Origin) (rows, read int64, err error) {
	if l := from.Lake; l != nil && l.File != nil && l.File.Rows >= 0 {
		return l.File.Rows, 0, nil // which openTable compares with the others' metadata
	}
	b, err := d.store.Open(ctx, &from)
	if err != nil {
		return 0, 0, err
	}
	defer b.Close()
	t := &table{Origin: from, size: b.Size, limits: d.o.limits()}
	r := &input.Counter{ReaderAt: b}
	if b.Object != nil {
		if r.ReaderAt, err = input.NewEnds(ctx, b.Object, 8); err != nil {
			return 0, 0, fmt.Errorf("arrow: %w", err)
		}
	}
	err = columnar.Guard(func() error {
		if err := t.sniff(r, b); err != nil {
			return err
		}
		return t.selectColumns(r, 0) // Arrow's record batches are found only then
	})
	if err != nil {
		return 0, 0, fmt.Errorf("edges are numbered by row, which counts files that the condition rules out: %w", input.InFile(from.Path, t.partOrNone(), err))
	}
	if b.Object == nil { // clients count what they fetch
		read = r.Bytes.Load()
	}
	return t.allRows(), read, nil
}

// number sets the numbers of all rows, given the first, and returns the next.
func (d *Dataset) number(first int64) int64 {
	for _, t := range d.tables {
		first += t.before
		t.number(first)
		first += t.allRows()
	}
	return first + d.after
}
