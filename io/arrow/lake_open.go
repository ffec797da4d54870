// This file opens tables of data lakes: which paths are tables, and which snapshot of
// a table is read.

package arrow

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

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/files/tableformat"
	"github.com/foray-graph/foray/io/arrow/internal/lake"
	"github.com/foray-graph/foray/io/arrow/internal/lake/delta"
)

// ErrSnapshot: a table of Iceberg or Delta Lake has no such snapshot, or none as of
// that time, or it isn't complete any more.
var ErrSnapshot = lake.ErrSnapshot

// ErrRemoved: rows of a table were removed or changed since the snapshot that Options.Since
// names, so that the rows that were added don't make the difference: read the whole table.
var ErrRemoved = lake.ErrRemoved

// ErrVacuumed: a data file of a snapshot isn't there any more. It is fs.ErrNotExist
// too.
var ErrVacuumed error = vacuumed{}

type vacuumed struct{}

func (vacuumed) Error() string { return "the file was vacuumed or expired" }
func (vacuumed) Unwrap() error { return fs.ErrNotExist }

// TableSnapshot is the snapshot of an Iceberg or Delta Lake table that is read.
type TableSnapshot struct {
	Path     string    // as it was given
	Format   string    // "Apache Iceberg" or "Delta Lake"
	Name     string    // what the table calls itself, or the name of its directory
	TableID  string    // what the table itself is known by: Iceberg's table-uuid, Delta Lake's metaData.id; empty where it has none
	ID       string    // of Iceberg the snapshot's id, of Delta Lake the version
	Time     time.Time // when it was committed; zero where that isn't known
	Since    string    // as Options.Since has it
	Where    string    // as Options.Where has it
	Files    int       // data files of the snapshot that are read
	FilesOut int       // data files that the condition leaves out unopened
	// Outside is the number of Files outside of the table's directory, as in shallow clones, and OutsideFile
	// the first of these. Their location comes only from the metadata: check it if you don't trust the
	// table's author.
	Outside     int
	OutsideFile string
	// OutsideMetadata is how many files of metadata and deletes were read so far that lie
	// outside of it, such as manifests, and OutsideMetadataFile one of these.
	OutsideMetadata     int
	OutsideMetadataFile string
}

// lakeOpener returns what reads the metadata of tables of a kind, and nil if there is none.
func lakeOpener(kind tableformat.Kind) (lake.Opener, error) {
	switch kind {
	case tableformat.Delta:
		return delta.Open, nil
	case tableformat.Iceberg:
		return lake.Iceberg.Get()
	}
	return nil, nil
}

// lakeTable is a snapshot of a table that is read.
type lakeTable struct {
	TableSnapshot
	kind   tableformat.Kind
	snap   *lake.Snapshot
	fields []lakeField // the columns
	fs     *lakeFS

	bound atomic.Pointer[boundWhere] // the condition that was asked for last

	mu     sync.Mutex
	byPath map[string]*lakeField
	sets   map[string]*equalitySet // of equality deletes, by columns and file
}

// lakeFile is a data file of a snapshot. file is nil for that of a table without
// files, which has the columns and no rows.
type lakeFile struct {
	table *lakeTable
	file  *lake.DataFile

	deleted *deletedRows // nil where no rows can be
}

// at returns the snapshot that options ask for.
func (d *Dataset) at() (lake.At, error) {
	at, where := lake.At{Snapshot: d.o.Snapshot, Time: d.o.AsOf, Since: d.o.Since, Table: d.o.TableID}, "Options"
	if t := d.o.table; t != nil {
		at, where = lake.At{Snapshot: t.Snapshot, Time: t.AsOf, Since: t.since}, "Options.Vertices"
	}
	if at.Snapshot != "" && !at.Time.IsZero() {
		return at, fmt.Errorf("arrow: %w: %s has both Snapshot and AsOf; set one of them", graph.ErrOptions, where)
	}
	return at, nil
}

// checkAt refuses a snapshot for an input without snapshots, or for several tables.
func (d *Dataset) checkAt(all []origin, at lake.At) error {
	if at == (lake.At{}) {
		return nil
	}
	for i := range all {
		if all[i].lake == nil && at.Table != "" && at.Since == "" {
			return fmt.Errorf("arrow: %w: %s is no table of Iceberg or Delta Lake; leave out TableID", graph.ErrOptions, all[i].path)
		}
		if all[i].lake == nil && at.Since != "" {
			return fmt.Errorf("arrow: %w: %s is no table of Iceberg or Delta Lake, so that it has no snapshots; leave out Since", graph.ErrOptions, all[i].path)
		}
		if all[i].lake == nil {
			return fmt.Errorf("arrow: %w: %s is no table of Iceberg or Delta Lake, so that it has no snapshots; leave out Snapshot and AsOf", graph.ErrOptions, all[i].path)
		}
	}
	if len(d.lakes) > 1 && at.Since != "" {
		return fmt.Errorf("arrow: %w: Since is %.100q, but there are several tables, which have snapshots of their own; read them by OpenTables", graph.ErrOptions, at.Since)
	}
	if len(d.lakes) > 1 && at.Snapshot != "" {
		return fmt.Errorf("arrow: %w: Snapshot is %.100q, but there are several tables, which have snapshots of their own; read them by OpenTables, or as of a time", graph.ErrOptions, at.Snapshot)
	}
	return nil
}

// metadataFile reports whether a path is an Iceberg metadata file.
func metadataFile(p string) bool {
	return tableformat.MetadataFile(path.Base(strings.ReplaceAll(p, `\`, "/")))
}

// openLake reads the metadata of a table, and returns its data files.
func (s *store) openLake(ctx context.Context, kind tableformat.Kind, p string, at lake.At) ([]origin, error) {
	fs := newLakeFS(s)
	fs.named = p
	fs.setRoot(tableRoot(p))
	read, err := lakeOpener(kind)
	if err != nil {
		return nil, fileError(p, "", err)
	}
	if read == nil {
		return nil, fileError(p, "", &tableformat.Error{Root: strings.TrimSuffix(p, "/"), Kind: kind})
	}
	at.RowsOnly = s.rowsOnly
	snap, err := read(ctx, fs, p, at)
	if err != nil {
		if stop := stopped(ctx); stop != nil {
			return nil, stop
		}
		return nil, fileError(p, "", err)
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
	t := &lakeTable{kind: kind, snap: snap, fs: fs,
		TableSnapshot: TableSnapshot{Path: p, Format: snap.Format, Name: snap.Name, TableID: snap.TableID, ID: snap.ID, Time: snap.Time, Since: at.Since}}
	t.fields = flatten(snap.Fields)
	if err := t.plan(ctx, s.where); err != nil {
		if stop := stopped(ctx); stop != nil {
			return nil, stop
		}
		return nil, fileError(p, "", err)
	}
	if err := fs.allowAll(snap.Files); err != nil {
		return nil, fileError(p, "", err)
	}
	for i := range snap.Files {
		if name := snap.Files[i].Name; s3.Is(name) && !liesBelow(name, snap.Dir) {
			atomicfile.NoteObject(ctx, name)
		} else if !liesBelow(name, snap.Dir) {
			atomicfile.NoteName(ctx, name)
		}
	}
	s.lakes = append(s.lakes, t)
	if len(snap.Files) == 0 {
		return []origin{{path: p, lake: &lakeFile{table: t}}}, nil
	}
	all, files := make([]origin, len(snap.Files)), make([]lakeFile, len(snap.Files))
	for i := range snap.Files {
		f := &snap.Files[i]
		if s3.Is(p) && !s3.Is(f.Name) {
			return nil, fileError(p, "", fmt.Errorf("%w: the table is in a store and names a file that is not: %.200s", ErrUnsupported, f.Name))
		}
		files[i].table, files[i].file = t, f
		if files[i].deletes() {
			files[i].deleted = new(deletedRows)
		}
		all[i] = origin{path: f.Name, lake: &files[i]}
	}
	return all, nil
}

// tableRoot returns the directory of the table that a path stands for, or "" where only the metadata says it.
func tableRoot(p string) string {
	if lake.InCatalogue(p) {
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

// gone wraps the error of a missing or changed file that belongs to a snapshot.
func (f *lakeFile) gone(name string, err error) error {
	if f == nil || f.file == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrChanged) {
		return err
	}
	if t := f.table; t.Since != "" {
		return fmt.Errorf("%w: the %s table %s got it after %s %s; read the whole table (%w)", ErrVacuumed, t.Format, t.Path, t.word(), t.Since, err)
	}
	return fmt.Errorf("%w: %s of the %s table %s has it; read a newer snapshot, or restore the file (%w)", ErrVacuumed, f.table.what(), f.table.Format, f.table.Path, err)
}

// what names the snapshot.
func (t *lakeTable) what() string { return t.word() + " " + t.ID }

// word is what the format calls a snapshot.
func (t *lakeTable) word() string {
	if t.kind == tableformat.Delta {
		return "version"
	}
	return "snapshot"
}

// Snapshots returns which snapshots of tables of Iceberg and Delta Lake are read, in
// the order of the paths; none where there are only files. The dataset reads these,
// whatever becomes of the tables.
func (d *Dataset) Snapshots() []TableSnapshot {
	var all []TableSnapshot
	for _, p := range d.parts() {
		for _, t := range p.lakes {
			s := t.TableSnapshot
			s.Where = p.o.Where
			s.OutsideMetadata, s.OutsideMetadataFile = t.fs.outside(t.snap.Dir)
			all = append(all, s)
		}
	}
	return all
}
