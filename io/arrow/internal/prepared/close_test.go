// This file tests what becomes of calls on a prepared graph that is closed, before
// and while they run: an error, never the process's end.

package prepared

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
	"github.com/foray-graph/foray/io/edgelist"
)

// uses are calls on a graph, with a result of a search of it.
func uses(dir string) map[string]func(g *graph.Graph, r write.Result) error {
	ctx := context.Background()
	at := func(name string) string { return filepath.Join(dir, name) }
	drain := func(g *graph.Graph, r write.Result) error {
		records, err := write.ColumnRecords(ctx, g, write.ResultColumns(r), write.RecordOptions{BatchRows: 10})
		if err != nil {
			return err
		}
		defer records.Release()
		for records.Next() {
		}
		return records.Err()
	}
	return map[string]func(g *graph.Graph, r write.Result) error{
		"Vertex":       func(g *graph.Graph, _ write.Result) error { _, err := g.Vertex(1); return err },
		"VertexString": func(g *graph.Graph, _ write.Result) error { _, err := g.VertexString("1"); return err },
		"ParseVertex":  func(g *graph.Graph, _ write.Result) error { _, err := g.ParseVertex("1"); return err },
		"Hold": func(g *graph.Graph, _ write.Result) error {
			release, err := g.Hold()
			if err == nil {
				release()
				release()
			}
			return err
		},
		"Checksum": func(g *graph.Graph, _ write.Result) error { _, err := g.Checksum(ctx); return err },
		"WriteGraph": func(g *graph.Graph, _ write.Result) error {
			return WriteGraph(ctx, at("g.foray"), g, WriteGraphOptions{})
		},
		"WriteEdges": func(g *graph.Graph, _ write.Result) error {
			return write.WriteEdges(ctx, at("e.parquet"), g, write.WriteOptions{})
		},
		"WriteText": func(g *graph.Graph, _ write.Result) error {
			return edgelist.Write(ctx, at("e.csv"), g, edgelist.WriteOptions{})
		},
		"WriteSG": func(g *graph.Graph, _ write.Result) error {
			return edgelist.Write(ctx, at("e.sg"), g, edgelist.WriteOptions{VertexNumbers: true})
		},
		"WriteResult": func(g *graph.Graph, r write.Result) error {
			return write.WriteColumns(ctx, at("r.parquet"), g, write.ResultColumns(r), write.WriteOptions{})
		},
		"WritePaths": func(g *graph.Graph, r write.Result) error {
			return write.WritePaths(ctx, at("p.parquet"), g, r, []uint32{0, 1, 2}, write.WriteOptions{})
		},
		"Records": drain,
		"On": func(g *graph.Graph, _ write.Result) error {
			dev := host.New(1)
			defer dev.Close()
			p, err := g.On(dev)
			if err != nil {
				return err
			}
			defer p.Close()
			res, err := bfs.Run(ctx, p, 0, bfs.Options{})
			if err != nil {
				return err
			}
			defer res.Close()
			return bfs.Validate(g, res)
		},
		"degree": func(g *graph.Graph, _ write.Result) (err error) {
			defer func() { // it returns no error
				if p := recover(); p != nil {
					err = p.(error)
				}
			}()
			g.Degree(0)
			return nil
		},
	}
}

// openForUse opens a prepared graph, and returns parents and depths of it.
func openForUse(t *testing.T, path string) (*graph.Graph, samples.TestResult) {
	t.Helper()
	g, err := OpenGraph(context.Background(), path, OpenGraphOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dev := host.New(1)
	defer dev.Close()
	p, err := g.On(dev)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	res, err := bfs.Run(context.Background(), p, 0, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	return g, samples.TestResult{DepthList: append([]int32{}, testgraph.Array(res.Depths())...), ParentList: append([]uint32{}, testgraph.Array(res.Parents())...)}
}

func TestStoredUseAfterClose(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	dev := host.New(1)
	defer dev.Close()
	for _, c := range samples.StoredCases() {
		g := c.Build(t, r, graph.Options{Directed: true, Reverse: true, EdgeIDs: true})
		path := writeStoredTo(t, g)
		for name, use := range uses(t.TempDir()) {
			open, res := openForUse(t, path)
			// Placed, a closed graph is what it was, except for being placed again; held
			// concurrently, the other call still sees it open.
			placed, err := open.On(dev)
			if err != nil {
				t.Fatal(err)
			}
			release, err := open.Hold()
			if err != nil {
				t.Fatal(err)
			}
			was := use(open, res)
			if err := open.Close(); err != nil {
				t.Fatal(err)
			}
			if is := use(open, res); (is == nil) != (was == nil) && name != "On" || errors.Is(is, device.ErrClosed) != (name == "On") {
				t.Errorf("%s, %s of a closed graph that is placed: %v, before %v", c.Name, name, is, was)
			}
			if err := placed.Close(); err != nil {
				t.Fatal(err)
			}
			if err := use(open, res); !errors.Is(err, device.ErrClosed) && name != "Checksum" && name != "degree" {
				t.Errorf("%s, %s of a closed graph that is held: %v", c.Name, name, err)
			}
			if !samples.SameRows(open.Out(), g.Out()) || !samples.SameRows(open.In(), g.In()) || open.IDs().Format(0) != g.IDs().Format(0) {
				t.Errorf("%s: what is held has changed", c.Name)
			}
			release()
			release()
			if err := use(open, res); !errors.Is(err, device.ErrClosed) && name != "Checksum" { // which is kept
				t.Errorf("%s, %s of a closed graph: %v", c.Name, name, err)
			}
			if open.NumVertices() != g.NumVertices() || open.NumEdges() != g.NumEdges() || open.IDs().Len != g.NumVertices() {
				t.Errorf("%s: closed, it has %d vertices and %d edges", c.Name, open.NumVertices(), open.NumEdges())
			}
			if err := open.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	// A reader of records holds the graph.
	g, res := openForUse(t, writeStoredTo(t, samples.StoredCases()[2].Build(t, r, graph.Options{})))
	want := []string{}
	for v := range uint32(g.NumVertices()) {
		want = append(want, g.IDs().Format(v))
	}
	records, err := write.ColumnRecords(context.Background(), g, write.ResultColumns(res), write.RecordOptions{BatchRows: 3})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	at := 0
	for records.Next() {
		for i := range int(records.Record().NumRows()) {
			if got := records.Record().Column(0).ValueStr(i); got != want[at] {
				t.Fatalf("row %d is of vertex %s, want %s", at, got, want[at])
			}
			at++
		}
	}
	records.Release()
	if records.Err() != nil || at != len(want) {
		t.Errorf("%d of %d rows, %v", at, len(want), records.Err())
	}
	if _, err := g.Hold(); !errors.Is(err, device.ErrClosed) {
		t.Errorf("it is held still: %v", err)
	}
	if _, err := (*graph.Graph)(nil).Hold(); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
	// What fails holds nothing.
	g, res = openForUse(t, writeStoredTo(t, samples.StoredCases()[2].Build(t, r, graph.Options{})))
	ctx := context.Background()
	_, err1 := write.ColumnRecords(ctx, g, write.ResultColumns(res), write.RecordOptions{BatchRows: -1})
	_, err2 := write.PathRecords(ctx, g, res, []uint32{1 << 30}, write.RecordOptions{})
	_, err3 := write.PathRecords(ctx, g, samples.TestResult{DepthList: res.DepthList}, nil, write.RecordOptions{})
	_, err4 := write.ColumnRecords(ctx, g, write.ResultColumns(samples.TestResult{}), write.RecordOptions{})
	if err1 == nil || err2 == nil || err3 == nil || err4 == nil {
		t.Error(err1, err2, err3, err4)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if _, err := g.Hold(); !errors.Is(err, device.ErrClosed) {
		t.Errorf("it is held still: %v", err)
	}
}

// TestStoredCloseMeanwhile closes graphs while others use them. A use of memory that
// was given back would end the test's process.
func TestStoredCloseMeanwhile(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 6))
	for _, c := range samples.StoredCases()[2:] {
		path := writeStoredTo(t, c.Build(t, r, graph.Options{}))
		for name, use := range uses(t.TempDir()) {
			for range 3 {
				g, res := openForUse(t, path)
				var wg sync.WaitGroup
				for range 3 {
					wg.Go(func() {
						for i := 0; !errors.Is(use(g, res), device.ErrClosed); i++ {
							if name == "Checksum" && i == 20 { // it is kept
								return
							}
						}
					})
				}
				if err := g.Close(); err != nil {
					t.Error(err)
				}
				wg.Wait()
			}
		}
	}
}

// TestStoredSearchesMeanwhile closes and frees prepared graphs, whose arrays are
// mapped files, while others search them: a search that reads what was unmapped would
// end the test's process.
func TestStoredSearchesMeanwhile(t *testing.T) {
	grid, err := gen.Parse("grid2d:60x50")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.Build(t.Context(), grid, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, path := context.Background(), writeStoredTo(t, g)
	want := oracle.Depths(g.Out(), 7)
	dev := host.New(2)
	defer dev.Close()
	r := rand.New(rand.NewPCG(3, 7))
	for range 20 {
		g, err := OpenGraph(ctx, path, OpenGraphOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.On(dev)
		if err != nil {
			t.Fatal(err)
		}
		pool, err := dobfs.NewPool(p, dobfs.Options{ByID: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		right := func(r *bfs.Result) error {
			if !slices.Equal(testgraph.Array(r.Depths()), want) {
				t.Error("wrong depths")
			}
			return nil
		}
		run := func(r *bfs.Result, err error) error {
			if err != nil {
				return err
			}
			defer r.Close()
			return right(r)
		}
		var wg sync.WaitGroup
		for what, search := range map[string]func() error{
			"bfs":      func() error { return run(bfs.Run(ctx, p, 7, bfs.Options{})) },
			"progress": func() error { return run(bfs.Run(ctx, p, 7, bfs.Options{EachLevel: func(bfs.Level) {}})) },
			"dobfs":    func() error { return run(dobfs.Run(ctx, p, 7, dobfs.Options{Outputs: bfs.Depths | bfs.Parents})) },
			"pool":     func() error { return pool.Run(ctx, bfs.Query{Sources: []uint32{7}}, right) },
		} {
			for range 3 {
				wg.Go(func() {
					err := error(nil)
					for err == nil {
						err = search()
					}
					if !errors.Is(err, device.ErrClosed) {
						t.Errorf("%s: %v", what, err)
					}
				})
			}
		}
		time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
		if err := errors.Join(g.Close(), p.Close()); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}
}
