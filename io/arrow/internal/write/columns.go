// This file holds WriteColumns, which writes what was found of every vertex: any
// number of columns, each with a name.

package write

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// ResultColumn is arrow.Column.
type ResultColumn struct {
	Name string
	// Values are the values by internal vertex: a slice of int32, int64, uint32, uint64, float32, float64 or bool.
	Values any
	// Null is the value that stands for a missing one, of any numeric type that holds it; nil: none is missing.
	Null any
	// Vertices says that values are vertices, uint32, of which graph.NoVertex is missing.
	Vertices bool
	// Lists, of a column of vertices, are where the list of each row begins among the values, and where the last one ends.
	Lists []int
	// Logical is the meaning of values of int64, as in graph.Column.Logical.
	Logical string

	// CSVNull is what CSV has where a value is missing.
	CSVNull string

	// Of is what the values were found with, a result or values. If it has a method Graph() *graph.Graph, that has to
	// be the graph that is written; the first column's may list the few vertices that were reached.
	Of any
	// Make, if not nil, returns the values when they are written. Values has their type until then.
	Make func(*graph.Graph) (any, error)
	// Check, if not nil, reports values that can't be of a graph of n vertices, of few of them where that isn't nil.
	Check func(n int, few []uint32) error
	// Wrong, if not nil, is why there is no such column.
	Wrong error
}

// Degrees is ResultColumn.Make for the number of edges that lead from each vertex.
func Degrees(g *graph.Graph) (any, error) {
	offsets := g.State().Offsets() // which a graph that a GPU has built has without its rows
	all := make([]uint64, g.NumVertices())
	for v := range all {
		all[v] = offsets[v+1] - offsets[v]
	}
	return all, nil
}

// WriteColumns is arrow.Write.
func WriteColumns(ctx context.Context, path string, g *graph.Graph, columns []ResultColumn, o WriteOptions) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	return writeColumns(ctx, path, g, columns, o, OpenOutput)
}

func writeColumns(ctx context.Context, path string, g *graph.Graph, columns []ResultColumn, o WriteOptions,
	open func(context.Context, *WriteSpec) (Output, error)) error {
	spec, err := newWriteSpec(path, o)
	if err != nil {
		return fmt.Errorf("cannot write the columns: %w", err)
	}
	rows, err := newColumnRows(g, columns, spec.shape())
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", spec.Path, err)
	}
	return writeVertices(ctx, spec, rows, open)
}

func newColumnRows(g *graph.Graph, columns []ResultColumn, shape rowShape) (*vertexRows, error) {
	switch {
	case g == nil:
		return nil, fmt.Errorf("%w: the graph is nil", ErrResult)
	case len(columns) == 0:
		return nil, errNoColumn()
	}
	if of := columns[0].Of; shape.reachedOnly && columns[0].Wrong == nil && foundOn(g, of) == nil {
		shape.few = fewOf(g, of, shape.byID)
	}
	return newVertexRows(g, shape, func(n int) ([]ResultColumn, error) {
		columns = slices.Clone(columns)
		for i := range columns {
			c := &columns[i]
			if err := foundOn(g, c.Of); err != nil {
				return nil, fmt.Errorf("column %.100q: %w", c.Name, err)
			}
			if err := c.wrong(); err != nil {
				return nil, err
			}
			if c.Make != nil {
				all, err := c.Make(g)
				if err != nil {
					return nil, fmt.Errorf("column %.100q: %w", c.Name, err)
				}
				c.Values = all
			}
			if c.Check != nil {
				if err := c.Check(n, shape.few); err != nil {
					return nil, err
				}
			}
		}
		return columns, nil
	})
}

// wrong reports a column that can't be, whatever its values.
func (c *ResultColumn) wrong() error {
	switch {
	case c.Wrong != nil:
		return c.Wrong
	case input.IsNil(c.Values):
		return fmt.Errorf("%w: column %.100q has no values (nil)", ErrOutputColumn, c.Name)
	}
	return nil
}

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

// errNoColumn is a list of columns without one.
func errNoColumn() error { return fmt.Errorf("%w: there is none; give one at least", ErrOutputColumn) }
