// Package iceberg reads the metadata of Apache Iceberg tables, of versions 1 to 3 of the
// format (https://iceberg.apache.org/spec): which data files a snapshot has, which of
// their rows are deleted, how their columns are found, and what is known of their values.
// It doesn't read data files.
package iceberg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
	"golang.org/x/sync/errgroup"
)

// table is a table's metadata, and where it was found.
type table struct {
	name   string
	meta   *metadata
	places *places
	files  tables.FS
}

func init() { tables.Iceberg.Provide(Open) }

// Open reads the snapshot of a table that at means. name is the path of the table's
// directory, which has a directory metadata, that of a metadata file, or that of a table in
// a catalog (see tables.InCatalog). Tables may have been moved since they were written.
//
// The error wraps tables.ErrSnapshot where there is no such snapshot, fs.ErrNotExist where
// there is no table, or where files of the snapshot's metadata aren't there any more,
// columnar.ErrCorrupt and columnar.ErrUnsupported.
func Open(ctx context.Context, files tables.FS, name string, at tables.At) (*tables.Snapshot, error) {
	if tables.InCatalog(name) {
		return openCatalog(ctx, files, name, at)
	}
	t, err := load(ctx, files, name)
	if err != nil {
		return nil, err
	}
	return t.read(at)
}

// load reads the metadata file.
func load(ctx context.Context, files tables.FS, name string) (*table, error) {
	dir, file, err := locate(ctx, files, name)
	if err != nil {
		return nil, err
	}
	budget := tables.BudgetOf(files)
	b, err := readCounted(ctx, files, file, budget)
	if err != nil {
		return nil, in(file, err)
	}
	m, err := parseMetadata(b, budget)
	if err != nil {
		return nil, in(file, err)
	}
	t := &table{meta: m, places: newPlaces(m.Location, dir), files: files}
	t.name = path.Base(dir)
	if dir == "" || dir == "." {
		t.name = path.Base(t.places.location)
	}
	return t, nil
}

// in adds the file to an error.
func in(file string, err error) error { return fmt.Errorf("%.300s: %w", file, err) }

// read returns a snapshot, whose manifests its Plan reads.
func (t *table) read(at tables.At) (*tables.Snapshot, error) {
	if err := at.Check(t.meta.UUID, "table-uuid"); err != nil {
		return nil, err
	}
	snap, schema, err := t.meta.choose(at)
	if err != nil {
		return nil, err
	}
	names, err := t.meta.names(tables.BudgetOf(t.files))
	if err != nil {
		return nil, err
	}
	c, err := columnsOf(schema, names)
	if err != nil {
		return nil, err
	}
	var later []*snapshot
	if at.Since != "" {
		if later, err = t.meta.since(at.Since, snap); err != nil {
			return nil, err
		}
	}
	out := &tables.Snapshot{Format: "Apache Iceberg", Name: t.name, TableID: t.meta.UUID, Dir: t.places.root(), Fields: c.fields}
	if snap == nil {
		return out, nil
	}
	out.ID, out.Time = string(snap.ID), stamp(snap.Time)
	out.Plan = func(ctx context.Context, may func(known func(path string) (tables.Known, bool)) bool) ([]tables.DataFile, int, error) {
		p := &planner{table: t, columns: c, may: may}
		if at.Since != "" {
			return p.planSince(ctx, later, at.Since)
		}
		return p.plan(ctx, snap)
	}
	return out, nil
}

// open opens a file of the metadata and calls use with it.
func (t *table) open(ctx context.Context, name, what string, use func(tables.File) error) error {
	found, err := t.places.find(name)
	if err != nil {
		return err
	}
	f, err := t.files.Open(ctx, found)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s %s isn't there any more: %w", tables.ErrSnapshot, what, found, err)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := use(f); err != nil {
		return in(found, err)
	}
	return nil
}

// planner finds the data files of a snapshot.
type planner struct {
	*table
	columns *columns
	may     func(known func(path string) (tables.Known, bool)) bool
}

// plan reads the manifests, those of deletes first. left is how many data files manifests
// have that weren't read.
func (p *planner) plan(ctx context.Context, snap *snapshot) (all []tables.DataFile, left int, err error) {
	list, err := p.readList(ctx, snap)
	if err != nil {
		return nil, 0, err
	}
	deletes := newDeleteIndex(p)
	parts := make([][]tables.DataFile, len(list))
	for _, content := range []int32{contentPosition, contentData} {
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(readAhead)
		for i := range list {
			m := &list[i]
			if m.Content != content {
				continue
			}
			wanted, err := p.manifestMay(m)
			if err != nil {
				return nil, 0, err
			}
			if !wanted {
				if content == contentData {
					left += m.files()
				}
				continue
			}
			g.Go(func() (err error) {
				defer func() {
					if panics.In(err) {
						err = in(m.Path, err)
					}
				}()
				defer panics.Recover(&err)
				panics.Point("read manifest")
				if content == contentPosition {
					return p.readManifest(ctx, m, deletes.add)
				}
				return p.readManifest(ctx, m, func(e *entry, spec *partitionSpec) error {
					f, err := p.dataFile(e, spec, deletes)
					if err == nil {
						parts[i] = append(parts[i], *f)
					}
					return err
				})
			})
		}
		if err := g.Wait(); err != nil {
			return nil, 0, err
		}
		deletes.done()
	}
	for _, files := range parts {
		all = append(all, files...)
	}
	return all, left, nil
}

// manifestMay reports whether a manifest may have matching files, by what the list
// has about their partitions.
func (p *planner) manifestMay(m *manifest) (bool, error) {
	if m.Added != nil && m.Existing != nil && *m.Added == 0 && *m.Existing == 0 {
		return false, nil
	}
	if m.inline || m.Parts == nil || p.may == nil {
		return true, nil
	}
	spec, err := p.meta.specOf(int(*m.Spec))
	if err != nil {
		return false, in(m.Path, err)
	}
	if m.Content != contentData && spec.unpartitioned() {
		return true, nil
	}
	return p.may(func(path string) (tables.Known, bool) { return p.columns.knownIn(path, spec, *m.Parts) }), nil
}

// dataFile makes of an entry what the reader needs.
func (p *planner) dataFile(e *entry, spec *partitionSpec, deletes *deleteIndex) (*tables.DataFile, error) {
	d := &e.File
	name, err := p.places.find(d.Path)
	if err != nil {
		return nil, err
	}
	if d.Format != "parquet" {
		return nil, columnar.Unsupported("data files of format %.40q, such as %s; of tables, Parquet files are read", d.Format, name)
	}
	fixed, err := p.columns.fixed(d, spec)
	if err != nil {
		return nil, in(name, err)
	}
	// What is kept while the snapshot is.
	kept := &dataFile{Partition: d.Partition, Rows: d.Rows, Values: d.Values, Nulls: d.Nulls, Lower: d.Lower, Upper: d.Upper}
	out := &tables.DataFile{Name: name, Size: d.Size, Rows: *d.Rows, ByID: true, Fixed: fixed,
		Bounds: func(_, path string) (tables.Known, bool) { return p.columns.knownOf(path, kept, spec) }}
	return out, deletes.apply(out, e, spec)
}

// once calls a function until it succeeds, and remembers that it did.
type once struct {
	mu   sync.Mutex
	done bool
}

func (o *once) do(f func() error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done {
		return nil
	}
	err := f()
	o.done = err == nil
	return err
}
