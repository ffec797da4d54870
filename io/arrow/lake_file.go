// This file opens data files of tables of data lakes, and leaves out those whose
// metadata says that no row meets the condition.

package arrow

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
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
