// This file tests graphs whose vertices come from tables, and have few edges or none.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/prepared"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// TestVerticesBesideFewEdges loads tables of edges, some of them empty, some of which a condition leaves nothing of,
// with tables of vertices, and compares them with a Builder's graphs. Then it stores and opens them.
func TestVerticesBesideFewEdges(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 41))
		dir := t.TempDir()
		n := r.IntN(6)
		src, dst, w := randomInts(r, n, 50), randomInts(r, n, 50), randomInts(r, n, 4)
		ids := randomInts(r, r.IntN(30), 80)
		coin := func() bool { return r.IntN(2) == 0 }
		o := Options{TwoPass: coin(), Where: "w > 1", Graph: graph.Options{Directed: coin(), Bipartite: coin(), Weights: coin(), EdgeIDs: coin(), KeepSelfLoops: coin(), Order: graph.Order(r.IntN(3))}}
		o.Graph.Reverse = o.Graph.Directed && coin()
		if o.Graph.Weights {
			o.Weight = "w"
		}
		if !o.Graph.Bipartite && coin() {
			o.Graph.DenseIDs = true
		}
		o.Vertices = &VertexTable{Paths: []string{intsFile(t, filepath.Join(dir, "v.parquet"), "id", 7, ids)}, Side: graph.Side(r.IntN(2))}
		path := intsFile(t, filepath.Join(dir, "e.parquet"), "src dst w", 3, src, dst, w)
		got, err := Load(context.Background(), path, o)
		b := graph.NewBuilder(o.Graph)
		for i := range src {
			if w[i] > 1 {
				e := graph.Batch{Src: src[i : i+1], Dst: dst[i : i+1]}
				if o.Graph.Weights {
					e.Weights = []float32{float32(w[i])}
				}
				if o.Graph.EdgeIDs {
					e.EdgeIDs = []uint64{uint64(i)}
				}
				if err := b.Add(e); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := graph.AddVertices(b, o.Vertices.Side, ids); err != nil {
			t.Fatal(err)
		}
		want, wantErr := b.Build(context.Background())
		if wantErr != nil {
			if !errors.Is(wantErr, graph.ErrEmpty) || !errors.Is(err, graph.ErrEmpty) {
				t.Fatalf("seed %d: %v, want %v", seed, err, wantErr)
			}
			continue
		}
		if err != nil {
			t.Fatalf("seed %d, %+v: %v", seed, o.Graph, err)
		}
		same := func(got *graph.Graph) {
			t.Helper()
			if !samples.SameRows(got.Out(), want.Out()) || !samples.SameRows(got.In(), want.In()) || got.Stats() != want.Stats() {
				t.Fatalf("seed %d, %+v: the graphs differ", seed, o.Graph)
			}
			for v := range uint32(want.NumVertices()) {
				if a, b := got.IDs().Format(v), want.IDs().Format(v); a != b {
					t.Fatalf("seed %d: vertex %d is %s, want %s", seed, v, a, b)
				}
			}
		}
		same(got)
		opened, err := prepared.OpenGraph(context.Background(), writeStoredTo(t, got), prepared.OpenGraphOptions{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		same(opened)
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestVerticesOfAllKinds stores and opens graphs of vertices alone, with ids of every type.
func TestVerticesOfAllKinds(t *testing.T) {
	names := &graph.Strings{Offsets: []int64{0, 1, 3, 3}, Data: []byte("abc")}
	binary := *names
	binary.Binary = true
	for i, e := range []graph.Batch{
		{Type: graph.Int64, Src: []int64{5, -7, 1 << 40}}, {Type: graph.Int8, Src: []int64{5, -7, 9}}, {Type: graph.Uint64, Src: []int64{-1, 0, 9}}, {Type: graph.Uint32, Src: []int64{2, 0, 1}},
		{SrcStrings: names}, {SrcStrings: &binary}, {Type: graph.Int32, Logical: "date32", Src: []int64{1, 2, 19737}},
	} {
		for _, o := range []graph.Options{{}, {Directed: true, Reverse: true, Weights: true}, {Bipartite: true, EdgeIDs: true, Order: graph.OrderDegree}} {
			t.Run(fmt.Sprint(i, o.Directed, o.Bipartite), func(t *testing.T) {
				b := graph.NewBuilder(o)
				e.Vertices = true
				if err := b.Add(e); err != nil {
					t.Fatal(err)
				}
				g, err := b.Build(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				opened, err := prepared.OpenGraph(context.Background(), writeStoredTo(t, g), prepared.OpenGraphOptions{})
				if err != nil {
					t.Fatal(err)
				}
				defer opened.Close()
				if opened.NumVertices() != 3 || !samples.SameRows(g.Out(), opened.Out()) || opened.Stats() != g.Stats() {
					t.Errorf("%d vertices, %+v", opened.NumVertices(), opened.Stats())
				}
				for v := range uint32(3) {
					name := g.IDs().Format(v)
					if got, err := opened.ParseVertex(name); name != "" && (err != nil || got != v) || opened.IDs().Format(v) != name {
						t.Errorf("%q is vertex %d, %v; want %d", name, got, err, v)
					}
				}
				// Edges are written of it too: none.
				path := filepath.Join(t.TempDir(), "e.parquet")
				if err := write.WriteEdges(context.Background(), path, opened, write.WriteOptions{}); err != nil {
					t.Fatal(err)
				}
				if _, err := Load(context.Background(), path, Options{}); !errors.Is(err, graph.ErrEmpty) || !strings.Contains(err.Error(), "there are no rows") {
					t.Error(err)
				}
			})
		}
	}
}
