package rules

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/foray-graph/foray/io/arrow"
)

// writeTable writes a table of vertices and lists.
func (c *canceling) writeTable(ctx context.Context, path string, vertices []uint32) error {
	like := []arrow.Column{arrow.NewColumn("vertex", []uint32{}).Vertices(), arrow.NewListColumn("list", nil, nil)}
	return arrow.WriteTable(ctx, path, c.one, like, func(yield func([]arrow.Column, error) bool) {
		offsets := make([]int, len(vertices)+1)
		for i := range vertices {
			offsets[i+1] = i + 1
		}
		for range 4 {
			if !yield([]arrow.Column{arrow.NewColumn("vertex", vertices).Vertices(), arrow.NewListColumn("list", offsets, vertices)}, nil) {
				return
			}
		}
	}, arrow.WriteOptions{})
}

func (c *canceling) tableRecords(vertices []uint32) func(context.Context) (array.RecordReader, error) {
	return func(ctx context.Context) (array.RecordReader, error) {
		return arrow.TableRecords(ctx, c.one, []arrow.Column{arrow.NewColumn("vertex", vertices).Vertices()}, arrow.RecordOptions{})
	}
}
