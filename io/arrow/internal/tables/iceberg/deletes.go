// This file finds the delete files that apply to a data file.

package iceberg

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// deleteIndex has the delete files of a snapshot by the data files that they apply to.
type deleteIndex struct {
	p  *planner
	mu sync.Mutex

	vectors map[string]*deleteFile   // by the path of the data file
	byPath  map[string][]*deleteFile // position deletes of one data file
	byPart  map[string][]*deleteFile // position deletes of the data files of a partition
	equal   map[string][]*deleteFile // equality deletes of the data files of a partition
	global  []*deleteFile            // equality deletes of all data files
}

// deleteFile is a file of deletes.
type deleteFile struct {
	dataFile
	where    string // where it is
	sequence int64
	// Position deletes of a file are for paths between these; nil knows nothing.
	least, most []byte

	listed positions // of position deletes, once they are read
}

func newDeleteIndex(p *planner) *deleteIndex {
	return &deleteIndex{p: p, vectors: map[string]*deleteFile{}, byPath: map[string][]*deleteFile{},
		byPart: map[string][]*deleteFile{}, equal: map[string][]*deleteFile{}}
}

// add adds a file of a manifest of deletes.
func (x *deleteIndex) add(e *entry, spec *partitionSpec) error {
	d := &deleteFile{dataFile: e.File, sequence: *e.Sequence}
	var err error
	if d.where, err = x.p.places.find(d.Path); err != nil {
		return err
	}
	for _, b := range d.Lower {
		if b.ID == deletePathID && b.Value != nil {
			d.least = *b.Value
		}
	}
	for _, b := range d.Upper {
		if b.ID == deletePathID && b.Value != nil {
			d.most = *b.Value
		}
	}
	part, err := partitionOf(spec, &d.dataFile)
	if err != nil {
		return err
	}
	d.Lower, d.Upper, d.Nulls, d.Values, d.Partition = nil, nil, nil, nil, nil
	vector := d.Format == "puffin"
	switch {
	case d.Content == contentEquality && len(d.Equality) == 0:
		return columnar.Corrupt("the equality deletes %.200q have no columns", d.Path)
	case vector && (d.Content != contentPosition || d.Referenced == nil || d.Offset == nil || d.Length == nil):
		return columnar.Corrupt("the deletion vector in %.200q lacks its data file or its place", d.Path)
	case !vector && d.Format != "parquet":
		return columnar.Unsupported("delete files of format %.40q, such as %.200q; Parquet files and deletion vectors in Puffin files are read", d.Format, d.Path)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case vector:
		path := plain(*d.Referenced)
		if x.vectors[path] != nil {
			return columnar.Corrupt("there are two deletion vectors for %.200q", path)
		}
		x.vectors[path] = d
	case d.Content == contentEquality && spec.unpartitioned():
		x.global = append(x.global, d)
	case d.Content == contentEquality:
		x.equal[part] = append(x.equal[part], d)
	case d.Referenced != nil:
		path := plain(*d.Referenced)
		x.byPath[path] = append(x.byPath[path], d)
	default:
		x.byPart[part] = append(x.byPart[part], d)
	}
	return nil
}

// done puts the files in an order that doesn't depend on which manifest was read first.
func (x *deleteIndex) done() {
	order := func(a, b *deleteFile) int { return strings.Compare(a.where, b.where) }
	slices.SortFunc(x.global, order)
	for _, m := range []map[string][]*deleteFile{x.byPath, x.byPart, x.equal} {
		for _, list := range m {
			slices.SortFunc(list, order)
		}
	}
}

// apply gives a data file the deletes that apply to it: position deletes and deletion
// vectors that are not older, of its path or partition, and equality deletes that are
// newer, of its partition or of all.
func (x *deleteIndex) apply(out *tables.DataFile, e *entry, spec *partitionSpec) error {
	part, err := partitionOf(spec, &e.File)
	if err != nil {
		return err
	}
	path, sequence := plain(e.File.Path), *e.Sequence
	for _, list := range [][]*deleteFile{x.global, x.equal[part]} {
		for _, d := range list {
			if d.sequence > sequence {
				q := tables.EqualityDelete{Name: d.where, Size: d.Size}
				for _, id := range d.Equality {
					q.IDs = append(q.IDs, int(id))
				}
				out.Equality = append(out.Equality, q)
			}
		}
	}
	rows := *e.File.Rows
	if v := x.vectors[path]; v != nil && v.sequence >= sequence {
		// It has what position deletes had before: those are not read.
		out.Deletes = func(ctx context.Context, files tables.FS) (*tables.Deleted, error) {
			return v.readVector(ctx, files, rows)
		}
		return nil
	}
	var all []*deleteFile
	for _, list := range [][]*deleteFile{x.byPath[path], x.byPart[part]} {
		for _, d := range list {
			// Bounds are compared with the path as it is in the metadata.
			if d.sequence >= sequence && (d.Referenced != nil || d.mayHave(e.File.Path)) {
				all = append(all, d)
			}
		}
	}
	if len(all) > 0 {
		out.Deletes = func(ctx context.Context, files tables.FS) (*tables.Deleted, error) {
			return readPositions(ctx, files, all, path, rows)
		}
	}
	return nil
}

// mayHave reports whether position deletes may be of a data file.
func (d *deleteFile) mayHave(path string) bool {
	return (d.least == nil || string(d.least) <= path) && (d.most == nil || string(d.most) >= path)
}

// unpartitioned reports whether a spec has no fields that partition: version 1 of the
// format makes those that are dropped void, and keeps them.
func (s *partitionSpec) unpartitioned() bool {
	return !slices.ContainsFunc(s.Fields, func(f partitionField) bool { return f.Transform != "void" })
}

// partitionOf returns a key that is the same for files of the same spec and partition.
func partitionOf(spec *partitionSpec, d *dataFile) (string, error) {
	b := binary.AppendVarint(nil, int64(spec.ID))
	for i := range spec.Fields {
		f := &spec.Fields[i]
		v, ok := d.partitionValue(f)
		if !ok {
			return "", columnar.Corrupt("a partition lacks %.60q (field id %d)", f.Name, f.ID)
		}
		switch v := v.(type) {
		case nil:
			b = append(b, 0)
		case bool:
			b = fmt.Appendf(append(b, 1), "%v", v)
		case int32: // a column may have been widened
			b = binary.AppendVarint(append(b, 2), int64(v))
		case int64:
			b = binary.AppendVarint(append(b, 2), v)
		case float32:
			b = binary.LittleEndian.AppendUint64(append(b, 3), math.Float64bits(float64(v)))
		case float64:
			b = binary.LittleEndian.AppendUint64(append(b, 3), math.Float64bits(v))
		case string:
			b = append(binary.AppendUvarint(append(b, 4), uint64(len(v))), v...)
		case []byte:
			b = append(binary.AppendUvarint(append(b, 5), uint64(len(v))), v...)
		default:
			return "", columnar.Corrupt("the value of partition %.60q is of type %T", f.Name, v)
		}
	}
	return string(b), nil
}
