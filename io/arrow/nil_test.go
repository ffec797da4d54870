// This file calls the package's functions without what they need: nil, and
// interfaces with a nil pointer in them.

package arrow

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

// writersOfResults are all functions that write results, or hand them over.
func writersOfResults(path string, p *Properties) map[string]func(g *graph.Graph, r Result) error {
	ctx := context.Background()
	release := func(rows array.RecordReader, err error) error {
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			rows.Release()
		}
		return err
	}
	return map[string]func(g *graph.Graph, r Result) error{
		"Write": func(g *graph.Graph, r Result) error {
			return Write(ctx, path, g, ResultColumns(r), WriteOptions{Properties: p})
		},
		"Write in partitions": func(g *graph.Graph, r Result) error {
			return Write(ctx, path+".d", g, ResultColumns(r), WriteOptions{Properties: p, PartitionBy: "depth", Overwrite: true})
		},
		"WritePaths": func(g *graph.Graph, r Result) error {
			return WritePaths(ctx, path, g, r, []uint32{0}, WriteOptions{Properties: p})
		},
		"Records": func(g *graph.Graph, r Result) error {
			return release(Records(ctx, g, ResultColumns(r), RecordOptions{Properties: p}))
		},
		"PathRecords": func(g *graph.Graph, r Result) error {
			return release(PathRecords(ctx, g, r, []uint32{0}, RecordOptions{Properties: p}))
		},
	}
}

func searchedGraph(t *testing.T) (*graph.Graph, *bfs.Result) {
	t.Helper()
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, []int64{1, 2}, []int64{2, 3}, nil); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(host.New(1))
	if err != nil {
		t.Fatal(err)
	}
	r, err := bfs.Run(context.Background(), p, 0, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
	if err != nil {
		t.Fatal(err)
	}
	return g, r
}

func TestNilResults(t *testing.T) {
	g, r := searchedGraph(t)
	dir := t.TempDir()
	var none *bfs.Result // as a search that failed returns it
	for name, write := range writersOfResults(filepath.Join(dir, "x.csv"), nil) {
		for what, c := range map[string]struct {
			g *graph.Graph
			r Result
		}{"no graph": {nil, r}, "no result": {g, nil}, "no *bfs.Result": {g, none}, "a zero bfs.Result": {g, &bfs.Result{}}, "neither": {nil, none}} {
			if err := write(c.g, c.r); !errors.Is(err, ErrResult) {
				t.Errorf("%s of %s: %v, want ErrResult", name, what, err)
			}
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestNilProperties: Dataset.Properties returns a nil pointer where there are none.
func TestNilProperties(t *testing.T) {
	g, r := searchedGraph(t)
	none, err := (&Dataset{}).Properties(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range writersOfResults(filepath.Join(t.TempDir(), "x.csv"), none) {
		if err := write(g, r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	o := WriteOptions{Properties: none}
	if err := Check(context.Background(), "x.csv", g, ResultColumns(r), o); err != nil {
		t.Error(err)
	}
	if err := WriteEdges(context.Background(), filepath.Join(t.TempDir(), "x.csv"), g, o); err != nil {
		t.Error(err)
	}
}

func TestNilArguments(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	path := filepath.Join(dir, "x.parquet")
	if err := WriteBatches(ctx, path, nil, WriteOptions{}); !errors.Is(err, ErrResult) {
		t.Errorf("WriteBatches: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	g, _ := searchedGraph(t)
	if err := WriteEdges(ctx, path, g, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	d, err := Open(ctx, []string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	table := VertexTable{Paths: []string{path}, ID: "src", Properties: []string{"dst"}}
	for name, c := range map[string]struct {
		want error
		call func() error
	}{
		"Read":                {graph.ErrOptions, func() error { return d.Read(ctx, nil) }},
		"LoadRecords":         {graph.ErrOptions, func() error { _, err := LoadRecords(ctx, nil, Options{}); return err }},
		"LoadRecords, a type": {graph.ErrOptions, func() error { _, err := LoadRecords(ctx, (*ipc.Reader)(nil), Options{}); return err }},
		"LoadProperties":      {graph.ErrNoGraph, func() error { _, err := LoadProperties(ctx, nil, table, Options{}); return err }},
		"Check":               {ErrResult, func() error { return Check(ctx, "x.csv", nil, ResultColumns(nil), WriteOptions{}) }},
		"WriteEdges":          {graph.ErrMalformed, func() error { return WriteEdges(ctx, path, nil, WriteOptions{}) }},
		"WriteGraph":          {graph.ErrMalformed, func() error { return WriteGraph(ctx, path, nil, WriteGraphOptions{}) }},
	} {
		if err := c.call(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}
