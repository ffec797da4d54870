// This file reads tables whose columns are split over several files.

package dataset

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/csv"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
)

// ErrRows: files whose rows belong together (Table.Beside) have different
// numbers of them. It is ErrDamaged too.
var ErrRows = parquet.ErrRows

// sniffJoined opens a file and those beside it, each of which is Parquet or one of the CSV files that were read.
func (t *table) sniffJoined(r io.ReaderAt, ends []int64, csv []*csv.Table) error {
	t.ends = slices.Clone(ends)
	var files []*parquet.File
	begin := int64(0)
	for i, end := range ends {
		size := end - begin
		src := io.NewSectionReader(r, begin, size)
		begin = end
		if csv[i] != nil {
			files = append(files, foreign(csv[i], size))
			continue
		}
		var head [len(parquet.Magic)]byte
		n, err := src.ReadAt(head[:], 0)
		if string(head[:n]) != parquet.Magic {
			if err == nil || errors.Is(err, io.EOF) {
				err = fmt.Errorf("%w: it isn't Parquet", input.ErrFormat)
			}
			return &parquet.PartError{Part: i, Err: err}
		}
		f, err := parquet.OpenWithin(src, size, t.limits)
		if err != nil {
			return &parquet.PartError{Part: i, Err: err}
		}
		files = append(files, f)
	}
	var err error
	t.parquet, err = parquet.Join(files...)
	return err
}

// joinedError says in which of the files that are read together an error is.
func (t *table) joinedError(err error) error {
	var p *parquet.PartError
	if errors.As(err, &p) && p.Part > 0 && p.Part <= len(t.Beside) {
		return input.InFile(t.Beside[p.Part-1], "row group", p.Err)
	}
	var at *columnar.At
	if t.Beside != nil && t.parquet != nil && errors.As(err, &at) { // of a column that can't be what it is wanted for
		cols := t.parquet.Columns()
		k := slices.IndexFunc(cols, func(c columnar.Column) bool { return c.Path == at.Column })
		if k >= 0 && t.parquet.Parts()[k] > 0 {
			return input.InFile(t.Beside[t.parquet.Parts()[k]-1], "row group", err)
		}
	}
	var lacks *notThere
	if t.Lake != nil && errors.As(err, &lacks) { // no file of the table has it
		return input.InFile(t.Lake.Table.Path, "", err)
	}
	return input.InFile(t.Path, t.partOrNone(), err)
}

// ownColumns describes the columns of the file and of its companion files. A
// column that an earlier file has isn't read from a later one.
func (t *table) ownColumns() []columnar.Column {
	if t.parquet == nil {
		return t.ipc.Columns()
	}
	cols := t.parquet.Columns()
	if t.Beside == nil {
		return cols
	}
	of := t.parquet.Parts()
	first := map[string]int{}
	for i := range cols {
		if part, ok := first[cols[i].Path]; ok && part != of[i] {
			cols[i].Path += " of " + filepath.Base(t.Beside[of[i]-1])
			continue
		}
		first[cols[i].Path] = of[i]
	}
	return cols
}

// placeJoined makes a place in the table one in the file that has the column.
func (w *worker) placeJoined(f *input.FileError, k int) {
	t := w.table
	defer func() { t.placeCSV(f) }()
	if t.Beside == nil || k < 0 || t.choice.picks[k].value != nil {
		return
	}
	read := t.choice.picks[k].read
	file := 0
	file, f.Block, f.Row = t.parquet.Place(f.Block, read, w.parquet.Nth(read), f.Row)
	if file > 0 {
		f.Path = t.Beside[file-1]
	}
}

// putBeside sets the companion files of files, and which of them are CSV.
func (d *Dataset) putBeside(all []input.Origin, paths []string) error {
	csv, err := d.o.csvFiles()
	if err != nil {
		return err
	}
	for i := range all {
		all[i].CSV = csv
	}
	if len(d.o.beside) == 0 {
		return nil
	}
	for _, list := range d.o.beside {
		if len(list) != len(paths) {
			return fmt.Errorf("arrow: %w: Table.Beside has %d files for %d Paths; want one beside each", graph.ErrOptions, len(list), len(paths))
		}
	}
	if len(all) != len(paths) {
		return fmt.Errorf("arrow: %w: with Table.Beside, Paths are files, not patterns or directories; the %d stand for %d files", graph.ErrOptions, len(paths), len(all))
	}
	for i := range all {
		if all[i].Path != paths[i] || all[i].Object != nil {
			return fmt.Errorf("arrow: %w: with Table.Beside, Paths are files, one by one, but %s isn't one here", graph.ErrOptions, paths[i])
		}
		for _, list := range d.o.beside {
			all[i].Beside = append(all[i].Beside, list[i])
		}
	}
	return nil
}
