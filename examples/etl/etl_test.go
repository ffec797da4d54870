package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

var silent = slog.New(slog.DiscardHandler)

// edges writes edges as a stream of batches.
func edges(t *testing.T, w io.Writer, batches ...[][2]int64) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "src", Type: arrow.PrimitiveTypes.Int64}, {Name: "dst", Type: arrow.PrimitiveTypes.Int64}}, nil)
	out := ipc.NewWriter(w, ipc.WithSchema(schema))
	for _, batch := range batches {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for _, e := range batch {
			b.Field(0).(*array.Int64Builder).Append(e[0])
			b.Field(1).(*array.Int64Builder).Append(e[1])
		}
		rec := b.NewRecord()
		if err := out.Write(rec); err != nil {
			t.Error(err)
		}
		rec.Release()
		b.Release()
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
}

// depths reads what the step writes: a depth per vertex, -1 where it is null.
func depths(t *testing.T, r io.Reader) map[int64]int32 {
	t.Helper()
	in, err := ipc.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Release()
	got := map[int64]int32{}
	for in.Next() {
		rec := in.Record()
		vertex, depth := rec.Column(0).(*array.Int64), rec.Column(1).(*array.Int32)
		for i := range int(rec.NumRows()) {
			got[vertex.Value(i)] = -1
			if depth.IsValid(i) {
				got[vertex.Value(i)] = depth.Value(i)
			}
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return got
}

// The step between two others, connected by pipes; what it took from its
// allocator it gives back.
func TestPipeline(t *testing.T) {
	batches := [][][2]int64{{{1, 2}, {2, 3}}, {{3, -70000000000}, {8, 9}}}
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	in, producer := io.Pipe()
	consumer, out := io.Pipe()
	go func() {
		edges(t, producer, batches...)
		producer.Close()
	}()
	ended := make(chan bool)
	go func() {
		defer close(ended)
		s := step{source: 1, mem: mem, log: silent}
		out.CloseWithError(s.run(context.Background(), in, out))
	}()
	got := depths(t, consumer)
	<-ended
	for v, want := range map[int64]int32{1: 0, 2: 1, 3: 2, -70000000000: 3, 8: -1, 9: -1} {
		if d, ok := got[v]; !ok || d != want {
			t.Errorf("vertex %d: depth %d, want %d", v, d, want)
		}
	}
	if len(got) != 6 {
		t.Errorf("%d vertices, want 6", len(got))
	}
}

func TestErrors(t *testing.T) {
	var in bytes.Buffer
	edges(t, &in, [][2]int64{{1, 2}})
	whole := in.Bytes()
	run := func(ctx context.Context, s step, in []byte) error {
		s.mem, s.log = memory.NewGoAllocator(), silent
		var out bytes.Buffer
		err := s.run(ctx, bytes.NewReader(in), &out)
		if err != nil && out.Len() > 0 {
			t.Errorf("%v, after %d bytes of output", err, out.Len())
		}
		return err
	}
	ctx := context.Background()
	if err := run(ctx, step{source: 7}, whole); !errors.Is(err, graph.ErrNoVertex) {
		t.Errorf("a source that isn't there: %v", err)
	}
	if err := run(ctx, step{source: 1}, []byte("neither")); err == nil {
		t.Error("no stream: no error")
	}
	if err := run(ctx, step{source: 1}, whole[:len(whole)/2]); err == nil {
		t.Error("a stream cut short: no error")
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := run(over, step{source: 1}, whole); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	var many [][2]int64
	r := rand.New(rand.NewPCG(1, 1))
	for range 200_000 {
		many = append(many, [2]int64{r.Int64(), r.Int64()})
	}
	in.Reset()
	edges(t, &in, many)
	if err := run(ctx, step{source: 1, limit: 1 << 20}, in.Bytes()); !errors.Is(err, device.ErrMemory) {
		t.Errorf("more than the limit: %v", err)
	}
}
