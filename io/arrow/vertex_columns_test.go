package arrow_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// valueText returns a value of a column as text.
func valueText(c *graph.Column, i int) string {
	if c.Dictionary != nil {
		code := c.Values.([]uint32)[i]
		if code == graph.NoCode {
			return "missing"
		}
		return fmt.Sprintf("%q", c.Dictionary.Value(int(code)))
	}
	switch a := c.Values.(type) {
	case []int32:
		return fmt.Sprint(a[i])
	case []uint32:
		return fmt.Sprint(a[i])
	case []int64:
		return fmt.Sprint(a[i])
	case []uint64:
		return fmt.Sprint(a[i])
	case []float32:
		return fmt.Sprint(a[i])
	case []float64:
		return fmt.Sprint(a[i])
	}
	return ""
}

// TestVertexColumnsLoaded compares the columns of vertices with the rows of their table: edges with columns of all types,
// each from another vertex.
func TestVertexColumnsLoaded(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(testlong.Rounds(2, 10)) {
		r := rand.New(rand.NewPCG(seed, 49))
		rows := columnGraph(t, r, true)
		want := rows.EdgeColumns()
		n := int(rows.NumEdges())
		src, dst := make([]int64, n), make([]int64, n)
		for e := range n {
			src[e], dst[e] = int64(e), int64(n)
		}
		b := graph.NewBuilder(graph.Options{Directed: true, EdgeColumns: allColumns})
		batch := graph.Batch{Type: graph.Int64, Src: src, Dst: dst}
		for _, c := range want {
			if c.Dictionary != nil {
				s, valid := graph.Strings{Offsets: []int64{0}, Binary: c.Dictionary.Binary}, make([]bool, n)
				for e, code := range c.Values.([]uint32) {
					if valid[e] = code != graph.NoCode; valid[e] {
						s.Data = append(s.Data, c.Dictionary.Value(int(code))...)
					}
					s.Offsets = append(s.Offsets, int64(len(s.Data)))
				}
				c.Values, c.Valid, c.Dictionary = s, valid, nil
			}
			batch.Columns = append(batch.Columns, c)
		}
		if err := b.Add(batch); err != nil {
			t.Fatal(err)
		}
		star, err := b.Build(ctx)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		people, edges := filepath.Join(dir, []string{"people.parquet", "people.arrow"}[seed%2]), filepath.Join(dir, "edges.parquet")
		bare, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 1, 1}, Targets: []uint32{1}}, graph.CSROptions{Directed: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(arrow.WriteEdges(ctx, people, star, arrow.WriteOptions{}), arrow.WriteEdges(ctx, edges, bare, arrow.WriteOptions{})); err != nil {
			t.Fatal(err)
		}
		o := arrow.Options{Vertices: &arrow.VertexTable{Paths: []string{people}, ID: "src"}, VertexColumns: allColumns, Graph: graph.Options{Order: graph.Order(seed % 3)}}
		g, err := arrow.Load(ctx, edges, o)
		if n < 2 {
			continue // vertex 1 has no row
		}
		if err != nil {
			t.Fatal(err)
		}
		prepared := filepath.Join(dir, "g.foray")
		if err := arrow.WriteGraph(ctx, prepared, g, arrow.WriteGraphOptions{}); err != nil {
			t.Fatal(err)
		}
		opened, _, err := arrow.OpenGraph(ctx, prepared, arrow.OpenGraphOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range []*graph.Graph{g, opened} {
			for i, c := range g.VertexColumns() {
				if c.Name != want[i].Name || c.Logical != want[i].Logical || fmt.Sprintf("%T", c.Values) != fmt.Sprintf("%T", want[i].Values) {
					t.Fatalf("column %s (%s, %T), want %s (%s, %T)", c.Name, c.Logical, c.Values, want[i].Name, want[i].Logical, want[i].Values)
				}
				for v := range uint32(g.NumVertices()) {
					if got, is := valueText(&c, int(v)), valueText(&want[i], int(g.IDs().Int(v))); got != is {
						t.Fatalf("seed %d: %s of vertex %d is %s, want %s", seed, c.Name, g.IDs().Int(v), got, is)
					}
				}
			}
			if len(g.VertexColumns()) != len(allColumns) {
				t.Fatalf("%d columns", len(g.VertexColumns()))
			}
		}
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestVertexColumnsMissing loads vertices that the table lacks, and options that can't be.
func TestVertexColumnsMissing(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	people, edges := filepath.Join(dir, "people.parquet"), filepath.Join(dir, "edges.parquet")
	b := graph.NewBuilder(graph.Options{Directed: true, EdgeColumns: []string{"age", "score", "name"}})
	if err := b.Add(graph.Batch{Type: graph.Int64, Src: []int64{1, 2}, Dst: []int64{7, 7}, Columns: []graph.Column{{Values: []int64{30, 40}}, {Values: []float64{0.5, 1.5}},
		{Values: graph.Strings{Offsets: []int64{0, 1, 2}, Data: []byte("ab")}}}}); err != nil {
		t.Fatal(err)
	}
	star, err := b.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 0, 1, 1, 1}, Targets: []uint32{3}}, graph.CSROptions{Directed: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(arrow.WriteEdges(ctx, people, star, arrow.WriteOptions{}), arrow.WriteEdges(ctx, edges, bare, arrow.WriteOptions{})); err != nil {
		t.Fatal(err)
	}
	table := &arrow.VertexTable{Paths: []string{people}, ID: "src"}
	g, err := arrow.Load(ctx, edges, arrow.Options{Vertices: table, VertexColumns: []string{"score", "name"}})
	if err != nil {
		t.Fatal(err)
	}
	score, err := g.VertexColumn("score")
	if err != nil {
		t.Fatal(err)
	}
	name, err := g.VertexColumn("name")
	if err != nil {
		t.Fatal(err)
	}
	for v := range uint32(g.NumVertices()) {
		id, x, s := g.IDs().Int(v), score.Values.([]float64)[v], valueText(&name, int(v))
		if lacks := id == 3; lacks != math.IsNaN(x) || lacks != (s == "missing") {
			t.Errorf("vertex %d has %v, %s", id, x, s)
		}
	}
	for _, c := range []struct {
		o    arrow.Options
		is   error
		says string
	}{
		{arrow.Options{Vertices: table, VertexColumns: []string{"age"}}, arrow.ErrNull, `vertex 3 has no value in the column "age"`},
		{arrow.Options{VertexColumns: []string{"age"}}, graph.ErrOptions, "name that table in Options.Vertices"},
		{arrow.Options{Vertices: table, VertexColumns: []string{"score", "score"}}, graph.ErrOptions, "twice"},
		{arrow.Options{Vertices: table, VertexColumns: []string{"nothing"}}, arrow.ErrColumn, `"nothing"`},
	} {
		if _, err := arrow.Load(ctx, edges, c.o); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.o.VertexColumns, err)
		}
	}
	// What is a column of the graph alone is no property of results.
	d, err := arrow.Open(ctx, []string{edges}, arrow.Options{Vertices: &arrow.VertexTable{Paths: []string{people}, ID: "src", Properties: []string{"name"}}, VertexColumns: []string{"score"}})
	if err != nil {
		t.Fatal(err)
	}
	if g, err = d.Load(ctx); err != nil {
		t.Fatal(err)
	}
	p, err := d.Properties(ctx, g)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range p.Fields() {
		names = append(names, f.Name)
	}
	if !slices.Equal(names, []string{"name"}) || len(g.VertexColumns()) != 1 {
		t.Errorf("properties %v, columns %v", names, g.VertexColumns())
	}
}
