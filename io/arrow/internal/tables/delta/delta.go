// Package delta reads the log of Delta Lake tables into snapshots, as the protocol at
// https://github.com/delta-io/delta/blob/master/PROTOCOL.md describes it: JSON commits,
// checkpoints of both versions, column mapping, partition values, statistics and
// deletion vectors.
package delta

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// format is the name of the format.
const format = "Delta Lake"

// tableID is where the log has what a table is known by.
const tableID = "metaData.id"

// Open reads the snapshot that is meant of the table in a directory: a path, or
// s3://bucket/prefix. Errors are tables.ErrSnapshot, columnar.ErrCorrupt,
// columnar.ErrUnsupported, which names the feature, and those of the file system.
func Open(ctx context.Context, files tables.FS, dir string, at tables.At) (*tables.Snapshot, error) {
	if trimmed := strings.TrimRight(dir, "/"); trimmed != "" {
		dir = trimmed
	}
	l, err := list(ctx, files, dir)
	if err != nil {
		return nil, err
	}
	l.rowsOnly = at.RowsOnly
	version, err := l.find(ctx, at)
	if err != nil {
		return nil, err
	}
	s, err := l.replay(ctx, version)
	if err != nil {
		return nil, fmt.Errorf("version %d: %w", version, err)
	}
	if s.meta != nil {
		if err := at.Check(s.meta.ID, tableID); err != nil {
			return nil, err
		}
	}
	if at.Since != "" {
		if err := l.keepAdded(ctx, s, at.Since, version); err != nil {
			return nil, err
		}
	}
	snap, err := s.snapshot(dir, version)
	if err != nil {
		return nil, fmt.Errorf("version %d: %w", version, err)
	}
	snap.Time, err = l.time(ctx, version)
	return snap, err
}

// state is what the actions of a log up to a version amount to.
type state struct {
	protocol *protocol
	meta     *metadata
	files    *fileSet
}

// apply applies the actions of a commit, in their order.
func (s *state) apply(a *action) error {
	switch {
	case a.Protocol != nil:
		s.protocol = a.Protocol
	case a.MetaData != nil:
		s.meta = a.MetaData
	case a.Add != nil:
		if a.Add.Path == "" || a.Add.Size < 0 {
			return columnar.Corrupt("an added file without a path, or of %d bytes", a.Add.Size)
		}
		s.files.add(a.Add)
	case a.Remove != nil:
		s.files.remove(a.Remove.Path, a.Remove.DeletionVector)
	}
	return nil
}

// snapshot makes a snapshot of the state.
func (s *state) snapshot(dir string, version int64) (*tables.Snapshot, error) {
	switch {
	case s.protocol == nil:
		return nil, columnar.Corrupt("the log has no protocol")
	case s.meta == nil:
		return nil, columnar.Corrupt("the log has no metadata")
	}
	mapping, err := s.protocol.check(s.meta)
	if err != nil {
		return nil, err
	}
	if p := s.meta.Format.Provider; p != "" && p != "parquet" {
		return nil, columnar.Unsupported("data files of format %.40q", p)
	}
	t := &table{dir: dir, mapping: mapping, widened: s.protocol.widens()}
	if err := t.readSchema(s.meta); err != nil {
		return nil, err
	}
	snap := &tables.Snapshot{Format: format, Name: s.meta.Name, TableID: s.meta.ID, ID: fmt.Sprint(version), Dir: dir, Fields: t.fields,
		Files: make([]tables.DataFile, 0, s.files.live)}
	if snap.Name == "" {
		snap.Name = path.Base(strings.ReplaceAll(dir, `\`, "/"))
	}
	t.rowsOnly = s.files.rowsOnly
	err = s.files.sorted(func(f, before *file) error {
		if before != nil && before.key() == f.key() {
			return columnar.Corrupt("the file %.200q is there twice, with different deletion vectors", f.key())
		}
		d, err := t.dataFile(f)
		snap.Files = append(snap.Files, d)
		return err
	})
	if err != nil {
		return nil, err
	}
	return snap, nil
}

// table is what files are read by.
type table struct {
	dir        string
	widened    bool // columns may have had narrower types
	mapping    mapping
	fields     []tables.Field
	partitions []partition
	columns    map[string]*column                 // leaves by their paths, for statistics
	values     map[string]map[string]tables.Value // of partitions, by the texts of their values
	rowsOnly   bool                               // statistics aren't there
	bounds     map[*shape]func(stats, path string) (tables.Known, bool)
	holes      sync.Map // of a shape and a column: holesOf
}

// dataFile makes a data file of one in the log.
func (t *table) dataFile(f *file) (d tables.DataFile, err error) {
	if f.unresolved {
		_, err := t.resolve(f.key())
		return d, err
	}
	d = tables.DataFile{Name: f.text[:f.nameEnd], Size: f.size, Rows: -1, ByID: t.mapping == byID}
	if d.Fixed, err = t.fixed(f.partition); err != nil {
		return d, fmt.Errorf("file %.200q: %w", f.key(), err)
	}
	if n, ok := f.stats.rows(); ok {
		d.Rows = n
	}
	if !t.rowsOnly {
		d.Stats, d.Bounds = f.stats.values, t.boundsOf(&f.stats)
	}
	if f.vector != nil {
		v, err := t.vector(f.vector)
		if err != nil {
			return d, fmt.Errorf("file %.200q: %w", f.key(), err)
		}
		d.Deletes = v.read
	}
	return d, nil
}

// missing reports whether an error is that there is no such file.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
