// This file holds WriteColumns, which writes what a traversal found of every vertex: any
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

// ResultColumn is arrow.ResultColumn.
type ResultColumn struct {
	Name     string
	Values   any
	Null     any
	Vertices bool

	CSVNull string
}

// WriteColumns is arrow.WriteColumns.
func WriteColumns(ctx context.Context, path string, g *graph.Graph, columns []ResultColumn, o ...WriteOptions) (failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return err
	}
	return writeColumns(ctx, path, g, columns, o, OpenOutput)
}

func writeColumns(ctx context.Context, path string, g *graph.Graph, columns []ResultColumn, o []WriteOptions,
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
		return nil, fmt.Errorf("%w: there is none; give one at least", ErrOutputColumn)
	}
	return newVertexRows(g, shape, func(int) ([]ResultColumn, error) {
		columns = slices.Clone(columns)
		for i := range columns {
			c := &columns[i]
			if input.IsNil(c.Values) {
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
