//go:build cdata && cgo

// This file holds both ways: edges in, depths out.

package arrow18

import (
	"context"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/arrio"
	"github.com/apache/arrow-go/v18/arrow/cdata"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	foray "github.com/foray-graph/foray/io/arrow/cdata"
)

// Load makes a graph of v18's records of edges. The reader is still the
// caller's.
func Load(ctx context.Context, edges array.RecordReader, o arrow.Options) (*graph.Graph, error) {
	var stream cdata.CArrowArrayStream
	cdata.ExportRecordReader(edges, &stream) // which retains it
	in, err := foray.ImportStream(unsafe.Pointer(&stream))
	if err != nil {
		return nil, err
	}
	defer in.Release() // and with it the stream
	return arrow.LoadRecords(ctx, in, o)
}

// Depths searches from a vertex and returns vertices and depths as a reader of
// v18's records, which v18 releases when it is collected: the device must stay
// open until then.
func Depths(ctx context.Context, dev device.Device, g *graph.Graph, from int64) (arrio.Reader, error) {
	source, err := g.Vertex(from)
	if err != nil {
		return nil, err
	}
	placed, err := g.On(dev)
	if err != nil {
		return nil, err
	}
	defer placed.Free()
	found, err := dobfs.Run(ctx, placed, source, dobfs.Options{})
	if err != nil {
		return nil, err
	}
	out, err := arrow.Records(ctx, g, found, arrow.RecordOptions{})
	if err != nil {
		return nil, err
	}
	rows := &owner{RecordReader: out, found: found}
	rows.Retain()
	defer rows.Release() // the stream has retained it by then
	var stream cdata.CArrowArrayStream
	if err := foray.ExportStream(ctx, rows, unsafe.Pointer(&stream)); err != nil {
		return nil, err
	}
	return cdata.ImportCRecordReader(&stream, nil)
}
