// This file holds both ways: edges in, depths out.

package arrow18

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	bridge "github.com/foray-graph/foray/io/arrow18"
)

// Load makes a graph of v18's records of edges. The reader is still the
// caller's.
func Load(ctx context.Context, edges array.RecordReader, o arrow.Options) (*graph.Graph, error) {
	in, err := bridge.FromReader(edges)
	if err != nil {
		return nil, err
	}
	defer in.Release()
	return arrow.LoadRecords(ctx, in, o)
}

// Depths searches from a vertex and returns vertices and depths as a reader of
// v18's records, which frees the result when it is released: the device must stay
// open until then.
func Depths(ctx context.Context, dev device.Device, g *graph.Graph, from int64) (array.RecordReader, error) {
	source, err := g.Vertex(from)
	if err != nil {
		return nil, err
	}
	placed, err := g.On(dev)
	if err != nil {
		return nil, err
	}
	defer placed.Close()
	found, err := dobfs.Run(ctx, placed, source, dobfs.Options{})
	if err != nil {
		return nil, err
	}
	out, err := arrow.Records(ctx, g, arrow.ResultColumns(found), arrow.RecordOptions{})
	if err != nil {
		found.Close()
		return nil, err
	}
	rows := &owner{RecordReader: out, found: found}
	rows.Retain()
	defer rows.Release() // the bridge has retained it by then
	return bridge.ToReader(rows)
}
