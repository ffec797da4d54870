// This file tests vertices of several kinds.

package prepared

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// kindIDs are types of ids and the ids of a kind, ascending.
var kindIDs = []struct {
	typ arrow.DataType
	ids []string
}{
	{arrow.PrimitiveTypes.Int64, []string{"-7", "1", "2", "10", "30"}},
	{arrow.PrimitiveTypes.Int16, []string{"-7", "1", "2", "10", "30"}},
	{arrow.PrimitiveTypes.Uint64, []string{"1", "2", "10", "18446744073709551615"}},
	{arrow.BinaryTypes.String, []string{"1", "10", "2", "a:b", "ü,\"x\""}},
	{arrow.FixedWidthTypes.Date32, []string{"1969-12-30", "2020-01-01", "2024-02-29"}},
	{&arrow.Decimal128Type{Precision: 30}, []string{"-5", "1", "100000000000000000000"}},
}

// edgesByText returns the edges by the ids' text, each way of those that have two.
func edgesByText(g *graph.Graph) map[string]bool {
	edges := map[string]bool{}
	for u := range uint32(g.NumVertices()) {
		for _, v := range g.Out().Neighbors(u) {
			edges[g.IDs().Format(u)+" to "+g.IDs().Format(v)] = true
		}
	}
	return edges
}

// TestKindsRandom: graphs of tables with kinds have the vertices and edges that a map
// from kind and id to vertices has.
func TestKindsRandom(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5))
		dir := t.TempDir()
		names := []string{"item", "user", "a-b.c_d", "Ä"}[:1+r.IntN(4)]
		of := make([]int, len(names))
		for i := range of {
			of[i] = r.IntN(len(kindIDs))
		}
		vertices, edges := map[string]bool{}, map[string]bool{}
		var tables []dataset.Table
		for n := range 1 + r.IntN(4) {
			src, dst := r.IntN(len(names)), r.IntN(len(names))
			fields := []arrow.Field{samples.Nullable("s", kindIDs[of[src]].typ), samples.Nullable("d", kindIDs[of[dst]].typ), samples.Nullable("sk", arrow.BinaryTypes.String)}
			byColumn := r.IntN(3) == 0
			var rows [][]string
			for range r.IntN(12) {
				k := src // of one type, where a column names them
				if byColumn {
					for k = r.IntN(len(names)); of[k] != of[src]; k = r.IntN(len(names)) {
					}
				}
				pick := func(k int) string { ids := kindIDs[of[k]].ids; return ids[r.IntN(len(ids))] }
				row := []string{pick(k), pick(dst), names[k]}
				if null := r.IntN(20); null < 2 || byColumn && null == 2 {
					row[null] = ""
				} else {
					s, d := names[k]+":"+row[0], names[dst]+":"+row[1]
					vertices[s], vertices[d] = true, true
					if s != d {
						edges[s+" to "+d] = true
					}
				}
				rows = append(rows, row)
			}
			table := dataset.Table{Paths: []string{samples.TextTable(t, filepath.Join(dir, fmt.Sprintf("%d.arrow", n)), fields, rows)}, Source: "s:" + names[src], Target: "d:" + names[dst]}
			if byColumn {
				table.Source = "s:{SK}"
			}
			tables = append(tables, table)
		}
		o := dataset.Options{SkipNulls: true, TwoPass: r.IntN(2) == 0, Graph: graph.Options{Directed: true, Reverse: true}, Workers: 1 + r.IntN(2)}
		if r.IntN(2) == 0 {
			k := r.IntN(len(names))
			id := kindIDs[of[k]].ids[0]
			vertices[names[k]+":"+id] = true
			o.Vertices = &dataset.VertexTable{ID: "id:" + names[k], Paths: []string{samples.TextTable(t, filepath.Join(dir, "v.arrow"), []arrow.Field{samples.Nullable("id", kindIDs[of[k]].typ)}, [][]string{{id}})}}
		}
		var g *graph.Graph
		d, err := dataset.OpenTables(ctx, tables, o)
		if err == nil {
			g, err = d.Load(ctx)
		}
		if len(edges) == 0 { // self-loops alone, or none
			if err == nil && len(edgesByText(g)) > 0 {
				t.Errorf("seed %d: edges", seed)
			}
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		same := func(what string, g *graph.Graph) {
			t.Helper()
			got := map[string]bool{}
			for v := range uint32(g.NumVertices()) {
				got[g.IDs().Format(v)] = true
			}
			if !maps.Equal(got, vertices) || !maps.Equal(edgesByText(g), edges) {
				t.Errorf("seed %d, %s: vertices %v and edges %v, want %v and %v", seed, what, got, edgesByText(g), vertices, edges)
			}
		}
		same("built", g)
		last := ""
		for rank := range uint32(g.NumVertices()) {
			v := g.IDs().AtRank(rank)
			name := g.IDs().Format(v)
			kind, id, _ := strings.Cut(name, ":")
			if w, err := g.ParseVertex(name); err != nil || w != v || g.IDs().Kind(v) != kind {
				t.Errorf("seed %d: %s is vertex %d of kind %s, %d, %v", seed, name, v, g.IDs().Kind(v), w, err)
			}
			at := slices.Index(kindIDs[of[slices.Index(names, kind)]].ids, id)
			if now := fmt.Sprintf("%s %03d", kind, at); now <= last {
				t.Errorf("seed %d: %s comes after %s", seed, now, last)
			} else {
				last = now
			}
		}
		// Prepared, and as tables of edges and results.
		path := filepath.Join(dir, "g.foray")
		if err := WriteGraph(ctx, path, g, WriteGraphOptions{}); err != nil {
			t.Fatal(err)
		}
		p, err := OpenGraph(ctx, path, OpenGraphOptions{})
		if err != nil {
			t.Fatal(err)
		}
		same("prepared", p)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		data := rewritten(t, g, func(s *storedGraph) {
			if s.version != 3 {
				t.Errorf("kinds are of version %d", s.version)
			}
			s.version = 2
		})
		if _, err := openBytes(t, path, data, OpenGraphOptions{}); !errors.Is(err, input.ErrDamaged) {
			t.Errorf("kinds of version 2: %v", err)
		}
		for _, name := range []string{"edges.parquet", "edges.arrow"} {
			path := filepath.Join(dir, name)
			if err := write.WriteEdges(ctx, path, g, write.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			back, err := dataset.Load(ctx, path, dataset.Options{Source: "src:{src_kind}", Target: "dst:{dst_kind}", Graph: graph.Options{Directed: true}})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if !maps.Equal(edgesByText(back), edges) {
				t.Errorf("seed %d: %v, want %v", seed, edgesByText(back), edges)
			}
		}
		next := make([]uint32, g.NumVertices())
		for v := range next {
			next[v] = graph.NoVertex
			if row := g.Out().Neighbors(uint32(v)); len(row) > 0 {
				next[v] = row[0]
			}
		}
		result := filepath.Join(dir, "next.parquet")
		if err := write.WriteColumns(ctx, result, g, []write.ResultColumn{{Name: "next", Values: next, Vertices: true}}, write.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		back, err := dataset.Load(ctx, result, dataset.Options{Source: "vertex:{kind}", Target: "next:{next_kind}", SkipNulls: true, Graph: graph.Options{Directed: true}})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for e := range edgesByText(back) {
			if !edges[e] {
				t.Errorf("seed %d: %s is no edge", seed, e)
			}
		}
	}
}
