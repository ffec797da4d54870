// This file holds worker, which reads row groups and record batches into slots.

package dataset

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/ipc"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// worker reads units. One goroutine uses it at a time.
type worker struct {
	r       *run
	mem     *columnar.Memory
	parquet *parquet.Reader
	ipc     *ipc.Reader
	table   *table
	filter  *where.Filter
	blob    *input.Blob
	file    *input.Counter // that reads it
	ahead   input.Fetcher  // of objects
	pages   [][]parquet.PageSpan

	free chan *slot // those that come back; as many as there may be
	made int

	// Columns of long strings give fewer rows than others. The surplus rows of the others
	// wait here for the next batch.
	kept []columnar.Vector
	left []bool
	have []bool  // the columns that the batch has
	text []int64 // of columns of CSV: the next row
	cmp  []*columnar.Vector

	deleted []int64               // rows of the file, ascending
	equal   []map[string]struct{} // rows of equality deletes, by their keys
	holds   bool                  // of the table's deleted rows
	there   []bool                // of a batch, those that aren't deleted
	key     []byte
}

func newWorker(r *run) *worker {
	mem := columnar.NewMemory(r.pool)
	return &worker{r: r, mem: mem, parquet: parquet.NewReader(mem), ipc: ipc.NewReader(mem),
		free: make(chan *slot, r.takers+1)}
}

// run reads units until there are no more, each in a goroutine that a file system or yield may end.
func (w *worker) run(ctx context.Context) (err error) {
	defer panics.Recover(&err)
	defer w.close()
	for {
		i := int(w.r.next.Add(1)) - 1
		if i >= len(w.r.units) {
			return nil
		}
		u := w.r.units[i]
		err := panics.Await(func() error { return w.unit(ctx, u) })
		if errors.Is(err, panics.ErrExited) {
			err = input.InFile(u.table.Path, u.table.part(), err)
		}
		if err != nil {
			return err
		}
	}
}

// unit reads a unit.
func (w *worker) unit(ctx context.Context, u unit) error {
	if err := w.open(ctx, u.table); err != nil {
		return err
	}
	for _, b := range u.blocks {
		if err := w.block(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) close() {
	w.drop()
	w.parquet.Close()
	w.ipc.Close()
	w.shut()
}

// shut closes the file.
func (w *worker) shut() {
	if w.blob == nil {
		return
	}
	if w.table.Lake.Deletes() && w.holds {
		w.table.Lake.Release()
	}
	w.holds, w.deleted = false, nil
	if w.blob.Object == nil { // clients count what they fetch
		w.r.bytes.Add(w.file.Bytes.Load() + w.blob.Text)
	}
	w.blob.Close()
	w.blob, w.file, w.table = nil, nil, nil
}

// open opens the file of a table, unless it is open.
func (w *worker) open(ctx context.Context, t *table) error {
	if w.table == t {
		return nil
	}
	w.shut()
	b, err := w.r.d.store.Open(ctx, &t.Origin)
	if err != nil {
		return err
	}
	w.blob, w.file, w.table = b, &input.Counter{ReaderAt: b}, t
	if b.Size != t.size || b.Beside != nil && !slices.Equal(b.Beside.Ends, t.ends) {
		err = input.Changed(t.size, b.Size)
	}
	if t.filter != nil {
		w.filter = t.filter.Clone()
	}
	if err == nil {
		err = w.openDeletes(ctx, t)
	}
	for len(w.kept) < len(t.choice.picks) {
		w.kept = append(w.kept, columnar.Vector{})
		w.left, w.have, w.text = append(w.left, false), append(w.have, false), append(w.text, 0)
	}
	return input.InFile(t.Path, t.part(), err)
}

// block reads a row group or record batch. A panic is an error of that.
func (w *worker) block(ctx context.Context, b int) (err error) {
	defer func() {
		if panics.In(err) {
			err = w.in(b, err)
		}
	}()
	defer panics.Recover(&err)
	t := w.table
	total := t.blockRows(b)
	if total == 0 {
		return nil
	}
	w.mem.Begin(ctx, t.size)
	clear(w.left)
	clear(w.text)
	var src io.ReaderAt = w.file
	if w.blob.Object != nil {
		defer w.ahead.Close()
		src = &w.ahead
	}
	if t.parquet != nil {
		w.parquet.Open(ctx, t.parquet, src, b)
	} else {
		if w.blob.Object != nil {
			w.ahead.Ctx, w.ahead.R = ctx, w.blob.Object
			block := t.ipc.Blocks[b]
			w.ahead.Add(false, parquet.Extent{At: block.Offset, Size: block.Meta + block.Body})
		}
		if err := w.ipc.Open(ctx, t.ipc, src, b); err != nil {
			return w.place(b, -1, -1, err)
		}
	}
	ranges, err := w.ranges(b)
	if err != nil {
		return err
	}
	if w.blob.Object != nil && t.parquet != nil {
		w.fetch(ctx, b, ranges)
	}
	done := int64(0)
	for _, r := range append(ranges, rowRange{total, total}) {
		if gap := r.from - done; gap > 0 {
			deleted, _ := w.deletedIn(b, done, r.from)
			w.r.pass(gap, int64(len(deleted)))
			for k := range t.choice.picks {
				if err := w.skip(k, gap); err != nil {
					return w.place(b, k, -1, err)
				}
			}
		}
		for done = r.from; done < r.to; {
			if err := ctx.Err(); err != nil {
				return err
			}
			rows, err := w.next(b, done, r.to)
			if err != nil {
				return err
			}
			done += rows
		}
	}
	if w.mem.End() {
		w.drop()
	}
	return nil
}

// next reads some of the rows of a block from one on to another, and hands them on. Whatever
// happens, its slot comes back, for which drop waits.
func (w *worker) next(block int, from, to int64) (rows int64, err error) {
	s := w.slot()
	s.table, s.block = w.table, block
	ours := true
	defer func() {
		if ours {
			w.free <- s
		}
	}()
	if err := w.batch(s, block, from, to); err != nil {
		return 0, err
	}
	rows = int64(s.rows)
	select {
	case w.r.full <- s: // to a taker who waits for one
		ours = false
		return rows, nil
	default:
		return rows, w.r.take(s)
	}
}

// in says in which block an error is, unless it does so itself.
func (w *worker) in(block int, err error) error {
	var f *input.FileError
	if w.table == nil || errors.As(err, &f) {
		return err
	}
	return w.place(block, -1, -1, err)
}

// place says in which block, column (by its index in a slot) and row an error is.
func (w *worker) place(block, col int, row int64, err error) error {
	t := w.table
	f := &input.FileError{Path: t.Path, Part: t.part(), Block: block, Row: row, Err: t.Lake.Gone(t.Path, err)}
	var at *columnar.At
	if errors.As(err, &at) {
		f.Column, f.Err = at.Column, at.Err
	} else if col >= 0 {
		f.Column = t.choice.picks[col].path
	}
	w.placeJoined(f, col)
	return f
}

// batch fills a slot with the rows of a block from one on to another: first
// the columns of the filter, then the others, unless no row is left.
func (w *worker) batch(s *slot, block int, from, to int64) error {
	panics.Point("read batch")
	c := &w.table.choice
	s.size(len(c.picks))
	clear(w.have)
	rows := int(min(columnar.BatchRows, to-from))
	for _, k := range c.first {
		if err := w.fill(s, k, &rows); err != nil {
			return w.place(block, k, -1, err)
		}
	}
	keep, deleted := w.dropDeleted(s, block, from, rows)
	if deleted > 0 && deleted == rows {
		return w.leave(s, block, rows, deleted)
	}
	if w.table.filter != nil && rows > 0 {
		w.cmp = w.cmp[:0]
		for _, k := range c.where {
			w.cmp = append(w.cmp, &s.cols[k])
		}
		there := keep
		var kept int
		keep, kept = w.filter.Rows(w.cmp, rows)
		if there != nil {
			kept = 0
			for i, ok := range there {
				if keep[i] = keep[i] && ok; keep[i] {
					kept++
				}
			}
		}
		if kept == 0 {
			return w.leave(s, block, rows, deleted)
		}
	}
	for k := range c.picks {
		if err := w.fill(s, k, &rows); err != nil {
			return w.place(block, k, -1, err)
		}
	}
	if rows == 0 {
		return w.place(block, 0, from, columnar.Corrupt("there are no more rows, where %d belong", to-from))
	}
	if err := w.keepRest(s, block, rows); err != nil {
		return err
	}
	if deleted > 0 { // of fewer rows, where others are long
		_, deleted = w.dropDeleted(s, block, from, rows)
	}
	s.first, s.deleted = w.table.starts[block]+from, deleted
	if k, row, err := s.pack(c, rows, keep, w.r.d.o.SkipNulls); err != nil {
		if row >= 0 {
			row += int(from)
		}
		return w.place(block, k, int64(row), err)
	}
	return nil
}

// leave makes the slot one of rows of which none is wanted, so many being deleted.
func (w *worker) leave(s *slot, block, rows, deleted int) error {
	for k := range w.table.choice.picks {
		if w.have[k] {
			continue
		}
		if err := w.skip(k, int64(rows)); err != nil {
			return w.place(block, k, -1, err)
		}
	}
	s.rows, s.dropped, s.deleted, s.skipped, s.batch = rows, rows-deleted, deleted, 0, graph.Batch{}
	return w.keepRest(s, block, rows)
}

// keepRest keeps what columns have beyond the rows of a batch.
func (w *worker) keepRest(s *slot, block, rows int) error {
	for k := range w.table.choice.picks {
		if !w.have[k] || s.cols[k].Len() == rows || w.table.choice.picks[k].value != nil {
			continue
		}
		if err := w.kept[k].Tail(w.mem, &s.cols[k], rows); err != nil {
			return w.place(block, k, -1, err)
		}
		w.left[k] = true
	}
	return nil
}

// fill reads a column of a slot, up to so many rows, and makes them those that
// it got. It does nothing if the slot has it.
func (w *worker) fill(s *slot, k int, rows *int) (err error) {
	p := &w.table.choice.picks[k]
	switch {
	case w.have[k]:
		return nil
	case p.value != nil:
		err = p.value.Fill(&s.cols[k], w.mem, p.kind, *rows)
	case w.left[k]:
		w.left[k] = false
		s.cols[k], w.kept[k] = w.kept[k], s.cols[k]
	case p.csv != nil:
		err = w.readText(k, &s.cols[k], *rows)
	case w.table.parquet != nil:
		err = w.parquet.Read(p.read, &s.cols[k], *rows)
	default:
		err = w.ipc.Read(p.read, &s.cols[k], *rows)
	}
	w.have[k] = true
	*rows = min(*rows, s.cols[k].Len())
	return err
}

// skip leaves out the next n rows of a column.
func (w *worker) skip(k int, n int64) error {
	p := &w.table.choice.picks[k]
	if p.value != nil {
		return nil
	}
	if w.left[k] {
		have := int64(w.kept[k].Len())
		if have > n {
			var rest columnar.Vector
			err := rest.Tail(w.mem, &w.kept[k], int(n))
			w.kept[k].Forget(w.mem)
			w.kept[k] = rest
			return err
		}
		w.left[k] = false
		n -= have
	}
	switch {
	case p.csv != nil:
		w.text[k] += n
	case w.table.parquet != nil:
		w.parquet.Skip(p.read, n)
	default:
		w.ipc.Skip(p.read, n)
	}
	return nil
}

// slot returns an unused slot.
func (w *worker) slot() *slot {
	if w.made == cap(w.free) {
		return <-w.free
	}
	select {
	case s := <-w.free:
		return s
	default:
		w.made++
		return &slot{home: w.free}
	}
}

// drop lets go of all buffers, when they are back.
func (w *worker) drop() {
	for ; w.made > 0; w.made-- {
		<-w.free
	}
	clear(w.kept)
	w.parquet.Drop()
	w.ipc.Drop()
	w.mem.Reset()
}
