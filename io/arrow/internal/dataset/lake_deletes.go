// This file leaves out rows of data files that a table of a data lake says were
// deleted: by their position, or by equal values.

package dataset

import (
	"context"
	"slices"
)

// openDeletes finds out which rows of the table are deleted.
func (w *worker) openDeletes(ctx context.Context, t *table) (err error) {
	w.deleted, w.equal = nil, w.equal[:0]
	if !t.Lake.Deletes() {
		return nil
	}
	w.holds = true
	w.deleted, err = t.Lake.DeletedRows(ctx, t.allRows())
	for i := range t.equality {
		if err != nil {
			break
		}
		var rows map[string]struct{}
		rows, err = t.equality[i].load(ctx, t.Lake.Table)
		err = t.Lake.Gone(t.equality[i].Name, err)
		w.equal = append(w.equal, rows)
	}
	return err
}

// deletedIn returns the deleted rows of a block, from one on to another, as they are
// numbered in the file, and what the number of the block's first row is.
func (w *worker) deletedIn(block int, from, to int64) (rows []int64, first int64) {
	first = w.table.starts[block] - w.table.starts[0]
	lo, _ := slices.BinarySearch(w.deleted, first+from)
	hi, _ := slices.BinarySearch(w.deleted, first+to)
	return w.deleted[lo:hi], first
}

// dropDeleted returns which of the first n rows of a slot are there, where they are
// those of a block from one on, and how many are not; nil if all are.
func (w *worker) dropDeleted(s *slot, block int, from int64, n int) (keep []bool, deleted int) {
	t := w.table
	if !t.Lake.Deletes() {
		return nil, 0
	}
	rows, first := w.deletedIn(block, from, from+int64(n))
	if len(rows) == 0 && len(t.equality) == 0 {
		return nil, 0
	}
	w.there = slices.Grow(w.there[:0], n)[:n]
	for i := range w.there {
		w.there[i] = true
	}
	for _, row := range rows {
		w.there[row-first-from] = false
	}
	for i := range t.equality {
		w.key = t.equality[i].drop(w.equal[i], s.cols, w.there, w.key)
	}
	for _, ok := range w.there {
		if !ok {
			deleted++
		}
	}
	return w.there, deleted
}
