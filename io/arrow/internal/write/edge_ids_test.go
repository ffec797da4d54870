// This file tests edge ids on their way out: with edges, and along paths.

package write

import (
	"context"
	"errors"
	"fmt"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// TestWriteEdgeIDs: edges that are written with their ids and read again make the
// same graph.
func TestWriteEdgeIDs(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 40))
		o := graph.Options{Directed: true, EdgeIDs: true, Weights: r.IntN(2) == 0, Order: graph.OrderGiven, KeepDuplicates: true, KeepSelfLoops: true}
		g := samples.StoredCases()[2+seed%6].Build(t, r, o)
		for _, format := range []string{"parquet", "arrow", "arrows"} {
			path := filepath.Join(t.TempDir(), "e."+format)
			if err := WriteEdges(ctx, path, g, WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				again, err := dataset.Load(ctx, path, dataset.Options{EdgeID: "edge_id", Graph: o, Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				if !samples.SameRows(again.Out(), g.Out()) {
					t.Fatalf("seed %d, %s: another graph", seed, format)
				}
				// The same by way of batches.
				d, err := dataset.Open(ctx, []string{path}, dataset.Options{EdgeID: "edge_id", Graph: o, Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				path = filepath.Join(t.TempDir(), "b."+format)
				if err := WriteEdgeBatches(ctx, path, d.Batches, WriteOptions{}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	some := func(ids ...[]uint64) error {
		return WriteEdgeBatches(ctx, filepath.Join(t.TempDir(), "e.parquet"), func(_ context.Context, yield func(graph.Batch) error) error {
			for _, x := range ids {
				if err := yield(graph.Batch{Src: []int64{1}, Dst: []int64{2}, EdgeIDs: x}); err != nil {
					return err
				}
			}
			return nil
		}, WriteOptions{})

	}
	for _, ids := range [][][]uint64{{{1}, nil}, {nil, {1}}, {{1, 2}}} {
		if err := some(ids...); !errors.Is(err, ErrEdgeBatch) {
			t.Errorf("%v: %v", ids, err)
		}
	}
}

// TestPathEdges: along a path stand the ids of its edges.
func TestPathEdges(t *testing.T) {
	ctx := context.Background()
	dev := host.New(1)
	defer dev.Close()
	missing, empty := 0, 0
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 41))
		o := graph.Options{Directed: seed%3 > 0, Reverse: seed%3 > 1, EdgeIDs: true, KeepDuplicates: r.IntN(2) == 0, KeepSelfLoops: r.IntN(2) == 0}
		g := samples.StoredCases()[seed%8].Build(t, r, o)
		p, err := g.On(dev)
		if err != nil {
			t.Fatal(err)
		}
		res, err := bfs.Run(ctx, p, r.Uint32N(uint32(g.NumVertices())), bfs.Options{Outputs: bfs.Depths | bfs.Parents})
		if err != nil {
			t.Fatal(err)
		}
		targets := append([]uint32{res.Sources[0]}, make([]uint32, 30)...)
		for i := range targets[1:] {
			targets[1+i] = r.Uint32N(uint32(g.NumVertices()))
		}
		for _, format := range []string{"parquet", "arrow", "csv", "jsonl"} {
			path := filepath.Join(t.TempDir(), "p."+format)
			if err := WritePaths(ctx, path, g, res, targets, WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			back := readBack(t, path)
			if names := back.names; names != nil && !slices.Equal(names, []string{"target", "depth", "path", "edges"}) {
				t.Fatalf("%s: columns %q", format, names)
			}
			if len(back.rows) != len(targets) {
				t.Fatalf("%s: %d rows", format, len(back.rows))
			}
			for i, row := range back.rows {
				var want []string
				parents := testgraph.Array(res.Parents())
				for v := targets[i]; parents[v] != graph.NoVertex && parents[v] != v; v = parents[v] {
					u := parents[v]
					at := slices.Index(g.Out().Neighbors(u), v)
					want = append(want, strconv.FormatUint(g.Out().EdgeIDs[g.Out().Offsets[u]+uint64(at)], 10))
				}
				slices.Reverse(want)
				text := strings.Join(want, samples.ListJoint)
				switch {
				case format == "csv":
					text = strings.Join(want, ";")
				case parents[targets[i]] == graph.NoVertex:
					text = samples.Null
					missing++
				case want == nil:
					empty++
				}
				if row[3] != text {
					t.Fatalf("%s: edges %q, want %q, of %q", format, row[3], text, row)
				}
			}
		}
		res.Close()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	if missing == 0 || empty == 0 {
		t.Errorf("%d missing, %d empty", missing, empty)
	}

	// A tree that isn't the graph's, and rows that don't ascend.
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 3, 3, 3, 3}, Targets: []uint32{3, 1, 2}, EdgeIDs: []uint64{7, 8, 9}}, graph.CSROptions{Directed: true})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "p.csv")
	if err := WritePaths(ctx, path, g, samples.TestResult{ParentList: []uint32{0, 0, 0, 0}}, []uint32{1, 2, 3}, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(readBack(t, path).rows); got != "[[1 1 0;1 8] [2 1 0;2 9] [3 1 0;3 7]]" {
		t.Error(got)
	}
	if err := WritePaths(ctx, path, g, samples.TestResult{ParentList: []uint32{0, 0, 1, 0}}, []uint32{2}, WriteOptions{}); !errors.Is(err, ErrResult) || !strings.Contains(err.Error(), "no edge leads there") {
		t.Error(err)
	}
}
