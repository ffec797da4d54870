// This file holds the columns of a result.

package duckdb

import (
	"slices"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/foray-graph/foray/graph"
)

// values is a column with a value for each vertex, or each edge of the result.
type values interface {
	// set writes value v.
	set(chunk *duckdb.DataChunk, col, row, v int) error
	// len returns how many values a column has that isn't every vertex's id.
	len() int
}

// found is a column, or an error.
type found struct {
	values
	err error
}

// gathered returns columns, or the first error.
func gathered(all ...found) ([]values, error) {
	var list []values
	for _, f := range all {
		if f.err != nil {
			return nil, f.err
		}
		list = append(list, f.values)
	}
	return list, nil
}

// numbers is a column of numbers. Missing ones become NULL.
type numbers[T int32 | int64 | uint32 | uint64 | float64] struct {
	all     []T
	missing func(T) bool
}

// cells copies numbers of a result, which may be the result's own memory.
func cells[T int32 | int64 | uint32 | uint64 | float64](all []T, err error, missing func(T) bool) found {
	return found{numbers[T]{slices.Clone(all), missing}, err}
}

func (n numbers[T]) len() int { return len(n.all) }

func (n numbers[T]) set(chunk *duckdb.DataChunk, col, row, v int) error {
	if x := n.all[v]; !n.missing(x) {
		return duckdb.SetChunkValue(*chunk, col, row, x)
	}
	return chunk.SetValue(col, row, nil)
}

// ids is a column of external ids.
type ids struct {
	of  *graph.IDs
	all []uint32 // vertices; nil: every vertex's own id
}

// vertices returns a column of vertices. It copies them.
func vertices(of *graph.IDs, all []uint32, err error) found {
	return found{ids{of, append([]uint32{}, all...)}, err}
}

func (d ids) len() int { return len(d.all) }

func (d ids) set(chunk *duckdb.DataChunk, col, row, v int) error {
	u := uint32(v)
	if d.all != nil {
		u = d.all[v]
	}
	if d.of.Type.Integer() {
		return duckdb.SetChunkValue(*chunk, col, row, d.of.Int(u))
	}
	return duckdb.SetChunkValue(*chunk, col, row, string(d.of.Bytes(u)))
}
