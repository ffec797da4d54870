// This file makes the goroutines that read text panic.

package edgelist

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/panics"
)

func TestPanics(t *testing.T) {
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
