// This file opens data files of tables of data lakes, and leaves out those whose
// metadata says that no row meets the condition.

package arrow

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// mayMatch reports whether rows of the file may meet the condition, by the table's
// metadata.
func (f *lakeFile) mayMatch(e *where.Expr) (bool, error) {
	if e == nil || f.file == nil {
		return true, nil
	}
	return f.table.mayMatch(e, f.knownOf)
}

// mayMatch reports whether rows may meet the condition, by the known bounds of columns.
func (t *lakeTable) mayMatch(e *where.Expr, known func(*lakeField) where.Known) (bool, error) {
	b := t.bound.Load()
	if b == nil || b.e != e {
		b = &boundWhere{e: e, fields: make([]*lakeField, len(e.Columns()))}
		for i, name := range e.Columns() {
			b.fields[i] = t.field(name)
		}
		var err error
		b.filter, err = e.Bind(func(i int) (columnar.Column, bool) {
			if b.fields[i] == nil || b.fields[i].Opaque {
				return columnar.Column{}, false
			}
			return b.fields[i].column(), true
		})
		if err != nil {
			return false, err
		}
		t.bound.Store(b)
	}
	return b.filter.MayMatch(func(i int) where.Known { return known(b.fields[i]) }), nil
}

// boundWhere is a condition on a table, and the columns that it names.
type boundWhere struct {
	e      *where.Expr
	fields []*lakeField
	filter *where.Filter
}

// field returns the column of that name, or nil.
func (t *lakeTable) field(path string) *lakeField {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byPath == nil {
		t.byPath = make(map[string]*lakeField, len(t.fields))
		for i := range t.fields {
			t.byPath[t.fields[i].path] = &t.fields[i]
		}
	}
	return t.byPath[path]
}

// knownOf returns the metadata about a column's values in the file.
func (f *lakeFile) knownOf(l *lakeField) where.Known {
	if v, ok := f.fixed(l.path); ok {
		return l.constant(v).known()
	}
	if f.file.Bounds == nil {
		return where.Anything
	}
	return asKnown(f.file.Bounds(f.file.Stats, l.path))
}

// countLakes notes of each table how many of its files are read and left out.
func countLakes(files []origin, passed [][]origin) {
	for i := range files {
		if l := files[i].lake; l != nil && l.file != nil {
			l.table.Files++
			l.table.noteOutside(l.file.Name)
		}
	}
	for _, list := range passed {
		for i := range list {
			if l := list[i].lake; l != nil && l.file != nil {
				l.table.FilesOut++
			}
		}
	}
}

// noteOutside counts a data file that is outside of the table's directory.
func (t *lakeTable) noteOutside(name string) {
	if liesBelow(name, t.snap.Dir) {
		return
	}
	if t.Outside++; t.Outside == 1 {
		t.OutsideFile = name
	}
}

// liesBelow reports whether a file is in a directory or below it, by their names.
func liesBelow(name, dir string) bool {
	if len(name) > len(dir) && name[:len(dir)] == dir && os.IsPathSeparator(name[len(dir)]) && !s3.Is(dir) && filepath.IsLocal(name[len(dir)+1:]) {
		return true
	}
	if s3.Is(name) || s3.Is(dir) {
		return strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
	}
	if filepath.IsAbs(name) != filepath.IsAbs(dir) {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		if abs, err := filepath.Abs(name); err == nil {
			name = abs
		}
	}
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// sniffLake opens a data file, which is Parquet.
func (t *table) sniffLake(r io.ReaderAt) (err error) {
	if t.lake.file == nil {
		t.parquet = parquet.Empty()
		return nil
	}
	if t.parquet, err = parquet.OpenWithin(r, t.size, t.limits); err == nil {
		return nil
	}
	var head [len(parquet.Magic)]byte // which a file that can be opened ends with, too
	if n, readErr := r.ReadAt(head[:], 0); (readErr == nil || errors.Is(readErr, io.EOF)) && string(head[:n]) != parquet.Magic {
		return fmt.Errorf("%w: the table says that it is Parquet, but it doesn't begin as Parquet does", ErrFormat)
	}
	return err
}

// selectLake tells the file which of its columns will be read, given where the table's
// columns are.
func (t *table) selectLake(cols []columnar.Column, from []lakeColumn) error {
	var columns []int
	var kinds []columnar.Kind
	for k := range t.choice.picks {
		p := &t.choice.picks[k]
		f := &from[p.column]
		switch {
		case f.refuse != nil:
			return atColumn(cols[p.column].Path, f.refuse)
		case f.value != nil:
			p.value = f.value
			continue
		}
		p.read = len(columns)
		columns, kinds = append(columns, f.column), append(kinds, p.kind)
	}
	return t.parquet.Select(columns, kinds)
}

// checkRows compares the number of rows with what the table says, by which rows of files
// that weren't opened are numbered.
func (t *table) checkRows() error {
	if t.lake == nil || t.lake.file == nil || t.lake.file.Rows < 0 || t.lake.file.Rows == t.allRows() {
		return nil
	}
	return columnar.Corrupt("it has %d rows, where the table says %d, by which edges would be numbered", t.allRows(), t.lake.file.Rows)
}
