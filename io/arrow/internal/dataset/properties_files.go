// This file reads the properties of vertices where the place of a row says whose
// they are.

package dataset

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// PropertyFile is a Parquet or CSV file with properties of vertices. Columns are those that are read, and Vertices the
// internal vertices of its rows. CSV has the columns of a file of CSV.
type PropertyFile struct {
	Path     string
	Columns  []string
	Vertices []uint32
	CSV      []Column
}

// ReadProperties reads the properties of those names of a graph's vertices from files, each of which has some of them
// for some vertices. Vertices that are in no file have nulls; if two files have a vertex, the last one wins.
//
// A column that is missing is ErrColumn, one of a type that can't be a property, or of different types in two files,
// ErrColumnType, and a file with another number of rows than of vertices ErrRows.
func ReadProperties(ctx context.Context, g *graph.Graph, names []string, files []PropertyFile) (_ *VertexProperties, failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	if g == nil {
		return nil, fmt.Errorf("properties of vertices: %w", graph.ErrNoGraph)
	}
	p := &VertexProperties{ids: g.IDs(), fields: make([]arrow.Field, len(names)), columns: make([]propertyColumn, len(names))}
	from := make([]string, len(names)) // the file that told the type
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("arrow: %w: property %.100q is asked for twice", graph.ErrOptions, name)
		}
	}
	l := &propertyLoad{p: p}
	for i := range files {
		f := &files[i]
		var to []int // the property of each column
		err := eachVector(ctx, f.Path, f.CSV, func(cols []columnar.Column, rows int64) (at []int, kinds []columnar.Kind, err error) {
			if rows != int64(len(f.Vertices)) {
				return nil, nil, columnar.Corrupt("%w: %d, for %d vertices", ErrRows, rows, len(f.Vertices))
			}
			for _, name := range f.Columns {
				k := slices.Index(names, name)
				if k < 0 {
					continue
				}
				c := slices.IndexFunc(cols, func(c columnar.Column) bool { return c.Path == name })
				if c < 0 {
					return nil, nil, atColumn(name, input.ColumnErrorf("the file has none of that name; %s", list(cols)))
				}
				typ, ok := propertyType(&cols[c])
				if !ok || cols[c].Repeated {
					return nil, nil, atColumn(name, noProperty(&cols[c]))
				}
				if from[k] == "" {
					from[k] = f.Path
					p.fields[k] = propertyField(name, typ, &cols[c])
					p.columns[k] = newPropertyColumn(cols[c].Class, g.NumVertices())
				} else if !arrow.TypeEqual(typ, p.fields[k].Type) {
					return nil, nil, atColumn(name, fmt.Errorf("%w: it is %v, but in %s it is %v; cast one of them", input.ErrColumnType, typ, from[k], p.fields[k].Type))
				}
				at, kinds, to = append(at, c), append(kinds, cols[c].Class.Kind()), append(to, k)
			}
			return at, kinds, nil
		}, func(k int, v *columnar.Vector, row int64) error {
			vertices := f.Vertices[row : row+int64(v.Len())]
			for _, u := range vertices {
				if int64(u) >= int64(g.NumVertices()) {
					return fmt.Errorf("%w: %d", graph.ErrNoVertex, u)
				}
			}
			return l.column(&p.columns[to[k]], v, vertices)
		})
		if err != nil {
			return nil, fmt.Errorf("properties of vertices: %w", err)
		}
	}
	for i, name := range names {
		if from[i] == "" {
			return nil, fmt.Errorf("arrow: %w: no file has property %.100q", graph.ErrOptions, name)
		}
	}
	return p, nil
}
