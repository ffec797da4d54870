// This file writes results with graphs that they aren't of.

package write

import (
	"context"
	"errors"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"os"
	"path/filepath"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/order"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// TestResultOfReordered: a reordered graph has as many vertices, with other numbers,
// so that nothing but the graph itself tells that a result isn't of it.
func TestResultOfReordered(t *testing.T) {
	ctx := context.Background()
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 2, 4, 5, 8}, Targets: []uint32{1, 3, 0, 3, 3, 0, 1, 2}}, graph.CSROptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	q, err := order.ByDegree(ctx, p)
	if err != nil || q.Graph() == g {
		t.Fatal(err, "the order is the same")
	}
	r, err := bfs.Run(ctx, q, 0, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
	if err != nil || r.Graph() != q.Graph() {
		t.Fatal(err, r.Graph())
	}
	path := filepath.Join(t.TempDir(), "x.csv")
	writers := map[string]func(g *graph.Graph, r Result) error{
		"WriteResult": func(g *graph.Graph, r Result) error { return WriteResult(ctx, path, g, r, WriteOptions{}) },
		"WritePaths":  func(g *graph.Graph, r Result) error { return WritePaths(ctx, path, g, r, []uint32{1}, WriteOptions{}) },
		"Records": func(g *graph.Graph, r Result) error {
			rows, err := Records(ctx, g, r, RecordOptions{})
			if err == nil {
				rows.Release()
			}
			return err
		},
		"PathRecords": func(g *graph.Graph, r Result) error {
			rows, err := PathRecords(ctx, g, r, []uint32{1}, RecordOptions{})
			if err == nil {
				rows.Release()
			}
			return err
		},
	}
	for name, write := range writers {
		if err := write(g, r); !errors.Is(err, ErrResult) {
			t.Errorf("%s: %v, want ErrResult", name, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s left %v", name, err)
		}
		// What doesn't know its graph is taken on trust.
		for _, r := range []Result{r, samples.TestResult{DepthList: testgraph.Array(r.Depths()), ParentList: testgraph.Array(r.Parents())}} {
			if err := write(q.Graph(), r); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		_ = os.Remove(path)
	}
	if (&bfs.Result{}).Graph() != nil {
		t.Error("a result of nothing has a graph")
	}
}
