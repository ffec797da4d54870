// This file makes the goroutines that read text panic or end.

package edgelist

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

func TestPanics(t *testing.T) {
	testlong.Project(t)
	var text strings.Builder
	for i := range 400_000 {
		fmt.Fprintf(&text, "%d %d\n", i, i*7%400_000)
	}
	path := filepath.Join(t.TempDir(), "edges.txt")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 8} {
		for n := int64(1); n <= 3; n++ {
			for _, stage := range []string{"parse text", "build", "yield"} {
				var calls atomic.Int64
				loud := func(place string) {
					if place == stage && calls.Add(1) == n {
						panic("loud")
					}
				}
				undo := panics.Inject(loud)
				done := make(chan error, 1)
				go func() {
					if stage == "yield" {
						err := ReadFile(context.Background(), path, Options{Workers: workers}, func(graph.Batch) error { loud(stage); return nil })
						done <- err
						return
					}
					_, err := Load(context.Background(), path, Options{Workers: workers, Graph: graph.Options{Workers: 2}})
					done <- err
				}()
				select {
				case err := <-done:
					var p *device.PanicError
					if !errors.As(err, &p) || p.Value != "loud" || strings.Contains(err.Error(), "loud") {
						t.Errorf("%s %d, %d workers: %v", stage, n, workers, err)
					} else if stage != "build" && !strings.Contains(err.Error(), "edges.txt") {
						t.Errorf("%s %d, %d workers: %v names no file", stage, n, workers, err)
					}
				case <-time.After(time.Minute):
					t.Fatalf("%s %d, %d workers: it doesn't end", stage, n, workers)
				}
				undo()
			}
		}
	}
}

// TestExited has yield end the goroutines that parse: reading ends, with an error.
func TestExited(t *testing.T) {
	var text strings.Builder
	for i := range 400_000 {
		fmt.Fprintf(&text, "%d %d\n", i, i*7%400_000)
	}
	for _, workers := range []int{1, 2, 8} {
		for _, from := range []int64{1, 2, 3} {
			var calls atomic.Int64
			done := make(chan error, 1)
			go func() {
				done <- Read(context.Background(), strings.NewReader(text.String()), Options{Name: "edges", Workers: workers}, func(graph.Batch) error {
					if calls.Add(1) >= from {
						runtime.Goexit()
					}
					return nil
				})
			}()
			select {
			case err := <-done:
				if !errors.Is(err, panics.ErrExited) || !strings.Contains(err.Error(), "edges") {
					t.Errorf("from batch %d on, %d workers: %v", from, workers, err)
				}
			case <-time.After(time.Minute):
				t.Fatalf("from batch %d on, %d workers: it doesn't end", from, workers)
			}
		}
	}
}

// TestWrongReader has readers return counts that can't be.
func TestWrongReader(t *testing.T) {
	for _, c := range []struct {
		read func(b []byte) (int, error)
		want error
	}{
		{func(b []byte) (int, error) { return len(b) + 1, nil }, graph.ErrOptions},
		{func([]byte) (int, error) { return -1, nil }, graph.ErrOptions},
		{func([]byte) (int, error) { return 0, nil }, io.ErrNoProgress},
	} {
		calls := 0
		r := readFunc(func(b []byte) (int, error) {
			if calls++; calls == 1 {
				return copy(b, "1 2\n"), nil
			}
			return c.read(b)
		})
		err := Read(context.Background(), r, Options{Name: "edges"}, func(graph.Batch) error { return nil })
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "edges") {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}

// readFunc is an io.Reader.
type readFunc func(b []byte) (int, error)

func (r readFunc) Read(b []byte) (int, error) { return r(b) }
