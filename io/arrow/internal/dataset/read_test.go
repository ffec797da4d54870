// This file holds what tests call to load tables and to read records.

package dataset

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
)

// LoadTables is OpenTables and Load.
func LoadTables(ctx context.Context, tables []Table, o Options) (_ *graph.Graph, failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	d, err := OpenTables(ctx, tables, o)
	if err != nil {
		return nil, err
	}
	return d.Load(ctx)
}

// ReadRecords reads the records that r gives and calls yield with batches of their edges.
func ReadRecords(ctx context.Context, r array.RecordReader, o Options, yield func(graph.Batch) error) (_ Stats, failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return Stats{}, err
	}
	if yield == nil {
		return Stats{}, errNoYield()
	}
	return eachRecord(ctx, r, o, nil, yield)
}
