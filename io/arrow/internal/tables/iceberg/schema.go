// This file makes the fields of a schema what they are to the reader.

package iceberg

import (
	"bytes"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// columns describes the columns of a snapshot's schema.
type columns struct {
	fields []tables.Field
	leaves map[int]*leaf    // by field id
	paths  map[string]*leaf // by their path
}

// leaf is a column with values.
type leaf struct {
	id   int
	path string
	typ  dataType
}

// columnsOf returns the columns of a schema. names has the names of columns in files without
// field ids.
func columnsOf(s *schema, names map[int][]string) (*columns, error) {
	c := &columns{leaves: map[int]*leaf{}, paths: map[string]*leaf{}}
	b := &fieldBuilder{columns: c, names: names, room: columnar.PathRoom(0)}
	var err error
	c.fields, err = b.build(s.Struct.fields, "", false)
	return c, err
}

type fieldBuilder struct {
	*columns
	names map[int][]string
	room  int // for the lengths of paths
}

// build returns fields of a struct at a path. nullable says that a struct around may be
// null.
func (b *fieldBuilder) build(fields []field, prefix string, nullable bool) ([]tables.Field, error) {
	all := make([]tables.Field, 0, len(fields))
	for i := range fields {
		f := &fields[i]
		path := f.Name
		if prefix != "" {
			path = prefix + "." + f.Name
		}
		if b.room -= len(path); b.room < 0 {
			return nil, columnar.Unsupported("the names of the columns are too long")
		}
		out := tables.Field{Name: f.Name, ID: f.ID, Physical: f.Name, Names: b.names[f.ID], Required: f.Required}
		out.Type = f.Type.column(path, nullable || !f.Required)
		hasDefault := len(f.Initial) > 0 && !bytes.Equal(f.Initial, []byte("null"))
		switch f.Type.kind {
		case structKind:
			var err error
			out.Children, err = b.build(f.Type.fields, path, nullable || !f.Required)
			if err != nil {
				return nil, err
			}
		case listKind, mapKind:
			out.Opaque = true
		default:
			l := &leaf{id: f.ID, path: path, typ: f.Type}
			b.leaves[f.ID], b.paths[path] = l, l
			if !hasDefault || out.Type.Class == columnar.Opaque {
				break
			}
			s, err := f.Type.fromJSON(f.Initial)
			if err != nil {
				return nil, columnar.PlaceAt(-1, path, err)
			}
			out.Default = &s
		}
		all = append(all, out)
	}
	return all, nil
}
