// This file goes from tables to a table: it builds the graph, places it and runs the algorithm.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

type reader = array.RecordReader

func (in input) release() {
	for _, r := range []reader{in.edges, in.vertices} {
		if r != nil {
			r.Release()
		}
	}
}

// recordsName is the path of the table of vertices, and its name in errors: what edges are called there.
const recordsName = "records"

// run runs an algorithm. The caller releases the reader, and the input.
func run(ctx context.Context, name string, in input, options string) (_ reader, err error) {
	c, err := newCalculation(name)
	if err != nil {
		return nil, err
	}
	if err := c.options.read(options, name); err != nil {
		return nil, err
	}
	if in.vertices == nil && (c.common.vertexID != "" || len(c.common.properties) > 0 || len(c.numbers()) > 0 || c.begin() != "") {
		return nil, invalidf("the options name columns of the table of vertices, which is missing")
	}
	var closers closers
	defer func() {
		if err != nil {
			err = errors.Join(err, closers.Close())
		}
	}()
	dev, err := c.common.open()
	if err != nil {
		return nil, err
	}
	closers.add(dev)
	g, props, err := c.load(ctx, in)
	if err != nil {
		return nil, err
	}
	closers.add(g)
	placed, err := g.On(dev)
	if err != nil {
		return nil, err
	}
	closers.add(placed)
	res, err := c.run(ctx, placed)
	if err != nil {
		return nil, err
	}
	closers.add(res)
	records, o := arrow.Records, arrow.RecordOptions{ReachedOnly: c.common.reachedOnly, Properties: props}
	if c.rows != ofVertices && props != nil {
		return nil, invalidf(`option "properties" is for results with a row for each vertex; the result of %q has others`, name)
	}
	switch c.rows {
	case ofEdges, ofSomeEdges:
		records, o.ReachedOnly = arrow.EdgeRecords, c.rows == ofSomeEdges
	case ofTable:
		records, o.ReachedOnly = arrow.TableRecords, false
	}
	r, err := records(context.Background(), g, res.columns(), o)
	if err != nil {
		return nil, err
	}
	return newResult(r, closers), nil
}

// open opens the device that the options name.
func (c *common) open() (device.Device, error) {
	if c.device == "" || c.device == host.Name {
		return host.New(c.workers), nil
	}
	dev, err := device.Open(c.device)
	if err != nil {
		return nil, fmt.Errorf("option \"device\": %w", err)
	}
	return dev, nil
}

// load builds the graph, and reads the properties that the options name.
func (c *calculation) load(ctx context.Context, in input) (_ *graph.Graph, _ *arrow.Properties, err error) {
	o, err := c.common.graph()
	if err != nil {
		return nil, nil, err
	}
	c.needs(&o.Graph)
	if c.reads != "" {
		o.EdgeColumns = []string{c.reads}
	}
	var table *arrow.VertexTable
	if in.vertices != nil {
		if o.FS, err = tableFS(ctx, in.vertices); err != nil {
			return nil, nil, fmt.Errorf("vertices: %w", err)
		}
		table = &arrow.VertexTable{Paths: []string{recordsName}, ID: c.common.vertexID}
		o.Vertices = table
	}
	g, err := arrow.LoadRecords(ctx, in.edges, o)
	if err != nil {
		return nil, nil, err
	}
	props, err := c.properties(ctx, g, table, o)
	if err != nil {
		return nil, nil, errors.Join(err, g.Close())
	}
	return g, props, nil
}

// tableFS returns a file system in which one file has the records.
func tableFS(ctx context.Context, r reader) (_ fs.FS, err error) {
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(r.Schema()))
	for r.Next() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := w.Write(r.Record()); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(r.Err(), w.Close()); err != nil {
		return nil, err
	}
	return arrow.FileFS(recordsName, bytes.NewReader(buf.Bytes()), int64(buf.Len())), nil
}

// closers are closed in the opposite order.
type closers []interface{ Close() error }

func (c *closers) add(x interface{ Close() error }) { *c = append(*c, x) }

func (c *closers) Close() (err error) {
	for i := len(*c) - 1; i >= 0; i-- {
		err = errors.Join(err, (*c)[i].Close())
	}
	*c = nil
	return err
}

// result is the records of a result, which closes what they are read from at its last Release.
type result struct {
	array.RecordReader
	refs    atomic.Int64
	closers closers
}

func newResult(r reader, c closers) *result {
	x := &result{RecordReader: r, closers: c}
	x.refs.Store(1)
	return x
}

func (r *result) Retain() { r.refs.Add(1) }

func (r *result) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	r.RecordReader.Release()
	r.closers.Close() // the consumer has no way to get an error
}
