//go:build cdata && cgo

// This file has the same by address, through the Arrow C stream interface, for
// its test: what io/arrow/cdata has to get along with is v18's.

package arrow18

import (
	"context"
	"unsafe"

	aarrow "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/arrio"
	"github.com/apache/arrow-go/v18/arrow/cdata"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	foray "github.com/foray-graph/foray/io/arrow/cdata"
)

// loadByAddress makes a graph of v18's records of edges. The reader is still the
// caller's.
func loadByAddress(ctx context.Context, edges array.RecordReader, o arrow.Options) (*graph.Graph, error) {
	var stream cdata.CArrowArrayStream
	cdata.ExportRecordReader(edges, &stream) // which retains it
	in, err := foray.ImportStream(unsafe.Pointer(&stream))
	if err != nil {
		return nil, err
	}
	defer in.Release() // and with it the stream
	return arrow.LoadRecords(ctx, in, o)
}

// depthsByAddress searches from a vertex and returns vertices and depths as a reader of
// v18's records, which v18 releases when it is collected: the device must stay
// open until then.
func depthsByAddress(ctx context.Context, dev device.Device, g *graph.Graph, from int64) (arrio.Reader, error) {
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

func init() {
	ways = append(ways, way{"by address", loadByAddress, func(ctx context.Context, dev device.Device, g *graph.Graph, from int64) (func() (aarrow.RecordBatch, error), func(), error) {
		out, err := depthsByAddress(ctx, dev, g, from)
		if err != nil {
			return nil, nil, err
		}
		var last aarrow.RecordBatch
		release := func() {
			if last != nil {
				last.Release()
			}
		}
		return func() (rec aarrow.RecordBatch, err error) {
			release()
			last, err = out.Read()
			return last, err
		}, release, nil
	}})
}
