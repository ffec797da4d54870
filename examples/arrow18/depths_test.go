// This file tests both ways against the sequential search.

package arrow18

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
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/io/arrow"
)

// way is one of getting records there and back. rows returns io.EOF after the
// last one; a record is valid until the next call.
type way struct {
	name   string
	load   func(context.Context, array.RecordReader, arrow.Options) (*graph.Graph, error)
	depths func(context.Context, device.Device, *graph.Graph, int64) (rows func() (aarrow.RecordBatch, error), release func(), err error)
}

// ways are those that are tested; address_test.go has one more.
var ways = []way{{"shared", Load, func(ctx context.Context, dev device.Device, g *graph.Graph, from int64) (func() (aarrow.RecordBatch, error), func(), error) {
	out, err := Depths(ctx, dev, g, from)
	if err != nil {
		return nil, nil, err
	}
	return func() (aarrow.RecordBatch, error) {
		if out.Next() {
			return out.RecordBatch(), nil
		}
		if out.Err() != nil {
			return nil, out.Err()
		}
		return nil, io.EOF
	}, out.Release, nil
}}}

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
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			for seed := range uint64(30) {
				thereAndBack(t, w, mem, rand.New(rand.NewPCG(seed, 6)))
			}
			runtime.GC() // v18's readers of C streams release them then
		})
	}
}

func thereAndBack(t *testing.T, w way, mem memory.Allocator, r *rand.Rand) {
	t.Helper()
	ctx := context.Background()
	in, want := edges(t, mem, r)
	g, err := w.load(ctx, in, arrow.Options{})
	in.Release()
	if err != nil {
		t.Fatal(err)
	}
	if g.NumVertices() != want.NumVertices() || g.NumEdges() != want.NumEdges() || g.IDs().Type != graph.Int64 {
		t.Fatalf("%d vertices, %d edges of %v, want %d, %d", g.NumVertices(), g.NumEdges(), g.IDs().Type, want.NumVertices(), want.NumEdges())
	}
	next, release, err := w.depths(ctx, host.New(1), g, want.IDs().Int(0))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	depths := oracle.Depths(want.Out(), 0)
	rows := 0
	for {
		rec, err := next()
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
				t.Errorf("vertex %d has depth %d, want %d", vertex.Value(i), got, depths[v])
			}
			rows++
		}
	}
	if rows != want.NumVertices() {
		t.Errorf("%d rows of %d", rows, want.NumVertices())
	}
}

func TestErrorsCross(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			in, g := edges(t, mem, rand.New(rand.NewPCG(1, 7)))
			defer in.Release()
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := w.load(ctx, in, arrow.Options{}); !errors.Is(err, context.Canceled) {
				t.Errorf("canceled: %v", err)
			}
			if _, err := w.load(context.Background(), in, arrow.Options{Source: "since", Target: "target"}); !errors.Is(err, arrow.ErrColumnType) {
				t.Errorf("lists as ids: %v", err)
			}
			if _, _, err := w.depths(context.Background(), host.New(1), g, 1e9); !errors.Is(err, graph.ErrNoVertex) {
				t.Errorf("no such vertex: %v", err)
			}
		})
	}
}
