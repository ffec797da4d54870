// This file adds integers of records to a graph without copying them into
// vectors first.

package dataset

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// addDirectly adds rows of a record to a builder, from the record's own memory,
// if both ends are integers of the graph's type, weights, if any, are float32, and
// none is null. It reports whether it did; what it can't do it leaves to
// readArray, errors included.
func addDirectly(builder func(graph.Batch) *graph.Builder, rec arrow.Record, c *choice, paths [][]int, at, n int) (bool, error) {
	weighted := c.weight >= 0
	if c.keyed() || c.id != columnar.BaseOf(c.own) || len(c.picks) > 3 || len(c.picks) == 3 && !weighted {
		return false, nil
	}
	var cols [3]arrow.Array
	for k, p := range c.picks {
		way := paths[p.column]
		if len(way) > 1 {
			return false, nil // in a struct, which may be null
		}
		cols[k] = rec.Column(way[0])
		if cols[k].NullN() > 0 {
			return false, nil
		}
	}
	var weights []float32
	var add func(*graph.Builder) error
	err := columnar.Guard(func() error { // a record may contradict itself
		if weighted {
			w, ok := cols[2].(*array.Float32)
			if !ok {
				return nil
			}
			weights = w.Float32Values()[at : at+n]
		}
		switch src := cols[0].(type) {
		case *array.Int32:
			if dst, ok := cols[1].(*array.Int32); ok {
				add = direct(src.Int32Values()[at:at+n], dst.Int32Values()[at:at+n], weights)
			}
		case *array.Uint32:
			if dst, ok := cols[1].(*array.Uint32); ok {
				add = direct(src.Uint32Values()[at:at+n], dst.Uint32Values()[at:at+n], weights)
			}
		case *array.Int64:
			if dst, ok := cols[1].(*array.Int64); ok {
				add = direct(src.Int64Values()[at:at+n], dst.Int64Values()[at:at+n], weights)
			}
		case *array.Uint64:
			if dst, ok := cols[1].(*array.Uint64); ok {
				add = direct(src.Uint64Values()[at:at+n], dst.Uint64Values()[at:at+n], weights)
			}
		}
		return nil
	})
	if err != nil || add == nil {
		return false, nil
	}
	return true, add(builder(graph.Batch{Weights: weights}))
}

// direct returns what adds edges to a builder.
func direct[T graph.Integer](src, dst []T, weights []float32) func(*graph.Builder) error {
	return func(b *graph.Builder) error { return graph.AddInts(b, src, dst, weights) }
}
