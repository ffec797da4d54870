// This file opens tables of data lakes: which paths are tables, and which snapshot of
// a table is read.

package input

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/files/tableformat"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
	"github.com/foray-graph/foray/io/arrow/internal/tables/delta"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// ErrSnapshot: a table of Iceberg or Delta Lake has no such snapshot, or none as of
// that time, or it isn't complete any more.
var ErrSnapshot = tables.ErrSnapshot

// ErrRemoved: rows of a table were removed or changed since the snapshot that Options.Since
// names, so that the rows that were added don't make the difference: read the whole table.
var ErrRemoved = tables.ErrRemoved

// ErrVacuumed: a data file of a snapshot isn't there any more. It is fs.ErrNotExist
// too.
var ErrVacuumed error = vacuumed{}

type vacuumed struct{}

func (vacuumed) Error() string { return "the file was vacuumed or expired" }
func (vacuumed) Unwrap() error { return fs.ErrNotExist }

// TableSnapshot is arrow.TableSnapshot.
type TableSnapshot struct {
	Path                string
	Format              string
	Name                string
	TableID             string
	ID                  string
	Time                time.Time
	Since               string
	Where               string
	Files               int
	FilesOut            int
	Outside             int
	OutsideFile         string
	OutsideMetadata     int
	OutsideMetadataFile string
}

// lakeOpener returns the reader of a table format's metadata, or nil.
func lakeOpener(kind tableformat.Kind) (tables.Opener, error) {
	switch kind {
	case tableformat.Delta:
		return delta.Open, nil
	case tableformat.Iceberg:
		return tables.Iceberg.Get()
	}
	return nil, nil
}

// LakeTable is a snapshot of a table that is read.
type LakeTable struct {
	TableSnapshot
	kind   tableformat.Kind
	Snap   *tables.Snapshot
	Fields []LakeField // the columns
	FS     *lakeFS

	bound atomic.Pointer[boundWhere] // the condition that was asked for last

	Mu     sync.Mutex
	byPath map[string]*LakeField
	Sets   map[string]*EqualitySet // of equality deletes, by columns and file
}

// lakeFile is a data file of a snapshot. file is nil for that of a table without
// files, which has the columns and no rows.
type lakeFile struct {
	Table *LakeTable
	File  *tables.DataFile

	deleted *deletedRows // nil where no rows can be
}

// metadataFile reports whether a path is an Iceberg metadata file.
func metadataFile(p string) bool {
	return tableformat.MetadataFile(path.Base(strings.ReplaceAll(p, `\`, "/")))
}

// openLake reads the metadata of a table, and returns its data files.
func (s *Store) openLake(ctx context.Context, kind tableformat.Kind, p string, at tables.At) ([]Origin, error) {
	fs := newLakeFS(s)
	fs.named = p
	fs.setRoot(tableRoot(p))
	read, err := lakeOpener(kind)
	if err != nil {
		return nil, InFile(p, "", err)
	}
	if read == nil {
		return nil, InFile(p, "", &tableformat.Error{Root: strings.TrimSuffix(p, "/"), Kind: kind})
	}
	at.RowsOnly = s.RowsOnly
	snap, err := read(ctx, fs, p, at)
	if err != nil {
		if stop := Stopped(ctx); stop != nil {
			return nil, stop
		}
		return nil, InFile(p, "", err)
	}
	if own, ok := snap.FS.(*lakeFS); ok {
		fs = own
	}
	fs.setRoot(snap.Dir)
	for _, dir := range []string{tableRoot(p), snap.Dir} {
		if dir != "" {
			atomicfile.NoteTable(ctx, dir)
		}
	}
	t := &LakeTable{kind: kind, Snap: snap, FS: fs,
		TableSnapshot: TableSnapshot{Path: p, Format: snap.Format, Name: snap.Name, TableID: snap.TableID, ID: snap.ID, Time: snap.Time, Since: at.Since}}
	t.Fields = flatten(snap.Fields)
	if err := t.plan(ctx, s.Where); err != nil {
		if stop := Stopped(ctx); stop != nil {
			return nil, stop
		}
		return nil, InFile(p, "", err)
	}
	if err := fs.allowAll(snap.Files); err != nil {
		return nil, InFile(p, "", err)
	}
	for i := range snap.Files {
		if name := snap.Files[i].Name; s3.Is(name) && !LiesBelow(name, snap.Dir) {
			atomicfile.NoteObject(ctx, name)
		} else if !LiesBelow(name, snap.Dir) {
			atomicfile.NoteName(ctx, name)
		}
	}
	s.Lakes = append(s.Lakes, t)
	if len(snap.Files) == 0 {
		return []Origin{{Path: p, Lake: &lakeFile{Table: t}}}, nil
	}
	all, files := make([]Origin, len(snap.Files)), make([]lakeFile, len(snap.Files))
	for i := range snap.Files {
		f := &snap.Files[i]
		if s3.Is(p) && !s3.Is(f.Name) {
			return nil, InFile(p, "", fmt.Errorf("%w: the table is in a store and names a file that is not: %.200s", ErrUnsupported, f.Name))
		}
		files[i].Table, files[i].File = t, f
		if files[i].Deletes() {
			files[i].deleted = new(deletedRows)
		}
		all[i] = Origin{Path: f.Name, Lake: &files[i]}
	}
	return all, nil
}

// tableRoot returns the directory of the table that a path stands for, or "" where only the metadata says it.
func tableRoot(p string) string {
	if tables.InCatalog(p) {
		return ""
	}
	if !metadataFile(p) {
		return strings.TrimSuffix(p, "/")
	}
	if dir := path.Dir(filepath.ToSlash(p)); !s3.Is(p) && path.Base(dir) == "metadata" {
		return filepath.FromSlash(path.Dir(dir))
	}
	if dir, ok := strings.CutSuffix(p[:strings.LastIndexByte(p, '/')+1], "/metadata/"); ok && s3.Is(p) {
		return dir
	}
	return ""
}

// Gone wraps the error of a missing or changed file that belongs to a snapshot.
func (f *lakeFile) Gone(name string, err error) error {
	if f == nil || f.File == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrChanged) {
		return err
	}
	if t := f.Table; t.Since != "" {
		return fmt.Errorf("%w: the %s table %s got it after %s %s; read the whole table (%w)", ErrVacuumed, t.Format, t.Path, t.Word(), t.Since, err)
	}
	return fmt.Errorf("%w: %s of the %s table %s has it; read a newer snapshot, or restore the file (%w)", ErrVacuumed, f.Table.What(), f.Table.Format, f.Table.Path, err)
}

// What names the snapshot.
func (t *LakeTable) What() string { return t.Word() + " " + t.ID }

// Word is what the format calls a snapshot.
func (t *LakeTable) Word() string {
	if t.kind == tableformat.Delta {
		return "version"
	}
	return "snapshot"
}

// EqualitySet is the rows of a file of equality deletes, by their keys.
type EqualitySet struct {
	Once sync.Once
	Rows map[string]struct{}
	Err  error
}

// plan finds the data files of a snapshot that leaves that to later.
func (t *LakeTable) plan(ctx context.Context, e *where.Expr) (err error) {
	if t.Snap.Plan == nil {
		return nil
	}
	var may func(known func(path string) (tables.Known, bool)) bool
	if e != nil {
		may = func(known func(path string) (tables.Known, bool)) bool {
			ok, err := t.mayMatch(e, func(l *LakeField) where.Known { return asKnown(known(l.Path)) })
			return ok || err != nil // which opening a file will tell
		}
	}
	t.Snap.Files, t.FilesOut, err = t.Snap.Plan(ctx, may)
	return err
}

// asKnown makes what metadata knows what conditions are compared with.
func asKnown(k tables.Known, ok bool) where.Known {
	if !ok {
		return where.Anything
	}
	return where.Known{Bounds: k.Bounds, Nulls: k.Nulls || k.AllNull, AllNull: k.AllNull, Has: k.Has}
}
