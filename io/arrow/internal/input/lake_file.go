// This file opens data files of tables of data lakes with their deleted rows, and leaves out those whose
// metadata says that no row meets the condition.

package input

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// MayMatch reports whether rows of the file may meet the condition, by the table's
// metadata.
func (f *lakeFile) MayMatch(e *where.Expr) (bool, error) {
	if e == nil || f.File == nil {
		return true, nil
	}
	return f.Table.mayMatch(e, f.knownOf)
}

// mayMatch reports whether rows may meet the condition, by the known bounds of columns.
func (t *LakeTable) mayMatch(e *where.Expr, known func(*LakeField) where.Known) (bool, error) {
	b := t.bound.Load()
	if b == nil || b.e != e {
		b = &boundWhere{e: e, fields: make([]*LakeField, len(e.Columns()))}
		for i, name := range e.Columns() {
			b.fields[i] = t.field(name)
		}
		var err error
		b.filter, err = e.Bind(func(i int) (columnar.Column, bool) {
			if b.fields[i] == nil || b.fields[i].Opaque {
				return columnar.Column{}, false
			}
			return b.fields[i].Column(), true
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
	fields []*LakeField
	filter *where.Filter
}

// field returns the column of that name, or nil.
func (t *LakeTable) field(path string) *LakeField {
	t.Mu.Lock()
	defer t.Mu.Unlock()
	if t.byPath == nil {
		t.byPath = make(map[string]*LakeField, len(t.Fields))
		for i := range t.Fields {
			t.byPath[t.Fields[i].Path] = &t.Fields[i]
		}
	}
	return t.byPath[path]
}

// knownOf returns the metadata about a column's values in the file.
func (f *lakeFile) knownOf(l *LakeField) where.Known {
	if v, ok := f.Fixed(l.Path); ok {
		return l.Constant(v).Known()
	}
	if f.File.Bounds == nil {
		return where.Anything
	}
	return asKnown(f.File.Bounds(f.File.Stats, l.Path))
}

// CountLakes notes of each table how many of its files are read and left out.
func CountLakes(files []Origin, passed [][]Origin) {
	for i := range files {
		if l := files[i].Lake; l != nil && l.File != nil {
			l.Table.Files++
			l.Table.noteOutside(l.File.Name)
		}
	}
	for _, list := range passed {
		for i := range list {
			if l := list[i].Lake; l != nil && l.File != nil {
				l.Table.FilesOut++
			}
		}
	}
}

// noteOutside counts a data file that is outside of the table's directory.
func (t *LakeTable) noteOutside(name string) {
	if LiesBelow(name, t.Snap.Dir) {
		return
	}
	if t.Outside++; t.Outside == 1 {
		t.OutsideFile = name
	}
}

// LiesBelow reports whether a file is in a directory or below it, by their names.
func LiesBelow(name, dir string) bool {
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

// Deletes reports whether rows of the file may be deleted.
func (f *lakeFile) Deletes() bool {
	return f != nil && f.File != nil && (f.File.Deletes != nil || len(f.File.Equality) > 0)
}

// deletedRows has the deleted rows of a data file while workers read it.
type deletedRows struct {
	mu      sync.Mutex
	rows    []int64
	known   bool // they were read
	readers int
}

// DeletedRows returns the rows of the file that are deleted, ascending. They are kept
// until release is called as often.
func (f *lakeFile) DeletedRows(ctx context.Context, rows int64) ([]int64, error) {
	d := f.deleted
	d.mu.Lock()
	defer d.mu.Unlock()
	d.readers++
	if d.known || f.File.Deletes == nil {
		return d.rows, nil
	}
	var list []int64
	err := columnar.Guard(func() error {
		deleted, err := f.File.Deletes(ctx, f.Table.FS)
		if err == nil && deleted != nil {
			list = deleted.Rows
		}
		return err
	})
	if err != nil {
		return nil, f.Gone(f.File.Name, err)
	}
	for i, row := range list {
		if row < 0 || row >= rows || i > 0 && row <= list[i-1] {
			return nil, columnar.Corrupt("the table says that row %d of it is deleted, where it has %d rows", row, rows)
		}
	}
	d.rows, d.known = list, true
	return list, nil
}

// Release frees the deleted rows if no worker reads the file.
func (f *lakeFile) Release() {
	d := f.deleted
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.readers--; d.readers == 0 {
		d.rows, d.known = nil, false
	}
}
