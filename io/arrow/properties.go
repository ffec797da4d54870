// This file holds properties of vertices and columns of ids.

package arrow

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
)

// VertexProperties are columns of a table of vertices, by the vertices of a
// graph. Vertices that aren't in the table have nulls. It is immutable, safe for
// concurrent use, and takes 8 bytes for each value (12 and the bytes themselves
// for strings and binary, 1 for booleans) and a bit, of all vertices.
type VertexProperties struct{ p *dataset.VertexProperties }

func newProperties(p *dataset.VertexProperties, err error) (*VertexProperties, error) {
	if p == nil || err != nil {
		return nil, err
	}
	return &VertexProperties{p}, nil
}

// Properties returns the properties of the vertices, after Load or
// LoadProperties; nil where Options.Vertices names none.
func (d *Dataset) Properties() *VertexProperties {
	if d.d == nil || d.d.Properties() == nil {
		return nil
	}
	return &VertexProperties{d.d.Properties()}
}

// LoadProperties reads the properties of the vertices of a graph that was built
// of the dataset, for those who build it themselves from Batches; Load has done
// it. It reads the table of vertices a second time. Properties returns them then.
//
// A vertex that is in the table twice is ErrTwice, one that isn't in the graph
// graph.ErrNoVertex, since the table must have changed.
func (d *Dataset) LoadProperties(ctx context.Context, g *graph.Graph) (failed error) {
	defer shown(&failed)
	return d.d.LoadProperties(ctx, g)
}

// LoadVertexProperties reads the properties of the vertices of a graph that wasn't built from a
// Dataset, such as a graph of OpenGraph. It reads the columns t.Properties, at least one, from
// rows with the ids t.ID. The type of ids must fit the graph's; a vertex that isn't in the
// table has nulls. Only these options are used: Nulls, UnionByName, Workers, S3, Stats,
// MaxFooter, MaxExpansion, FollowLinks and AllowOutside.
//
// A vertex that is in the table twice is ErrTwice. A vertex that isn't in the graph is
// graph.ErrNoVertex, unless t.SkipUnknown is set. Other errors are the same as for Open, and
// device.ErrClosed.
func LoadVertexProperties(ctx context.Context, g *graph.Graph, t VertexTable, o Options) (_ *VertexProperties, failed error) {
	defer shown(&failed)
	return newProperties(dataset.LoadVertexProperties(ctx, g, *t.inside(), o.inside()))
}

// PropertyFile is a Parquet or CSV file with properties of vertices.
type PropertyFile struct {
	Path    string
	Columns []string // that are read of it
	// Vertices are the vertices of its rows, internal ones, as many as it has
	// rows.
	Vertices []uint32
	// CSV has the columns of a file of CSV, as Table.CSV does; nil for Parquet.
	CSV []Column
}

// ReadProperties reads the properties of those names of a graph's vertices from
// files, each of which has some of them for some vertices. Vertices that are in no
// file have nulls.
//
// A column that is missing is ErrColumn, one of a type that can't be a property,
// or of different types in two files, ErrColumnType, and a file with other than as
// many rows as vertices ErrRows. If two files have a vertex, the last one wins. A
// duplicate name, or a name that no file has, is graph.ErrOptions; a nil graph is
// graph.ErrNoGraph.
func ReadProperties(ctx context.Context, g *graph.Graph, names []string, files []PropertyFile) (_ *VertexProperties, failed error) {
	defer shown(&failed)
	inside := make([]dataset.PropertyFile, len(files))
	for i, f := range files {
		inside[i] = dataset.PropertyFile{Path: f.Path, Columns: f.Columns, Vertices: f.Vertices, CSV: insideColumns(f.CSV)}
	}
	return newProperties(dataset.ReadProperties(ctx, g, names, inside))
}

// Fields returns the columns, all of them nullable. The slice is the caller's.
func (p *VertexProperties) Fields() []arrow.Field { return p.p.Fields() }

// Gather returns a record with the columns of those numbers, in that order, and
// a row for each vertex, an internal one, in that order. Its memory comes from
// mem; the caller releases it. A number that is no column's or no vertex's is
// graph.ErrOptions.
func (p *VertexProperties) Gather(ctx context.Context, columns []int, vertices []uint32, mem memory.Allocator) (_ arrow.Record, failed error) {
	defer shown(&failed)
	return p.p.Gather(ctx, columns, vertices, mem)
}

// Numbers returns a column of integers or floats by vertex, as float64, with none for nulls. A
// name that is no column's is graph.ErrOptions, a column of another type ErrColumnType.
func (p *VertexProperties) Numbers(name string, none float64) (_ []float64, failed error) {
	defer shown(&failed)
	return p.p.Numbers(name, none)
}

// IDColumn is ids of one type, in the order of the rows that they come from.
type IDColumn struct {
	Type    graph.IDType
	Ints    []int64       // of integer types
	Strings graph.Strings // of String and Binary
}

// Len returns the number of ids.
func (c *IDColumn) Len() int { return (*dataset.IDColumn)(c).Len() }

// ReadIDs appends the ids in a column of a Parquet file to c, in the order of
// its rows. To an empty c the column gives its type; ids of another type are
// ErrColumnType, a null is ErrNull, and a file that isn't Parquet is ErrFormat.
// Names, files and errors otherwise are as Open has them. On an error c has some
// of the ids. No c, nil, is graph.ErrOptions.
func ReadIDs(ctx context.Context, path, column string, c *IDColumn) (failed error) {
	defer shown(&failed)
	return dataset.ReadIDs(ctx, path, column, (*dataset.IDColumn)(c))
}

// EachID reads the ids of a table of vertices and calls yield with the text of each, in the form of
// graph.Graph.ParseVertex: "user:1" if VertexTable.ID has a kind. Ids come in the order of the files
// and their rows, from one goroutine; Options.Nulls applies to nulls. If VertexTable.ID is empty, the
// column is id or vertex, or else the first one.
//
// Only these options are used: Nulls, UnionByName, S3, Where, Stats, MaxFooter, MaxExpansion,
// FollowLinks and AllowOutside. Errors are the same as for Open and of yield.
func EachID(ctx context.Context, t VertexTable, o Options, yield func(id string) error) (failed error) {
	defer shown(&failed)
	return dataset.EachID(ctx, *t.inside(), o.inside(), yield)
}
