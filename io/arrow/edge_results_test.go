package arrow_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/io/arrow"
)

// TestEdgeResults writes columns of all types with the edges of random graphs, whole and without the edges that have no
// value.
func TestEdgeResults(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		g := testgraph.Random(r, 30, 4, true)
		n := int(g.NumDirectedEdges())
		i32, i64, u32, u64 := make([]int32, n), make([]int64, n), make([]uint32, n), make([]uint64, n)
		f32, f64, is, of := make([]float32, n), make([]float64, n), make([]bool, n), make([]uint32, n)
		for e := range n {
			i32[e], i64[e], u32[e], u64[e] = int32(r.IntN(4)-1), -r.Int64N(1<<40), r.Uint32(), r.Uint64()
			f32[e], f64[e], is[e] = float32(r.IntN(100)), float64(r.IntN(100)), r.IntN(2) == 0
			if of[e] = r.Uint32N(uint32(g.NumVertices())); r.IntN(3) == 0 {
				of[e] = graph.NoVertex
			}
		}
		columns := []arrow.Column{arrow.NewColumn("i32", i32, -1), arrow.NewColumn("i64", i64), arrow.NewColumn("u32", u32), arrow.NewColumn("u64", u64),
			arrow.NewColumn("f32", f32), arrow.NewColumn("f64", f64), arrow.NewColumn("is", is), arrow.NewColumn("of", of).Vertices()}
		if seed%3 == 0 { // the column that ReachedOnly looks at
			columns = slices.Concat(columns[7:], columns[:7])
		}
		for _, reached := range []bool{false, true} {
			want := "src,dst,i32,i64,u32,u64,f32,f64,is,of\n"
			if seed%3 == 0 {
				want = "src,dst,of,i32,i64,u32,u64,f32,f64,is\n"
			}
			rows := 0
			for u := range uint32(g.NumVertices()) {
				for e := g.Out().Offsets[u]; e < g.Out().Offsets[u+1]; e++ {
					v := g.Out().Targets[e]
					if !g.Directed() && v > u || reached && (seed%3 > 0 && i32[e] == -1 || seed%3 == 0 && of[e] == graph.NoVertex) {
						continue
					}
					first := fmt.Sprint(i32[e])
					if i32[e] == -1 {
						first = ""
					}
					from, to := u, v
					if !g.Directed() && g.IDs().Rank(v) < g.IDs().Rank(u) {
						from, to = v, u
					}
					vertex := ""
					if of[e] != graph.NoVertex {
						vertex = g.IDs().Format(of[e])
					}
					row := fmt.Sprintf("%s,%d,%d,%d,%v,%v,%v", first, i64[e], u32[e], u64[e], f32[e], f64[e], is[e])
					if rows++; seed%3 == 0 {
						row = vertex + "," + row
					} else {
						row += "," + vertex
					}
					want += fmt.Sprintf("%d,%d,%s\n", g.IDs().Int(from), g.IDs().Int(to), row)
				}
			}
			var got bytes.Buffer
			if err := arrow.WriteEdges(t.Context(), "-", g, arrow.WriteOptions{EdgeColumns: columns, ReachedOnly: reached, Stdout: &got}); err != nil {
				t.Fatal(err)
			}
			if got.String() != want {
				t.Fatalf("seed %d, reached only %v:\n%s\nwant\n%s", seed, reached, got.String(), want)
			}
			records, err := arrow.EdgeRecords(t.Context(), g, columns, arrow.RecordOptions{ReachedOnly: reached, BatchRows: 7})
			if err != nil {
				t.Fatal(err)
			}
			for records.Next() {
				rows -= int(records.Record().NumRows())
			}
			if names := records.Schema().Fields(); rows != 0 || records.Err() != nil || len(names) != 10 || names[2].Name != want[8:8+len(names[2].Name)] {
				t.Fatalf("seed %d: %d rows of records are missing, %v, %v", seed, rows, records.Schema(), records.Err())
			}
			records.Release()
			for _, format := range []string{"parquet", "arrow", "arrows", "jsonl"} {
				path := filepath.Join(t.TempDir(), "x."+format)
				if err := arrow.WriteEdges(t.Context(), path, g, arrow.WriteOptions{EdgeColumns: columns, ReachedOnly: reached}); err != nil {
					t.Fatalf("%s: %v", format, err)
				}
			}
		}
	}
}

// TestWrongEdgeResults: columns that can't be are errors, and no other function takes any.
func TestWrongEdgeResults(t *testing.T) {
	g := testgraph.Uniform(30, 3, testgraph.Undirected).Graph(1)
	n := int(g.NumDirectedEdges())
	other := testgraph.Uniform(30, 3, testgraph.Undirected).Graph(1)
	for name, c := range map[string]struct {
		column arrow.Column
		want   error
	}{
		"of vertices":     {arrow.NewColumn("x", make([]int32, 30)), arrow.ErrResult},
		"no vertices":     {arrow.NewColumn("x", make([]int32, n)).Vertices(), graph.ErrOptions},
		"the id's name":   {arrow.NewColumn("src", make([]int32, n)), graph.ErrOptions},
		"no name":         {arrow.NewColumn("", make([]int32, n)), graph.ErrOptions},
		"a zero column":   {arrow.Column{}, graph.ErrOptions},
		"two missing":     {arrow.NewColumn("x", make([]int32, n), 1, 2), graph.ErrOptions},
		"another graph's": {arrow.ValuesColumn("x", lazy[bool]{make([]bool, n), nil, other}), arrow.ErrResult},
	} {
		path := filepath.Join(t.TempDir(), "x.csv")
		if err := arrow.WriteEdges(t.Context(), path, g, arrow.WriteOptions{EdgeColumns: []arrow.Column{c.column}}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := arrow.EdgeRecords(t.Context(), nil, nil, arrow.RecordOptions{}); !errors.Is(err, graph.ErrMalformed) {
		t.Errorf("records of no graph: %v", err)
	}
	o := arrow.WriteOptions{EdgeColumns: []arrow.Column{arrow.NewColumn("x", make([]int32, n))}}
	if err := arrow.Write(t.Context(), filepath.Join(t.TempDir(), "x.csv"), g, []arrow.Column{arrow.DegreeColumn("d")}, o); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("Write takes columns of edges: %v", err)
	}
}
