// Package delta reads the log of Delta Lake tables into snapshots, as the protocol at
// https://github.com/delta-io/delta/blob/master/PROTOCOL.md describes it: JSON commits,
// checkpoints of both versions, column mapping, partition values, statistics and
// deletion vectors.
package delta

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/lake"
)

// format is the name of the format.
const format = "Delta Lake"

// tableID is where the log has what a table is known by.
const tableID = "metaData.id"

// Open reads the snapshot that is meant of the table in a directory: a path, or
// s3://bucket/prefix. Errors are lake.ErrSnapshot, columnar.ErrCorrupt,
// columnar.ErrUnsupported, which names the feature, and those of the file system.
func Open(ctx context.Context, files lake.FS, dir string, at lake.At) (*lake.Snapshot, error) {
	if trimmed := strings.TrimRight(dir, "/"); trimmed != "" {
		dir = trimmed
	}
	l, err := list(ctx, files, dir)
	if err != nil {
		return nil, err
	}
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
	files    map[fileKey]*addFile
	in       *table // with the directory alone
}

// fileKey is what a logical file is known by: where it is, from the table's directory on
// if it is below it, and its deletion vector. Its path may be escaped, or absolute, in one
// action and not in another.
type fileKey struct{ name, vector string }

// key returns what a file is known by. A path that can't be resolved stands for itself.
func (s *state) key(p string, d *vectorDescriptor) fileKey {
	if plainPath(p) {
		return fileKey{p, d.id()}
	}
	name, err := s.in.resolve(p)
	if err != nil {
		name = p
	}
	return fileKey{strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(s.in.dir)+"/"), d.id()}
}

// plainPath reports whether a path is what it stands for, from the table's directory on.
func plainPath(p string) bool {
	return !strings.ContainsAny(p, `%:\`) && p != "" && filepath.IsLocal(p) && path.Clean(p) == p && strings.IndexByte(p, 0) < 0
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
		s.files[s.key(a.Add.Path, a.Add.DeletionVector)] = a.Add
	case a.Remove != nil:
		delete(s.files, s.key(a.Remove.Path, a.Remove.DeletionVector))
	}
	return nil
}

// snapshot makes a snapshot of the state.
func (s *state) snapshot(dir string, version int64) (*lake.Snapshot, error) {
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
	snap := &lake.Snapshot{Format: format, Name: s.meta.Name, TableID: s.meta.ID, ID: fmt.Sprint(version), Dir: dir, Fields: t.fields,
		Files: make([]lake.DataFile, 0, len(s.files))}
	if snap.Name == "" {
		snap.Name = path.Base(strings.ReplaceAll(dir, `\`, "/"))
	}
	// In the order of their names, however the log came by them.
	keys := slices.AppendSeq(make([]fileKey, 0, len(s.files)), maps.Keys(s.files))
	slices.SortFunc(keys, func(a, b fileKey) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.vector, b.vector))
	})
	for i, k := range keys {
		if i > 0 && keys[i-1].name == k.name {
			return nil, columnar.Corrupt("the file %.200q is there twice, with different deletion vectors", k.name)
		}
		a := s.files[k]
		f, err := t.dataFile(a)
		if err != nil {
			return nil, err
		}
		a.Path = "" // the statistics alone are kept
		snap.Files = append(snap.Files, f)
	}
	return snap, nil
}

// table is what files are read by.
type table struct {
	dir        string
	widened    bool // columns may have had narrower types
	mapping    mapping
	fields     []lake.Field
	partitions []partition
	columns    map[string]*column               // leaves by their paths, for statistics
	values     map[string]map[string]lake.Value // of partitions, by the texts of their values
}

// dataFile makes a data file of an action.
func (t *table) dataFile(a *addFile) (lake.DataFile, error) {
	name, err := t.resolve(a.Path)
	if err != nil {
		return lake.DataFile{}, err
	}
	f := lake.DataFile{Name: name, Size: a.Size, Rows: -1, Format: "parquet", ByID: t.mapping == byID}
	if f.Fixed, err = t.fixed(a); err != nil {
		return f, fmt.Errorf("file %.200q: %w", a.Path, err)
	}
	stats := statistics{t, a}
	f.Bounds = stats.bounds
	if n, ok := stats.rows(); ok {
		f.Rows = n
	}
	if a.DeletionVector != nil {
		v, err := t.vector(a.DeletionVector)
		if err != nil {
			return f, fmt.Errorf("file %.200q: %w", a.Path, err)
		}
		f.Deletes = v.read
	}
	return f, nil
}

// missing reports whether an error is that there is no such file.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
