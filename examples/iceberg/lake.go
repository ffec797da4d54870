// This file holds both ways between tables and Foray: edges in, depths out.

package main

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go/table"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/arrow18"
)

// load makes a graph of the rows of a snapshot of a table. iceberg-go reads the
// files that count, and leaves out rows that are deleted.
func load(ctx context.Context, tbl *table.Table, o arrow.Options) (*graph.Graph, error) {
	schema, rows, err := tbl.Scan(table.WithSelectedFields(o.Source, o.Target)).ToArrowRecords(ctx)
	if err != nil {
		return nil, err
	}
	records := array.ReaderFromIter(schema, rows)
	defer records.Release()
	edges, err := arrow18.FromReader(records)
	if err != nil {
		return nil, err
	}
	defer edges.Release()
	return arrow.LoadRecords(ctx, edges, o)
}

// save appends the rows of a result to a table with its columns.
func save(ctx context.Context, tbl *table.Table, g *graph.Graph, res arrow.Result) (*table.Table, error) {
	rows, err := arrow.Records(ctx, g, arrow.ResultColumns(res), arrow.RecordOptions{})
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	records, err := arrow18.ToReader(rows)
	if err != nil {
		return nil, err
	}
	defer records.Release()
	return tbl.Append(ctx, records, nil)
}
