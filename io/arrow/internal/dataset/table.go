// This file holds table, a file of a dataset: its metadata, and which of its columns and
// rows are read.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/ipc"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// table is a file of a dataset: one of the two formats.
type table struct {
	input.Origin
	size     int64
	limits   columnar.Limits
	ends     []int64       // of joined files, where each ends
	read     int64         // bytes, while it was opened
	sum      atomic.Uint64 // of these, with Options.Parts
	parquet  *parquet.File
	ipc      *ipc.File
	choice   choice
	filter   *where.Filter // nil for all rows
	kept     []int         // the blocks that are read, ascending
	equality []equality    // deletes
	before   int64         // rows of files before it that aren't read, where they are counted
	starts   []int64       // the number of each block's first row in the dataset
}

// part is the name of a file's blocks.
func (t *table) part() string {
	if t.parquet != nil {
		return "row group"
	}
	return "record batch"
}

func (t *table) blocks() int {
	if t.parquet != nil {
		return len(t.parquet.Groups)
	}
	return len(t.ipc.Blocks)
}

// rows returns the rows of the blocks that are read.
func (t *table) rows() (n int64) {
	for _, b := range t.kept {
		n += t.blockRows(b)
	}
	return n
}

// allRows returns the rows of all blocks.
func (t *table) allRows() (n int64) {
	for b := range t.blocks() {
		n += t.blockRows(b)
	}
	return n
}

// number sets starts, given the number of the file's first row.
func (t *table) number(first int64) {
	t.starts = make([]int64, t.blocks())
	for b := range t.starts {
		t.starts[b] = first
		first += t.blockRows(b)
	}
}

// blockRows returns the rows of a block.
func (t *table) blockRows(i int) int64 {
	if t.parquet != nil {
		return t.parquet.Groups[i].Rows
	}
	return t.ipc.Blocks[i].Rows
}

// columns describes the columns of the file, and those that its directories
// tell after them.
func (t *table) columns() []columnar.Column {
	if t.Lake != nil {
		cols, _, _ := t.lakeColumns() // open has seen its error
		return cols
	}
	return t.addTold(t.ownColumns())
}

// addTold adds the columns that directories tell to the file's own, of which
// there may be many: they aren't copied.
func (t *table) addTold(cols []columnar.Column) []columnar.Column {
	for i := range t.Told {
		c := t.Told[i].Column()
		for k := range cols {
			if cols[k].Path == c.Path {
				cols[k].Path = c.Path + " of the file" // which no option names
			}
		}
		cols = append(cols, c)
	}
	return cols
}

// openTable reads a file's metadata. Its content decides the format. With t, which
// readTable returned, it does the rest.
func (d *Dataset) openTable(ctx context.Context, from input.Origin, t *table) (*table, []columnar.Column, error) {
	var cols []columnar.Column
	choose := func(t *table, r io.ReaderAt) (err error) {
		if cols, err = t.open(r, d); err == nil && d.numbers() {
			err = t.checkRows()
		}
		return err
	}
	if t == nil {
		t, err := d.readTable(ctx, from, choose)
		return t, cols, err
	}
	return t, cols, d.withTable(ctx, t, choose)
}

// readTable reads a file's metadata and does something more while it is open.
func (d *Dataset) readTable(ctx context.Context, from input.Origin, more func(*table, io.ReaderAt) error) (*table, error) {
	t := &table{Origin: from}
	return t, d.withTable(ctx, t, more)
}

// withTable opens the file of a table and, unless that was done, reads its metadata.
func (d *Dataset) withTable(ctx context.Context, t *table, do func(*table, io.ReaderAt) error) error {
	if t.parquet != nil { // which needs no more of the file
		return t.joinedError(columnar.Guard(func() error { return do(t, nil) }))
	}
	b, err := d.store.Open(ctx, &t.Origin)
	if err != nil {
		return err
	}
	defer b.Close()
	t.limits = d.o.limits()
	r := &input.Counter{ReaderAt: b}
	if d.o.Parts > 0 {
		r.Sum = &t.sum
	}
	if b.Object != nil {
		if r.ReaderAt, err = input.NewEnds(ctx, b.Object, 8); err != nil {
			return fmt.Errorf("arrow: %w", err)
		}
	}
	err = columnar.Guard(func() error {
		if t.ipc == nil {
			t.size = b.Size
			if err := t.sniff(r, b); err != nil {
				return err
			}
		} else if t.size != b.Size {
			return input.Changed(t.size, b.Size)
		}
		if err := do(t, r); err != nil || t.ipc == nil || r.Sum == nil {
			return err
		}
		return t.sample(r)
	})
	if b.Object == nil { // clients count what they fetch
		t.read += r.Bytes.Load() + b.Text
	}
	return t.joinedError(err)
}

func (t *table) partOrNone() string {
	if t.parquet == nil && t.ipc == nil {
		return ""
	}
	return t.part()
}

// open chooses the columns.
func (t *table) open(f io.ReaderAt, d *Dataset) ([]columnar.Column, error) {
	var cols []columnar.Column
	var from []input.LakeColumn
	var err error
	if t.Lake != nil {
		cols, from, err = t.lakeColumns()
	} else {
		cols = t.ownColumns()
		t.weaker(cols)
		t.addMissing(cols, d.union)
		cols = t.addTold(cols)
	}
	if err != nil {
		return nil, err
	}
	if t.choice, err = choose(cols, &d.o); err != nil {
		return nil, d.missingHere(t, err)
	}
	if t.filter, err = t.choice.addWhere(cols, d.where); err != nil {
		return nil, d.missingHere(t, err)
	}
	if t.Lake != nil {
		all := cols
		if all, from, err = t.addEquality(slices.Clip(cols), from); err == nil {
			err = t.selectLake(all, from)
		}
	} else {
		err = t.selectColumns(f, len(cols)-len(t.Told))
	}
	if err != nil {
		return nil, err
	}
	for b := range t.blocks() {
		if t.filter == nil || t.filter.MayMatch(func(i int) where.Known { return t.known(i, b) }) {
			t.kept = append(t.kept, b)
		}
	}
	return cols, nil
}

// selectColumns tells the file which of its columns will be read.
func (t *table) selectColumns(f io.ReaderAt, own int) error {
	var columns []int
	var kinds []columnar.Kind
	for k := range t.choice.picks {
		p := &t.choice.picks[k]
		if p.column >= own {
			p.value = &t.Told[p.column-own]
			continue
		}
		p.read = len(columns)
		if t.parquet != nil {
			if file, column, ok := t.parquet.Foreign(p.column); ok {
				p.csv = &csvColumn{file, column}
			}
		}
		columns, kinds = append(columns, p.column), append(kinds, p.kind)
	}
	if t.parquet != nil {
		return t.parquet.Select(columns, kinds)
	}
	return t.ipc.Select(f, columns, kinds)
}

// sniff opens the format that the file has.
func (t *table) sniff(f io.ReaderAt, b *input.Blob) error {
	if b.Beside != nil {
		return t.sniffJoined(f, b.Beside.Ends, b.CSV)
	}
	if len(b.CSV) > 0 && b.CSV[0] != nil {
		t.parquet = foreign(b.CSV[0], b.Size)
		return nil
	}
	if t.Lake != nil {
		return t.sniffLake(f)
	}
	var head [8]byte
	n, err := f.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch begin := string(head[:n]); {
	case strings.HasPrefix(begin, parquet.Magic) || strings.HasPrefix(begin, "PARE"):
		t.parquet, err = parquet.OpenWithin(f, t.size, t.limits)
	case strings.HasPrefix(begin, ipc.Magic):
		if t.ipc, err = ipc.Open(f, t.size, t.limits); err == nil && input.IsGraph(t.ipc.Metadata()) {
			err = input.ErrIsGraph()
		}
	case ipc.LooksLikeStream(head[:n]):
		t.ipc, err = ipc.OpenStream(f, t.size, t.limits)
	case strings.HasPrefix(begin, "FEA1"):
		return columnar.Unsupported("Feather version 1; write the file again as Parquet or Feather version 2")
	case n == 0:
		return input.ErrEmptyFile
	case begin[0] == '{' || begin[0] == '[':
		return fmt.Errorf("%w: it begins with %q like JSON; package edgelist reads JSON lines, an object per edge, by the name .jsonl", input.ErrFormat, begin)
	default:
		return fmt.Errorf("%w: neither Parquet nor Arrow IPC; it begins with %q; package edgelist reads text and other formats", input.Unknown(begin), begin)
	}
	return err
}

// weaker takes away what weak constants say of columns that the file has itself.
func (t *table) weaker(own []columnar.Column) {
	t.Told = slices.DeleteFunc(slices.Clone(t.Told), func(c input.Constant) bool {
		return c.Weak && slices.ContainsFunc(own, func(col columnar.Column) bool { return col.Path == c.Name })
	})
}
