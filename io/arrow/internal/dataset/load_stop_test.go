// This file tests that loading stops when told to and leaves nothing running.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

func empty(t testing.TB, schema *goarrow.Schema) array.RecordReader {
	r, err := array.NewRecordReader(schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCancel: reading stops within a batch, and leaves no goroutine.
// TestNegativeWorkers: they are an error, before anything is read.
func TestNegativeWorkers(t *testing.T) {
	o := Options{Workers: -1}
	_, open := Open(context.Background(), []string{"no such file"}, o)
	_, load := Load(context.Background(), "no such file", o)
	for _, err := range []error{open, load} {
		if !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), "Workers is -1") {
			t.Errorf("got %v, want graph.ErrOptions", err)
		}
	}
}

func TestCancel(t *testing.T) {
	data, _, _ := edgesFile(t, 1_000_000, 250_000)
	path := tempFile(t, "edges.parquet", data)
	before := runtime.NumGoroutine()
	for _, workers := range []int{1, 2, 7} {
		ctx, cancel := context.WithCancel(context.Background())
		d, err := Open(ctx, []string{path}, Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		var after atomic.Int64
		err = d.Batches(ctx, func(graph.Batch) error {
			if ctx.Err() != nil {
				after.Add(1)
			}
			cancel()
			return nil
		})
		check(t, err, context.Canceled, `^arrow: loading \S*edges\.parquet: context canceled$`)
		// Those that were on their way when the first one canceled.
		if n := after.Load(); n > 2*int64(workers) {
			t.Errorf("%d batches after the end, of %d workers", n, workers)
		}
		if _, err := Open(ctx, []string{path}, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("Open: %v", err)
		}
		if _, err := Load(ctx, path, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("Load: %v", err)
		}
		stop := errors.New("enough")
		if err := d.Batches(context.Background(), func(graph.Batch) error { return stop }); err != stop {
			t.Errorf("%v, want what yield returned", err)
		}
	}
	r, _ := array.NewRecordReader(goarrow.NewSchema([]goarrow.Field{{Name: "a", Type: goarrow.PrimitiveTypes.Int8}, {Name: "b", Type: goarrow.PrimitiveTypes.Int8}}, nil), nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ReadRecords(ctx, r, Options{}, func(graph.Batch) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadRecords: %v", err)
	}
	samples.NoMore(t, before)
}

// TestNoLeak: decompressors leave no goroutine, when all goes well and when
// it doesn't.
func TestNoLeak(t *testing.T) {
	testlong.Project(t)
	before := runtime.NumGoroutine()
	r := rand.New(rand.NewPCG(9, 9))
	every := testlong.Of(4, 1)
	if samples.Raced {
		every = 12
	}
	for _, files := range [][][]byte{smallParquets(t), smallIPCs(t)} {
		for i, data := range files {
			if i%every > 0 {
				continue
			}
			for k, b := range [][]byte{data, mutate(r, data, files)} {
				path := tempFile(t, fmt.Sprintf("%d-%d", i, k), b)
				_ = readEverything(path) // whatever comes of it
			}
		}
	}
	samples.NoMore(t, before)
}

// TestLogger: a line for each file, and one for the reading.
func TestLogger(t *testing.T) {
	data, _, _ := edgesFile(t, 1000, 100)
	path := tempFile(t, "edges.parquet", data)
	var b strings.Builder
	o := Options{Logger: slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug})), Where: "src < 100"}
	if _, err := Load(context.Background(), path, o); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"level=DEBUG msg=\"file opened\" path=" + path, "rows=1000 blocks=10 kept=10",
		"level=INFO msg=\"edges read\" path=" + path + " files=1 rows=1000", "rows_passed="} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %s", want, b.String())
		}
	}
}
