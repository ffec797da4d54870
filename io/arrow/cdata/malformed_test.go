//go:build cdata && cgo

// This file tests structures that contradict themselves, and a graph there and back.

package cdata_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	aarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/arrow/cdata"
)

// Structures whose numbers were changed give an error or the rows, and are
// released.
func TestMalformed(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 5))
	rec := random(r, 20, false)
	change := func(what string, f func(*cArray)) {
		var a cArray
		var s cSchema
		if err := cdata.ExportBatch(rec, unsafe.Pointer(&a), unsafe.Pointer(&s)); err != nil {
			t.Fatal(err)
		}
		f(&a)
		to, err := cdata.ImportBatch(unsafe.Pointer(&a), unsafe.Pointer(&s))
		if err == nil {
			if to.Next() {
				t.Errorf("%s: no error", what)
			}
			err = to.Err()
		}
		if !errors.Is(err, cdata.ErrMalformed) {
			t.Errorf("%s: %v, want ErrMalformed", what, err)
		}
	}
	kid := func(a *cArray, i int) *cArray {
		return *(**cArray)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&a.child)), uintptr(i)*unsafe.Sizeof(uintptr(0))))
	}
	change("length below 0", func(a *cArray) { a.length = -1 })
	change("offset below 0", func(a *cArray) { a.offset = -1 })
	change("length past all memory", func(a *cArray) { a.length = 1 << 62 })
	change("more rows than the columns have", func(a *cArray) { a.length = 21 })
	change("an offset past the columns", func(a *cArray) { a.offset = 1 })
	change("null rows", func(a *cArray) { a.nulls = 3 })
	change("a column's length below 0", func(a *cArray) { kid(a, 0).length = -5 })
	change("a column's offset past all memory", func(a *cArray) { kid(a, 3).offset = 1 << 61 })
	for i, c := range columns {
		change(fmt.Sprint("a shorter column of ", c.typ), func(a *cArray) { kid(a, i).length-- })
		change(fmt.Sprint("fewer buffers of ", c.typ), func(a *cArray) { kid(a, i).buffers = 1 })
	}
	at := func(a *cArray, i, buffer int) unsafe.Pointer {
		return *(*unsafe.Pointer)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&kid(a, i).buffer)), uintptr(buffer)*unsafe.Sizeof(uintptr(0))))
	}
	for i, c := range columns {
		switch c.typ.ID() {
		case aarrow.STRING, aarrow.BINARY:
			change("descending offsets", func(a *cArray) { *(*int32)(unsafe.Add(at(a, i, 1), 20)) = -7 })
		case aarrow.LARGE_STRING:
			change("descending offsets", func(a *cArray) { *(*int64)(unsafe.Add(at(a, i, 1), 40)) = 1 << 40 })
		}
	}
}

// Edges go in and depths come out, through C both ways.
func TestEdgesAndDepths(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(3, 5))
	schema := aarrow.NewSchema([]aarrow.Field{{Name: "src", Type: aarrow.BinaryTypes.String}, {Name: "dst", Type: aarrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(mem, schema)
	edge := graph.NewBuilder(graph.Options{})
	var src, dst graph.Strings
	src.Offsets, dst.Offsets = []int64{0}, []int64{0}
	for range 500 {
		x, y := fmt.Sprint("v", r.IntN(200)), fmt.Sprint("v", r.IntN(200))
		b.Field(0).(*array.StringBuilder).Append(x)
		b.Field(1).(*array.StringBuilder).Append(y)
		src.Data, dst.Data = append(src.Data, x...), append(dst.Data, y...)
		src.Offsets, dst.Offsets = append(src.Offsets, int64(len(src.Data))), append(dst.Offsets, int64(len(dst.Data)))
	}
	rr, err := array.NewRecordReader(schema, []aarrow.Record{b.NewRecord()})
	if err != nil {
		t.Fatal(err)
	}
	var s cStream
	if err := cdata.ExportStream(ctx, rr, unsafe.Pointer(&s)); err != nil {
		t.Fatal(err)
	}
	edges, err := cdata.ImportStream(unsafe.Pointer(&s))
	if err != nil {
		t.Fatal(err)
	}
	g, err := arrow.LoadRecords(ctx, edges, arrow.Options{})
	edges.Release()
	if err != nil {
		t.Fatal(err)
	}
	if err := edge.AddStrings(src, dst, nil); err != nil {
		t.Fatal(err)
	}
	want, err := edge.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	source, err := g.VertexString("v7")
	if err != nil {
		t.Fatal(err)
	}
	res, err := bfs.Run(ctx, p, source, bfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checked := memory.NewCheckedAllocator(mem)
	defer checked.AssertSize(t, 0)
	results, err := arrow.Records(ctx, g, arrow.ResultColumns(res), arrow.RecordOptions{Allocator: checked, BatchRows: 30})
	if err != nil {
		t.Fatal(err)
	}
	if err := cdata.ExportStream(ctx, results, unsafe.Pointer(&s)); err != nil {
		t.Fatal(err)
	}
	results.Release()
	depths, err := cdata.ImportStream(unsafe.Pointer(&s))
	if err != nil {
		t.Fatal(err)
	}
	defer depths.Release()
	first, err := want.VertexString("v7")
	if err != nil {
		t.Fatal(err)
	}
	oracle := oracle.Depths(want.Out(), first)
	rows := 0
	for depths.Next() {
		rec := depths.Record()
		for i := range int(rec.NumRows()) {
			name := rec.Column(0).(interface{ Value(int) string }).Value(i)
			v, err := want.VertexString(name)
			if err != nil {
				t.Fatal(err)
			}
			d := int32(-1)
			if rec.Column(1).IsValid(i) {
				d = rec.Column(1).(*array.Int32).Value(i)
			}
			if d != oracle[v] {
				t.Errorf("%s: depth %d, want %d", name, d, oracle[v])
			}
			rows++
		}
	}
	if depths.Err() != nil || rows != want.NumVertices() {
		t.Errorf("%d rows of %d, %v", rows, want.NumVertices(), depths.Err())
	}
}
