// This file holds worker, which reads row groups and record batches into slots.

package arrow

import (
	"context"
	"errors"
	"os"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/ipcfile"
	"github.com/foray-graph/foray/io/arrow/internal/pq"
)

// worker reads units. It is used by one goroutine.
type worker struct {
	r       *run
	mem     *columnar.Memory
	parquet *pq.Reader
	ipc     *ipcfile.Reader
	table   *table
	file    *os.File

	free chan *slot // those that come back; as many as there may be
	made int

	// Columns of long strings give fewer rows than others. What the others
	// gave beyond waits here for the next batch.
	kept [3]columnar.Vector
	left [3]bool
}

func newWorker(r *run) *worker {
	mem := columnar.NewMemory(r.pool)
	return &worker{r: r, mem: mem, parquet: pq.NewReader(mem), ipc: ipcfile.NewReader(mem),
		free: make(chan *slot, r.takers+1)}
}

// run reads units until there are no more.
func (w *worker) run(ctx context.Context) error {
	defer w.close()
	for {
		i := int(w.r.next.Add(1)) - 1
		if i >= len(w.r.units) {
			return nil
		}
		u := w.r.units[i]
		if err := w.open(u.table); err != nil {
			return err
		}
		for b := u.first; b < u.end; b++ {
			if err := w.block(ctx, b); err != nil {
				return err
			}
		}
	}
}

func (w *worker) close() {
	w.drop()
	w.parquet.Close()
	w.ipc.Close()
	if w.file != nil {
		w.file.Close()
	}
}

// open opens the file of a table, unless it is open.
func (w *worker) open(t *table) error {
	if w.table == t {
		return nil
	}
	if w.file != nil {
		w.file.Close()
		w.file, w.table = nil, nil
	}
	f, info, err := openRegular(t.path)
	if err != nil {
		return err
	}
	w.file, w.table = f, t
	if info.Size() != t.size {
		err = columnar.Corrupt("it had %d bytes when it was opened and has %d now", t.size, info.Size())
	}
	return fileError(t.path, t.part(), err)
}

// block reads a row group or record batch.
func (w *worker) block(ctx context.Context, b int) error {
	t := w.table
	total := t.blockRows(b)
	if total == 0 {
		return nil
	}
	w.mem.Begin(ctx, t.size)
	w.left = [3]bool{}
	if t.parquet != nil {
		w.parquet.Open(ctx, t.parquet, w.file, b)
	} else if err := w.ipc.Open(ctx, t.ipc, w.file, b); err != nil {
		return w.place(b, -1, -1, err)
	}
	for done := int64(0); done < total; {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := w.slot()
		if err := w.batch(s, b, done, total); err != nil {
			w.free <- s
			return err
		}
		done += int64(s.rows)
		if err := w.hand(s); err != nil {
			return err
		}
	}
	if w.mem.End() {
		w.drop()
	}
	return nil
}

// place says in which block, column (by its index in a slot) and row an error is.
func (w *worker) place(block, col int, row int64, err error) error {
	t := w.table
	f := &FileError{Path: t.path, Part: t.part(), Block: block, Row: row, Err: err}
	var at *columnar.At
	if errors.As(err, &at) {
		f.Column, f.Err = at.Column, at.Err
	} else if col >= 0 {
		o := &w.r.d.o
		f.Column = [...]string{o.Source, o.Target, o.Weight}[col]
	}
	return f
}

// batch fills a slot with the rows of a block from the one on.
func (w *worker) batch(s *slot, block int, from, total int64) error {
	t := w.table
	s.n = 2
	if t.choice.weight >= 0 {
		s.n = 3
	}
	rows := int(min(columnar.BatchRows, total-from))
	for k := range s.cols[:s.n] {
		if err := w.fill(s, k, rows); err != nil {
			return w.place(block, k, -1, err)
		}
		rows = min(rows, s.cols[k].Len())
	}
	if rows == 0 {
		return w.place(block, 0, from, columnar.Corrupt("there are no more rows, where %d belong", total-from))
	}
	for k := range s.cols[:s.n] {
		if s.cols[k].Len() == rows {
			continue
		}
		if err := w.kept[k].Tail(w.mem, &s.cols[k], rows); err != nil {
			return w.place(block, k, -1, err)
		}
		w.left[k] = true
	}
	if k, row, err := s.pack(t.choice.id, rows, w.r.d.o.Nulls); err != nil {
		return w.place(block, k, from+int64(row), err)
	}
	return nil
}

// fill reads a column of a slot, up to n rows.
func (w *worker) fill(s *slot, k, n int) error {
	if w.left[k] {
		w.left[k] = false
		s.cols[k], w.kept[k] = w.kept[k], s.cols[k]
		return nil
	}
	if w.table.parquet != nil {
		return w.parquet.Read(k, &s.cols[k], n)
	}
	return w.ipc.Read(k, &s.cols[k], n)
}

// slot returns a slot that nobody uses.
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

// hand gives a batch to a taker who waits for one, else takes it itself.
func (w *worker) hand(s *slot) error {
	select {
	case w.r.full <- s:
		return nil
	default:
		err := w.r.take(s)
		w.free <- s
		return err
	}
}

// drop lets go of all buffers, when they are back.
func (w *worker) drop() {
	for ; w.made > 0; w.made-- {
		<-w.free
	}
	w.kept = [3]columnar.Vector{}
	w.parquet.Drop()
	w.ipc.Drop()
	w.mem.Reset()
}
