//go:build cdata && cgo

// This file tests both against the sequential search.

package arrow18_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	aarrow "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/examples/arrow18"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// edges makes records of random edges, with a column that isn't read, and the
// graph of the same edges.
func edges(t *testing.T, mem memory.Allocator, r *rand.Rand) (array.RecordReader, *graph.Graph) {
	t.Helper()
	schema := aarrow.NewSchema([]aarrow.Field{
		{Name: "since", Type: aarrow.ListOf(aarrow.FixedWidthTypes.Date32)},
		{Name: "source", Type: aarrow.PrimitiveTypes.Int32},
		{Name: "target", Type: aarrow.PrimitiveTypes.Int64},
	}, nil)
	want := graph.NewBuilder(graph.Options{})
	var recs []aarrow.RecordBatch
	for range 1 + r.IntN(4) {
		b := array.NewRecordBuilder(mem, schema)
		var src, dst []int64
		for range r.IntN(100) {
			s, d := r.Int64N(60)-30, r.Int64N(60)-30
			src, dst = append(src, s), append(dst, d)
			list := b.Field(0).(*array.ListBuilder)
			list.Append(true)
			list.ValueBuilder().(*array.Date32Builder).Append(aarrow.Date32(s))
			b.Field(1).(*array.Int32Builder).Append(int32(s))
			b.Field(2).(*array.Int64Builder).Append(d)
		}
		recs = append(recs, b.NewRecordBatch())
		b.Release()
		if err := graph.AddInts(want, src, dst, nil); err != nil {
			t.Fatal(err)
		}
	}
	rr, err := array.NewRecordReader(schema, recs)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range recs {
		rec.Release()
	}
	g, err := want.Build(context.Background())
	if errors.Is(err, graph.ErrEmpty) {
		rr.Release()
		return edges(t, mem, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return rr, g
}

func TestThereAndBack(t *testing.T) {
	ctx := context.Background()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 6))
		in, want := edges(t, mem, r)
		g, err := arrow18.Load(ctx, in, arrow.Options{})
		in.Release()
		if err != nil {
			t.Fatal(err)
		}
		if g.NumVertices() != want.NumVertices() || g.NumEdges() != want.NumEdges() || g.IDs().Type != graph.Int64 {
			t.Fatalf("seed %d: %d vertices, %d edges of %v, want %d, %d", seed, g.NumVertices(), g.NumEdges(), g.IDs().Type, want.NumVertices(), want.NumEdges())
		}
		from := want.IDs().Int(0)
		out, err := arrow18.Depths(ctx, host.New(1), g, from)
		if err != nil {
			t.Fatal(err)
		}
		depths := bfs.Sequential(want.Out(), 0)
		rows := 0
		for {
			rec, err := out.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			vertex, depth := rec.Column(0).(*array.Int64), rec.Column(1).(*array.Int32)
			for i := range int(rec.NumRows()) {
				v, err := want.Vertex(vertex.Value(i))
				if err != nil {
					t.Fatal(err)
				}
				if got := depth.Value(i); depth.IsValid(i) != (depths[v] >= 0) || depth.IsValid(i) && got != depths[v] {
					t.Errorf("seed %d: vertex %d has depth %d, want %d", seed, vertex.Value(i), got, depths[v])
				}
				rows++
			}
			rec.Release()
		}
		if rows != want.NumVertices() {
			t.Errorf("seed %d: %d rows of %d", seed, rows, want.NumVertices())
		}
	}
	runtime.GC() // v18's readers release their streams then
}

func TestErrorsCross(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	in, g := edges(t, mem, rand.New(rand.NewPCG(1, 7)))
	defer in.Release()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := arrow18.Load(ctx, in, arrow.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := arrow18.Load(context.Background(), in, arrow.Options{Source: "since", Target: "target"}); !errors.Is(err, arrow.ErrColumnType) {
		t.Errorf("lists as ids: %v", err)
	}
	if _, err := arrow18.Depths(context.Background(), host.New(1), g, 1e9); !errors.Is(err, graph.ErrNoVertex) {
		t.Errorf("no such vertex: %v", err)
	}
}
