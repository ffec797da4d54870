// This file tests Records and PathRecords: the same rows as files have, in the
// caller's memory, all of which is given back.

package write

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// readRecords reads all records, which have at most so many rows.
func readRecords(t *testing.T, r array.RecordReader, most int) *writtenTable {
	t.Helper()
	out := &writtenTable{metadata: map[string]string{}}
	out.arrowSchema(r.Schema())
	for r.Next() {
		record := r.Record()
		if n := record.NumRows(); n == 0 || n > int64(most) {
			t.Fatalf("a record of %d rows, want 1 to %d", n, most)
		}
		if !record.Schema().Equal(r.Schema()) {
			t.Fatal("a record of another schema")
		}
		out.record(record)
	}
	if r.Next() || r.Record() != nil {
		t.Error("there is something after the end")
	}
	return out
}

func TestRecords(t *testing.T) {
	testlong.Project(t)
	rng := rand.New(rand.NewPCG(41, 42))
	ctx := context.Background()
	for _, typ := range idTypes {
		for _, n := range []int{0, 1, 300, 3000} {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			g := samples.WithIDs(t, randomResultIDs(rng, typ, n))
			r, p := randomResult(rng, n), randomProperties(rng, n)
			o := RecordOptions{Allocator: mem, BatchRows: rng.IntN(500), ReachedOnly: rng.IntN(2) == 0, Properties: p,
				Metadata: map[string]string{"foray.source": "1"}}
			most := o.BatchRows
			if most == 0 {
				most = batchRows
			}
			reader, err := Records(ctx, g, r, o)
			if err != nil {
				t.Fatal(err)
			}
			got := readRecords(t, reader, most)
			if err := reader.Err(); err != nil {
				t.Fatal(err)
			}
			schema := reader.Schema()
			reader.Release()
			mem.AssertSize(t, 0)

			path := filepath.Join(t.TempDir(), "r.arrow")
			if err := WriteResult(ctx, path, g, r, WriteOptions{ReachedOnly: o.ReachedOnly, Properties: p, Metadata: o.Metadata}); err != nil {
				t.Fatal(err)
			}
			want := readBack(t, path)
			got.equal(t, want.names, want.types, want.rows)
			if got.metadata["foray.source"] != "1" {
				t.Errorf("metadata %v", got.metadata)
			}
			if n == 3000 {
				f := openIPC(t, path)
				if !f.Schema().Equal(schema) || f.Schema().Metadata().String() != schema.Metadata().String() {
					t.Errorf("the schema is %v, that of the file %v", schema, f.Schema())
				}
			}
		}
	}
}

func openIPC(t *testing.T, path string) *ipc.FileReader {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := ipc.NewFileReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestRecordsRetained keeps a record past the reader, and ends readers early.
func TestRecordsRetained(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	const n = 1000
	rng := rand.New(rand.NewPCG(43, 44))
	g, r := samples.WithIDs(t, randomResultIDs(rng, graph.String, n)), randomResult(rng, n)
	reader, err := Records(context.Background(), g, r, RecordOptions{Allocator: mem, BatchRows: 100, Properties: randomProperties(rng, n)})
	if err != nil {
		t.Fatal(err)
	}
	reader.Retain()
	reader.Release()
	if !reader.Next() {
		t.Fatal(reader.Err())
	}
	record := reader.Record()
	record.Retain()
	if !reader.Next() {
		t.Fatal(reader.Err())
	}
	if reader.Record() == record {
		t.Error("the same record twice")
	}
	reader.Release()
	if reader.Next() {
		t.Error("a released reader goes on")
	}
	want := g.IDs().Format(7)
	if got := record.Column(0).(*array.String).Value(7); got != want {
		t.Errorf("the record that was kept has %q, want %q", got, want)
	}
	record.Release()
}

func TestRecordsMemoryLimit(t *testing.T) {
	const n = 5000
	rng := rand.New(rand.NewPCG(45, 46))
	g, r := samples.WithIDs(t, randomResultIDs(rng, graph.String, n)), randomResult(rng, n)
	names, types, rows := wantRows(g, r, "arrow", false)
	for _, limit := range []uint64{200, 1000, 100_000} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		reader, err := Records(context.Background(), g, r, RecordOptions{Allocator: mem, MemoryLimit: limit})
		if err != nil {
			t.Fatal(err)
		}
		got := &writtenTable{metadata: map[string]string{}}
		got.arrowSchema(reader.Schema())
		for reader.Next() {
			// Offsets, bitmaps and rounding up to 64 bytes come on top.
			if size := uint64(mem.CurrentAlloc()); size > 2*limit+8*64 {
				t.Fatalf("%d bytes with a limit of %d", size, limit)
			}
			got.record(reader.Record())
		}
		if err := reader.Err(); err != nil {
			t.Fatal(err)
		}
		got.equal(t, names, types, rows)
		reader.Release()
		mem.AssertSize(t, 0)
	}
	reader, err := Records(context.Background(), g, r, RecordOptions{MemoryLimit: 5})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Release()
	if reader.Next() || !errors.Is(reader.Err(), ErrOutputOption) || !strings.Contains(reader.Err().Error(), "RecordOptions.MemoryLimit, which is 5 B") {
		t.Errorf("a row over the limit: %v", reader.Err())
	}
}

// meanAllocator panics after some calls.
type meanAllocator struct {
	*memory.CheckedAllocator
	left int
}

func (a *meanAllocator) Allocate(size int) []byte {
	if a.left--; a.left < 0 {
		panic("out of memory")
	}
	return a.CheckedAllocator.Allocate(size)
}

func (a *meanAllocator) Reallocate(size int, b []byte) []byte {
	if a.left--; a.left < 0 {
		panic("out of memory")
	}
	return a.CheckedAllocator.Reallocate(size, b)
}

func TestRecordsAllocatorPanics(t *testing.T) {
	const n = 300
	rng := rand.New(rand.NewPCG(47, 48))
	g, r := samples.WithIDs(t, randomResultIDs(rng, graph.String, n)), randomResult(rng, n)
	targets := []uint32{1, 2, 3}
	r.DepthList = nil
	for v := range r.ParentList {
		r.ParentList[v] = uint32(max(0, v-1))
	}
	for left := 0; ; left++ {
		mem := &meanAllocator{memory.NewCheckedAllocator(memory.NewGoAllocator()), left}
		ended := true
		for _, paths := range []bool{false, true} {
			o := RecordOptions{Allocator: mem, BatchRows: 200}
			reader, err := Records(context.Background(), g, r, o)
			if paths {
				reader, err = PathRecords(context.Background(), g, r, targets, o)
			}
			if err != nil {
				t.Fatal(err)
			}
			for reader.Next() {
				if reader.Record().NumRows() == 0 {
					t.Error("an empty record")
				}
			}
			if err := reader.Err(); err != nil {
				ended = false
				if !strings.Contains(err.Error(), "panicked: out of memory") {
					t.Fatal(err)
				}
			}
			reader.Release()
			mem.AssertSize(t, 0)
		}
		if ended {
			if left < 10 {
				t.Errorf("only %d allocations", left)
			}
			return
		}
	}
}

func TestRecordsErrors(t *testing.T) {
	ctx := context.Background()
	g := samples.WithIDs(t, &graph.IDs{Type: graph.Int64, Len: 2})
	r := samples.TestResult{DepthList: []int32{0, 1}}
	for says, f := range map[string]func() (array.RecordReader, error){
		"is nil":    func() (array.RecordReader, error) { return Records(ctx, nil, r, RecordOptions{}) },
		"result is": func() (array.RecordReader, error) { return Records(ctx, g, nil, RecordOptions{}) },
		"1 depths for": func() (array.RecordReader, error) {
			return Records(ctx, g, samples.TestResult{DepthList: []int32{0}}, RecordOptions{})
		},
		"BatchRows": func() (array.RecordReader, error) { return Records(ctx, g, r, RecordOptions{BatchRows: -1}) },
		"UTF-8": func() (array.RecordReader, error) {
			return Records(ctx, g, r, RecordOptions{Metadata: map[string]string{"a": "\xff"}})
		},
		"search with Options.Parents": func() (array.RecordReader, error) { return PathRecords(ctx, g, r, nil, RecordOptions{}) },
		"not for paths": func() (array.RecordReader, error) {
			return PathRecords(ctx, g, r, nil, RecordOptions{Properties: &testProperties{}})
		},
	} {
		reader, err := f()
		if reader != nil || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v", says, err)
		}
	}
	// The context counts before every record, and no goroutine is left.
	before := runtime.NumGoroutine()
	big, result := largeResult(t, rand.New(rand.NewPCG(49, 50)))
	for left := 0; ; left++ {
		reader, err := Records(&samples.Countdown{Context: ctx, Left: left}, big, result, RecordOptions{BatchRows: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for reader.Next() {
			n++
		}
		err = reader.Err()
		reader.Release()
		if err == nil {
			if n != 15 {
				t.Errorf("%d records", n)
			}
			break
		}
		if !errors.Is(err, context.Canceled) || n > left {
			t.Fatalf("after %d records and %d looks at the context: %v", n, left, err)
		}
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}
