// This file makes each stage of loading and writing panic: it ends, with an error that names the stage.

package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// finishes calls f and fails the test where it doesn't end, or leaves goroutines.
func finishes(t *testing.T, what string, f func() error) (err error) {
	t.Helper()
	before := runtime.NumGoroutine()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err = <-done:
	case <-time.After(time.Minute):
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
		t.Fatalf("%s: it doesn't end", what)
	}
	for wait := time.Millisecond; runtime.NumGoroutine() > before && wait < 5*time.Second; wait *= 2 {
		time.Sleep(wait)
	}
	if n := runtime.NumGoroutine(); n > before {
		var all bytes.Buffer
		_ = pprof.Lookup("goroutine").WriteTo(&all, 1)
		t.Errorf("%s: %d goroutines are left of %d before\n%s", what, n, before, all.String())
	}
	return err
}

// isPanic fails the test unless an error is a panic with this value, in one line that names the place.
func isPanic(t *testing.T, what string, err error, value any, names ...string) {
	t.Helper()
	var p *device.PanicError
	if !errors.As(err, &p) {
		t.Errorf("%s: %v, want a device.PanicError", what, err)
		return
	}
	if p.Value != value || !bytes.Contains(p.Stack, []byte("panic_test.go")) {
		t.Errorf("%s: value %v, stack %s", what, p.Value, p.Stack)
	}
	text := err.Error()
	if strings.Contains(text, "\n") || strings.Contains(text, fmt.Sprint(value)) {
		t.Errorf("%s: %q has the value or several lines", what, text)
	}
	for _, name := range names {
		if !strings.Contains(text, name) {
			t.Errorf("%s: %q doesn't name %q", what, text, name)
		}
	}
}

const loud = "a value that is nobody's business"

// at makes the n-th call of a stage panic.
func at(stage string, n int64) (undo func(), hit *atomic.Bool) {
	var calls atomic.Int64
	hit = new(atomic.Bool)
	return panics.Inject(func(place string) {
		if place == stage && calls.Add(1) == n {
			hit.Store(true)
			panic(loud)
		}
	}), hit
}

func TestPanicsOfLoading(t *testing.T) {
	data, _, _ := edgesFile(t, 200_000, 30_000)
	one := tempFile(t, "edges.parquet", data)
	two := []string{one, tempFile(t, "more.parquet", data), tempFile(t, "most.parquet", data)}
	for _, c := range []struct {
		stage string
		paths []string
		names []string
	}{
		{"open file", two, []string{".parquet"}},
		{"read batch", []string{one}, []string{"edges.parquet", "row group"}},
		{"take batch", []string{one}, []string{"edges.parquet", "row group"}},
		{"build", []string{one}, nil},
	} {
		for _, o := range []Options{{Workers: 1}, {Workers: 2}, {Workers: 16}, {Workers: 3, TwoPass: true}} {
			for n := int64(1); n <= 3; n++ {
				what := fmt.Sprintf("%s %d, %d workers, two passes %t", c.stage, n, o.Workers, o.TwoPass)
				if c.stage == "open file" && n > 2 {
					continue
				}
				undo, hit := at(c.stage, n)
				err := finishes(t, what, func() error {
					o.Graph.Workers = 2
					d, err := Open(context.Background(), c.paths, o)
					if err != nil {
						return err
					}
					g, err := d.Load(context.Background())
					if err == nil {
						err = g.Close()
					}
					return err
				})
				undo()
				if !hit.Load() {
					t.Errorf("%s: it wasn't reached", what)
				}
				isPanic(t, what, err, loud, c.names...)
			}
		}
	}
	// What the caller gives is called by the library's goroutines.
	for what, o := range map[string]Options{
		"Progress":       {Workers: 3, Progress: func(graph.Progress) { panic(loud) }},
		"Graph.Progress": {Workers: 3, Graph: graph.Options{Workers: 2, Progress: func(graph.Progress) { panic(loud) }}},
	} {
		isPanic(t, what, finishes(t, what, func() error {
			_, err := Load(context.Background(), one, o)
			return err
		}), loud)
	}
	isPanic(t, "yield", finishes(t, "yield", func() error {
		d, err := Open(context.Background(), []string{one}, Options{Workers: 5})
		if err != nil {
			return err
		}
		return d.Batches(context.Background(), func(graph.Batch) error { panic(loud) })
	}), loud, "edges.parquet")
	// A panic with an error is that error too.
	undo := panics.Inject(func(string) { panic(fmt.Errorf("%w: as it were", context.DeadlineExceeded)) })
	_, err := Load(context.Background(), one, Options{})
	undo()
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// TestPanicsOfStores: requests are made by goroutines too.
func TestPanicsOfStores(t *testing.T) {
	f := tests3.NewFake(t, "lake")
	for k, v := range f.Env() {
		t.Setenv(k, v)
	}
	data, _, _ := edgesFile(t, 200_000, 30_000)
	f.Put("lake", "edges.parquet", data)
	reached := false
	for n := int64(1); n <= 6; n++ {
		undo, hit := at("fetch", n)
		what := fmt.Sprintf("fetch %d", n)
		err := finishes(t, what, func() error {
			_, err := Load(context.Background(), "s3://lake/edges.parquet", Options{Workers: 2})
			return err
		})
		undo()
		if hit.Load() {
			reached = true
			isPanic(t, what, err, loud)
		}
	}
	if !reached {
		t.Error("it wasn't reached")
	}
}

// TestPanicsOfLogs: lines of logs are parsed by goroutines.
func TestPanicsOfLogs(t *testing.T) {
	dir := plainDelta(t)
	for n := int64(1); n <= 2; n++ {
		undo, hit := at("parse log", n)
		err := finishes(t, "log", func() error {
			_, err := Open(context.Background(), []string{dir}, Options{})
			return err
		})
		undo()
		if !hit.Load() {
			t.Fatal("it wasn't reached")
		}
		isPanic(t, "log", err, loud, "_delta_log", "line ")
	}
}

// TestPanicsOfWriting: pages are compressed by goroutines.
func TestPanicsOfWriting(t *testing.T) {
	data, _, _ := edgesFile(t, 200_000, 30_000)
	path := tempFile(t, "edges.parquet", data)
	g, err := Load(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n := int64(1); n <= 3; n++ {
		undo, hit := at("write page", n)
		out := filepath.Join(t.TempDir(), "out.parquet")
		err := finishes(t, "write", func() error { return write.WriteEdges(context.Background(), out, g, write.WriteOptions{}) })
		undo()
		if !hit.Load() {
			if n == 1 {
				t.Fatal("it wasn't reached")
			}
			break
		}
		isPanic(t, "write", err, loud)
		if left, _ := os.ReadDir(filepath.Dir(out)); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
	}
}
