// This file holds properties of vertices, and the ids in a table of vertices.

package arrow

import (
	"context"
	"iter"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
)

// idsAtOnce is how many ids one goroutine hands over to another at once. A hand-over takes less than a microsecond,
// and so many texts of ids take tens of kilobytes.
const idsAtOnce = 1024

// Properties are columns of a table of vertices, by the vertices of a
// graph. Vertices that aren't in the table have nulls. They are immutable, safe for
// concurrent use, and take 8 bytes for each value (12 and the bytes themselves
// for strings and binary, 1 for booleans) and a bit, of all vertices.
type Properties struct {
	p     *dataset.VertexProperties
	stats Stats
}

func newProperties(p *dataset.VertexProperties, stats dataset.Stats) *Properties {
	if p == nil {
		return nil
	}
	return &Properties{p, Stats(stats)}
}

// Properties returns the properties of the vertices of a graph that was built of the dataset, nil where
// Options.Vertices names none. Load has read them; for a graph that was built from Batches or Read, Properties
// reads the table of vertices a second time.
//
// A vertex that is in the table twice is ErrDamaged, one that isn't in the graph
// graph.ErrNoVertex, since the table must have changed.
func (d *Dataset) Properties(ctx context.Context, g *graph.Graph) (_ *Properties, failed error) {
	defer shown(&failed)
	p, stats, err := d.d.PropertiesOf(ctx, g)
	if err != nil {
		return nil, err
	}
	return newProperties(p, stats), nil
}

// LoadProperties reads the properties of the vertices of a graph that wasn't built from a
// Dataset, such as a graph of OpenGraph. It reads the columns t.Properties, at least one, from
// rows with the ids t.ID. The type of ids must fit the graph's; a vertex that isn't in the
// table has nulls. Only these options are used: SkipNulls, UnionByName, Workers, S3, FS,
// MaxFooter, MaxExpansion, FollowLinks and AllowOutside.
//
// A vertex that is in the table twice is ErrDamaged. A vertex that isn't in the graph is
// graph.ErrNoVertex, unless t.SkipUnknown is set. Other errors are the same as for Open, and
// device.ErrClosed.
func LoadProperties(ctx context.Context, g *graph.Graph, t VertexTable, o Options) (_ *Properties, failed error) {
	defer shown(&failed)
	var stats dataset.Stats
	inside := o.inside()
	inside.Stats = &stats
	p, err := dataset.LoadVertexProperties(ctx, g, *t.inside(), inside)
	if err != nil {
		return nil, err
	}
	return newProperties(p, stats), nil
}

// PropertyFile is a Parquet or CSV file of this machine with properties of vertices, for ReadProperties.
type PropertyFile struct {
	Path     string
	Columns  []string // those that are read
	Vertices []uint32 // the internal vertex of each row
	// CSV has the columns of a file of CSV, as Table.CSV does; nil for Parquet.
	CSV []Field
}

// ReadProperties reads the properties of those names from files whose rows are vertices that the caller names, as
// in the chunks of GraphAr. Each file has some of them for some vertices. Vertices that are in no file have nulls; if two
// files have a vertex, the last one wins.
//
// A column that is missing is ErrColumn, one of a type that can't be a property, or of different types in two files,
// ErrColumnType. A file with another number of rows than of vertices is ErrDamaged, a vertex that the graph lacks
// graph.ErrNoVertex.
func ReadProperties(ctx context.Context, g *graph.Graph, names []string, files []PropertyFile) (_ *Properties, failed error) {
	defer shown(&failed)
	inside := make([]dataset.PropertyFile, len(files))
	for i, f := range files {
		inside[i] = dataset.PropertyFile{Path: f.Path, Columns: f.Columns, Vertices: f.Vertices, CSV: insideColumns(f.CSV)}
	}
	p, err := dataset.ReadProperties(ctx, g, names, inside)
	if err != nil {
		return nil, err
	}
	return newProperties(p, dataset.Stats{}), nil
}

// inside returns properties as packages dataset and write have them.
func (p *Properties) inside() *dataset.VertexProperties {
	if p == nil {
		return nil
	}
	return p.p
}

// Fields returns the columns, all of them nullable. The slice is the caller's.
func (p *Properties) Fields() []arrow.Field { return p.p.Fields() }

// Gather returns a record with the columns of those numbers, in that order, and
// a row for each vertex, an internal one, in that order. Its memory comes from
// mem; the caller releases it. A number that is no column's or no vertex's is
// graph.ErrOptions.
func (p *Properties) Gather(ctx context.Context, columns []int, vertices []uint32, mem memory.Allocator) (_ arrow.Record, failed error) {
	defer shown(&failed)
	return p.p.Gather(ctx, columns, vertices, mem)
}

// Numbers returns a column of integers or floats by vertex, as float64, with none for nulls. A
// name that is no column's is graph.ErrOptions, a column of another type ErrColumnType.
func (p *Properties) Numbers(name string, none float64) (_ []float64, failed error) {
	defer shown(&failed)
	return p.p.Numbers(name, none)
}

// Column returns a property as a column for graph.Graph.AddVertexColumns, of the graph that the properties were read for. Types
// and missing values are as in Options.VertexColumns. A name that is no column's is graph.ErrOptions.
func (p *Properties) Column(ctx context.Context, name string) (_ graph.Column, failed error) {
	defer shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return graph.Column{}, err
	}
	return p.p.Column(ctx, name)
}

// Stats returns what was read for the properties, of the table of vertices.
func (p *Properties) Stats() Stats { return p.stats }

// IDs reads the ids of a table of vertices. Each comes as text, in the form of
// graph.Graph.ParseVertex: "user:1" if VertexTable.ID has a kind. Ids come in the order of the files
// and their rows; Options.SkipNulls applies to nulls. If VertexTable.ID is empty, the
// column is id or vertex, or else the first one. An error comes with an empty id and ends the iteration.
//
// Only these options are used: SkipNulls, UnionByName, S3, FS, Where, MaxFooter, MaxExpansion,
// FollowLinks and AllowOutside. Errors are the same as for Open, and graph.ErrEmpty for a table without an id.
func IDs(ctx context.Context, t VertexTable, o Options) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := each(func(yield func([]string) error) error {
			var ids []string
			flush := func() error {
				if len(ids) == 0 {
					return nil
				}
				err := yield(ids)
				ids = ids[:0]
				return err
			}
			err := dataset.EachID(ctx, *t.inside(), o.inside(), func(id string) error {
				if ids = append(ids, id); len(ids) < idsAtOnce {
					return nil
				}
				return flush()
			})
			if e := flush(); e != nil { // also those before an error
				return e
			}
			return err
		}, func(ids []string) bool {
			for _, id := range ids {
				if !yield(id, nil) {
					return false
				}
			}
			return true
		})
		if err != nil {
			shown(&err)
			yield("", err)
		}
	}
}
