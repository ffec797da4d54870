// This file holds columns with a value for each vertex, which results consist of.

package arrow

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// Column is a column with a value for each vertex of a graph, for Write and Records, or for each row of a table, for WriteTable.
type Column struct{ c write.ResultColumn }

// NewColumn returns a column of values by internal vertex, such as ranks, distances or numbers of components:
//
//	c := arrow.NewColumn("depth", []int32{0, 1, -1, 1}, -1)
//
// missing, one at most, is the value that stands for a missing one, as -1 does in depths, or NaN, which stands for
// any NaN. The name is in UTF-8. The column keeps the slice, which must not change until the column is written.
func NewColumn[T int32 | int64 | uint32 | uint64 | float32 | float64 | bool](name string, values []T, missing ...T) Column {
	return Column{column(name, values, missing)}
}

// NewListColumn returns a column of lists of vertices, internal ones, such as walks, for WriteTable: list i is the vertices from offsets[i] to before
// offsets[i+1]. So there is one offset more than there are rows. The column keeps both slices.
func NewListColumn(name string, offsets []int, vertices []uint32) Column {
	c := column(name, vertices, nil)
	if c.Vertices, c.Lists = true, offsets; offsets == nil {
		c.Lists = []int{0}
	}
	return Column{c}
}

// ValuesColumn is NewColumn for values that are read when the column is written, such as *traverse.Values. They must be
// open until then. If they also have a method Graph() *graph.Graph, it must return the graph that is
// written; all else is ErrResult.
func ValuesColumn[T int32 | int64 | uint32 | uint64 | float32 | float64 | bool](name string, values interface{ Slice() ([]T, error) }, missing ...T) Column {
	c := column(name, []T{}, missing)
	if input.IsNil(values) {
		c.Values = nil
		return Column{c}
	}
	c.Of = values
	c.Make = func(*graph.Graph) (any, error) {
		all, err := values.Slice()
		return all, err
	}
	return Column{c}
}

func column[T comparable](name string, values []T, missing []T) write.ResultColumn {
	c := write.ResultColumn{Name: name, Values: values}
	switch len(missing) {
	case 0:
	case 1:
		c.Null = missing[0]
	default:
		c.Wrong = fmt.Errorf("%w: column %.100q has %d values for a missing one; give one at most", graph.ErrOptions, name, len(missing))
	}
	return c
}

// Vertices returns the column as one whose values are vertices, internal ones, such as parents or the vertices that name
// components. They are written as external ids, in as many columns as those have; graph.NoVertex is missing. Writing a
// column of values that aren't uint32, or that has a value for a missing one, is graph.ErrOptions.
func (c Column) Vertices() Column {
	c.c.Vertices = true
	return c
}

// Logical gives values of int64 a meaning, as graph.Column.Logical does: dates (date32), times of day such as time[us],
// timestamps such as timestamp[us,UTC], and decimals such as decimal(18,2) are written as such. Other names change nothing.
func (c Column) Logical(name string) Column {
	c.c.Logical = name
	return c
}

// DegreeColumn returns a column, of type uint64, with the number of edges that lead from each vertex of the graph that is
// written, in an undirected graph of all its edges.
func DegreeColumn(name string) Column {
	return Column{write.ResultColumn{Name: name, Values: []uint64{}, Make: write.Degrees}}
}

// Result is what a search found, as slices over the graph's vertices by
// internal vertex id. The results of Foray's searches are Results.
//
// A Result may have a method Graph() *graph.Graph as well, as bfs.Result has: the
// graph that was searched, or nil where it doesn't know. It is then written with
// that very graph only; all else is ErrResult, also the same graph in another order,
// whose vertices have other numbers.
type Result interface {
	// Depths returns the depth of every vertex, -1 where it was not reached. If the result has none, it
	// returns nil, or an error that wraps graph.ErrOptions. Any other error fails the call that writes it.
	Depths() ([]int32, error)
	// Parents returns the parent of every vertex, graph.NoVertex where it has none. If the result has
	// none, it returns the same as Depths.
	Parents() ([]uint32, error)
}

// ResultColumns returns the columns of a search:
//
//   - depth: int32, missing where the vertex was not reached, which CSV has as -1. Absent if the
//     result has no depths;
//   - parent: the parent's external id, missing if there is no parent. Absent if the
//     result has no parents.
//
// A result that has neither, and nil, a nil pointer too, are ErrResult where the columns are written. Append other columns
// to write them beside.
func ResultColumns(r Result) []Column {
	var all []Column
	for _, c := range write.ResultColumns(r) {
		all = append(all, Column{c})
	}
	return all
}

func insideColumnsOf(all []Column) []write.ResultColumn {
	if all == nil {
		return nil
	}
	columns := make([]write.ResultColumn, len(all))
	for i, c := range all {
		columns[i] = c.c
	}
	return columns
}
