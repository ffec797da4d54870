// This file holds WriteColumns, which writes what a traversal found of every vertex: any
// number of columns, each with a name.

package arrow

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
)

// ResultColumn is a column with a value for each vertex of a graph.
type ResultColumn struct {
	// Name is what the column is called, in UTF-8.
	Name string
	// Values are the values by internal vertex: a slice of int32, int64, uint32, uint64,
	// float32, float64 or bool, or a value with a method All that returns such a slice and
	// an error, as *traverse.Values has. If the value also has a method Graph()
	// *graph.Graph, it must return the graph that is written. The values must not change
	// meanwhile.
	Values any
	// Null is the value that stands for a missing one, as -1 does in depths, or NaN, which
	// stands for any NaN. It may be of any numeric type that holds it. nil: none is missing.
	Null any
	// Vertices says that values are vertices, uint32. They are written as external ids, in
	// as many columns as those have; graph.NoVertex is missing.
	Vertices bool

	// CSVNull is what CSV has where a value is missing, such as -1 in the depths of
	// WriteResult; "": nothing.
	CSVNull string
}

// WriteColumns writes columns with a value for each vertex to the path, or to standard
// output if the path is "-": one row per vertex, in ascending order of internal vertex id,
// with the columns
//
//   - vertex: the external id, as WriteResult writes it;
//   - the given columns, in order, with their names and the types of their values; columns
//     of vertices in the type of the graph's ids;
//   - the columns of WriteOptions.Properties.
//
// Parquet and IPC files have every value bit for bit, NaN included. CSV has CSVNull and
// JSON lines have null for a missing value; JSON lines have null for NaN and infinities too.
// WriteOptions.ReachedOnly leaves out vertices for which the first column has no value, and
// PartitionBy may name any column that isn't of floats.
//
// Errors wrap ErrOutputColumn (a name that is empty, not UTF-8 or another column's, the id's
// included; values of another type; an invalid Null; no column at all), ErrResult (no graph,
// a column of more or fewer values than the graph has vertices, or of another graph),
// device.ErrClosed (a closed graph, freed values), or are those of WriteResult. The file
// appears whole or not at all.
func WriteColumns(ctx context.Context, path string, g *graph.Graph, columns []ResultColumn, o ...WriteOptions) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	return writeColumns(ctx, path, g, columns, o, openOutput)
}

func writeColumns(ctx context.Context, path string, g *graph.Graph, columns []ResultColumn, o []WriteOptions,
	open func(context.Context, *writeSpec) (output, error)) error {
	spec, err := newWriteSpec(path, o)
	if err != nil {
		return fmt.Errorf("cannot write the columns: %w", err)
	}
	rows, err := newColumnRows(g, columns, spec.shape())
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", spec.path, err)
	}
	return writeVertices(ctx, spec, rows, open)
}

func newColumnRows(g *graph.Graph, columns []ResultColumn, shape rowShape) (*vertexRows, error) {
	switch {
	case g == nil:
		return nil, fmt.Errorf("%w: the graph is nil", ErrResult)
	case len(columns) == 0:
		return nil, fmt.Errorf("%w: there is none; give one at least", ErrOutputColumn)
	}
	return newVertexRows(g, shape, func(int) ([]ResultColumn, error) {
		columns = slices.Clone(columns)
		for i := range columns {
			c := &columns[i]
			if isNil(c.Values) {
				return nil, fmt.Errorf("%w: column %.100q has no values (nil); set ResultColumn.Values", ErrOutputColumn, c.Name)
			}
			if err := foundOn(g, c.Values); err != nil {
				return nil, fmt.Errorf("column %.100q: %w", c.Name, err)
			}
			all, err := allOf(c.Values)
			if err != nil {
				return nil, fmt.Errorf("column %.100q: %w", c.Name, err)
			}
			c.Values = all
		}
		return columns, nil
	})
}

// allOf returns the slice that values are, or that their method All returns.
func allOf(values any) (any, error) {
	switch x := values.(type) {
	case interface{ All() ([]int32, error) }:
		return called(x.All())
	case interface{ All() ([]int64, error) }:
		return called(x.All())
	case interface{ All() ([]uint32, error) }:
		return called(x.All())
	case interface{ All() ([]uint64, error) }:
		return called(x.All())
	case interface{ All() ([]float32, error) }:
		return called(x.All())
	case interface{ All() ([]float64, error) }:
		return called(x.All())
	case interface{ All() ([]bool, error) }:
		return called(x.All())
	}
	return values, nil
}

func called[T value](values []T, err error) (any, error) { return values, err }

// checkNames reports a name that can't be, or that a field before it has. The first
// idColumns of those are ids.
func (c *vertexColumn) checkNames(before []outField, idColumns int) error {
	if !utf8.ValidString(c.name) {
		return fmt.Errorf("%w: the name %.100q isn't UTF-8; rename it", ErrOutputColumn, c.name)
	}
	for i := range c.fields {
		at := slices.IndexFunc(before, func(f outField) bool { return f.name == c.fields[i].name })
		switch {
		case at < 0:
		case at < idColumns:
			return fmt.Errorf("%w: two columns are named %.100q, one of them that of the vertices' ids; rename the other, or set WriteOptions.VertexColumn", ErrOutputColumn, c.fields[i].name)
		default:
			return fmt.Errorf("%w: two are named %.100q; rename one", ErrOutputColumn, c.fields[i].name)
		}
	}
	return nil
}
