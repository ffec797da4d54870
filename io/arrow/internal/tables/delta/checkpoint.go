// This file reads checkpoints: Parquet files of actions, one a row, or JSON files, and
// the sidecars that they name.

package delta

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// load applies the actions of a checkpoint.
func (l *log) load(ctx context.Context, s *state, c *checkpoint) error {
	var sidecars []string
	apply := func(a *action) error {
		if a.Sidecar != nil {
			name, err := l.sidecar(a.Sidecar.Path)
			sidecars = append(sidecars, name)
			return err
		}
		if a.Remove != nil {
			return nil // a file that is kept for readers of older versions
		}
		return s.apply(a)
	}
	for _, part := range c.parts {
		var err error
		if strings.HasSuffix(part, ".json") {
			err = l.commit(ctx, part, func(a *action) (bool, error) { return true, apply(a) })
		} else {
			err = l.actions(ctx, part, apply)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range sidecars {
		err := l.actions(ctx, name, func(a *action) error {
			if a.Add == nil {
				return columnar.Corrupt("a sidecar has actions that aren't of files")
			}
			return s.apply(a)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sidecar returns the name of a sidecar file.
func (l *log) sidecar(p string) (string, error) {
	if !strings.Contains(p, "/") {
		p = "_sidecars/" + p
	}
	t := table{dir: l.dir}
	return t.resolve(p)
}

// actions calls f with the actions in a file of Parquet.
func (l *log) actions(ctx context.Context, name string, f func(*action) error) error {
	file, err := l.fs.Open(ctx, name)
	if err != nil {
		if missing(err) {
			return fmt.Errorf("%w: a part of a checkpoint is gone: %w", tables.ErrSnapshot, err)
		}
		return err
	}
	defer file.Close()
	err = columnar.Guard(func() error {
		// Actions that come again change nothing.
		again, err := l.packer.readActions(ctx, file, false, f)
		if again {
			_, err = l.packer.readActions(ctx, file, true, f)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path.Join(path.Base(path.Dir(name)), path.Base(name)), err)
	}
	return nil
}

// readActions calls f with the actions in a file of Parquet. again is true where an added file lacks
// statistics that are there as columns alone: read these too.
func (p *packer) readActions(ctx context.Context, file tables.File, parsed bool, f func(*action) error) (again bool, err error) {
	r, err := openActions(file, parsed)
	if err != nil {
		return false, err
	}
	r.m = &matcher{p: p}
	err = r.read(ctx, func(a *action) error {
		if a.Add != nil && !parsed && r.hasParsed && !a.Add.hasStats() {
			again = true
			return errAgain
		}
		return f(a)
	})
	if again {
		err = nil
	}
	return again, err
}

// errAgain ends the reading of a file.
var errAgain = errors.New("read it again")

// actionReader reads actions from Parquet.
type actionReader struct {
	m         *matcher // of statistics
	file      tables.File
	parquet   *parquet.File
	fields    []*parquetField
	byName    map[string]*parquetField
	hasParsed bool
	stats     []*statsField
	columns
	add addFile // of the row
	act action
}

// columns are the columns that are read, nil where the file lacks one.
type columns struct {
	path, size, text                                          *parquetField
	storage, vector, offset, bytes, cardinality               *parquetField
	id, name, schema, provider, version, features, sidecar    *parquetField
	partitionKeys, partitions, partitionColumns, keys, values *parquetField
}

// parquetField is a column that is read.
type parquetField struct {
	column int
	kind   columnar.Kind
	def    uint8 // of values that are there
	levels parquet.Levels
	entry  int // the next one
	value  int // the next one of levels.Values
}

// scalars are the columns that are read, and whether they are numbers.
var scalars = map[string]bool{"add.path": false, "add.size": true, "add.stats": false,
	"add.deletionVector.storageType": false, "add.deletionVector.pathOrInlineDv": false, "add.deletionVector.offset": true,
	"add.deletionVector.sizeInBytes": true, "add.deletionVector.cardinality": true,
	"metaData.id": false, "metaData.name": false, "metaData.schemaString": false, "metaData.format.provider": false,
	"protocol.minReaderVersion": true, "sidecar.path": false}

// openActions finds the columns.
func openActions(file tables.File, parsed bool) (*actionReader, error) {
	r := &actionReader{file: file, byName: map[string]*parquetField{}}
	var err error
	if r.parquet, err = parquet.Open(file, file.Size()); err != nil {
		return nil, err
	}
	cols := r.parquet.Columns()
	for i := range cols {
		c := &cols[i]
		number, ok := scalars[c.Path]
		if ok {
			if text := c.Class == columnar.Text || c.Class == columnar.Bytes; number && c.Class != columnar.Signed || !number && !text {
				return nil, columnar.PlaceAt(-1, c.Path, columnar.Unsupported("a checkpoint's column of type %s", c.Type))
			}
			if number {
				r.column(c.Path, i, columnar.Ints)
			} else {
				r.column(c.Path, i, columnar.Strings)
			}
			continue
		}
		if name := repeatedName(c.Path); name != "" {
			if _, rep := r.parquet.MaxLevels(i); rep != 1 || c.Type != "list of string" && c.Type != "list of binary" {
				return nil, columnar.PlaceAt(-1, c.Path, columnar.Unsupported("a checkpoint's column of type %s", c.Type))
			}
			r.column(name, i, columnar.Strings)
			continue
		}
		if rest, ok := strings.CutPrefix(c.Path, "add.stats_parsed."); ok {
			r.hasParsed = true
			if parsed {
				r.addStats(rest, i, c)
			}
		}
	}
	of := r.byName
	r.columns = columns{path: of["add.path"], size: of["add.size"], text: of["add.stats"],
		storage: of["add.deletionVector.storageType"], vector: of["add.deletionVector.pathOrInlineDv"], offset: of["add.deletionVector.offset"],
		bytes: of["add.deletionVector.sizeInBytes"], cardinality: of["add.deletionVector.cardinality"],
		id: of["metaData.id"], name: of["metaData.name"], schema: of["metaData.schemaString"], provider: of["metaData.format.provider"],
		version: of["protocol.minReaderVersion"], features: of["protocol.readerFeatures"], sidecar: of["sidecar.path"],
		partitionKeys: of["add.partitionValues.key"], partitions: of["add.partitionValues.value"],
		partitionColumns: of["metaData.partitionColumns"], keys: of["metaData.configuration.key"], values: of["metaData.configuration.value"]}
	var at []int
	var kinds []columnar.Kind
	for _, f := range r.fields {
		at, kinds = append(at, f.column), append(kinds, f.kind)
	}
	return r, r.parquet.SelectLevels(at, kinds)
}

// repeatedName returns what a column of a list or map is called here, or nothing.
func repeatedName(p string) string {
	for _, m := range []string{"add.partitionValues", "metaData.configuration"} {
		if strings.HasPrefix(p, m+".") {
			for _, part := range []string{".key", ".value"} {
				if strings.HasSuffix(p, part) {
					return m + part
				}
			}
		}
	}
	for _, l := range []string{"metaData.partitionColumns", "protocol.readerFeatures"} {
		if strings.HasPrefix(p, l+".") {
			return l
		}
	}
	return ""
}

// column adds a column that is read; of two of one name the first counts.
func (r *actionReader) column(name string, i int, kind columnar.Kind) *parquetField {
	if f := r.byName[name]; f != nil {
		return f
	}
	def, _ := r.parquet.MaxLevels(i)
	f := &parquetField{column: i, kind: kind, def: uint8(def)}
	r.fields, r.byName[name] = append(r.fields, f), f
	return f
}

// read calls f with all actions. An added file, and its texts, are there until f returns.
func (r *actionReader) read(ctx context.Context, f func(*action) error) error {
	size := r.file.Size()
	mem := columnar.NewMemory(columnar.NewPool(size))
	reader := parquet.NewReader(mem)
	defer reader.Close()
	for g, group := range r.parquet.Groups {
		mem.Begin(ctx, size)
		reader.Open(ctx, r.parquet, r.file, g)
		for done := int64(0); done < group.Rows; {
			n := int(min(actionRows, group.Rows-done))
			for k, c := range r.fields {
				if err := reader.ReadLevels(k, &c.levels, n); err != nil {
					return columnar.PlaceAt(g, "", err)
				}
				if c.levels.Rows != n {
					return columnar.PlaceAt(g, "", columnar.Corrupt("a column has %d rows, where %d belong", c.levels.Rows, n))
				}
				c.entry, c.value = 0, 0
			}
			for range n {
				a, err := r.row()
				if err != nil {
					return columnar.PlaceAt(g, "", err)
				}
				if a == nil {
					continue
				}
				if err := f(a); err != nil {
					return err
				}
			}
			done += int64(n)
		}
		if mem.End() {
			for _, c := range r.fields {
				c.levels = parquet.Levels{}
			}
			reader.Drop()
			mem.Reset()
		}
	}
	return nil
}
