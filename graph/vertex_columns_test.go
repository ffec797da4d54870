package graph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// vertexColumnsOf returns columns of all types whose values are determined by the external ids.
func vertexColumnsOf(g *Graph) []Column {
	n := g.NumVertices()
	i32, u32, i64, u64, f32, f64 := make([]int32, n), make([]uint32, n), make([]int64, n), make([]uint64, n), make([]float32, n), make([]float64, n)
	names, valid := Strings{Offsets: []int64{0}}, make([]bool, n)
	for v := range n {
		id := g.IDs().Int(uint32(v))
		i32[v], u32[v], i64[v], u64[v], f32[v], f64[v] = -int32(id), uint32(id), id<<40, uint64(id)<<50, float32(id), float64(id)/3
		valid[v] = id%5 != 0
		names.Data = fmt.Appendf(names.Data, "n%d", id%7)
		names.Offsets = append(names.Offsets, int64(len(names.Data)))
	}
	return []Column{{Name: "vi32", Values: i32}, {Name: "vu32", Values: u32}, {Name: "vi64", Values: i64}, {Name: "vu64", Values: u64},
		{Name: "vf32", Values: f32}, {Name: "vf64", Values: f64}, {Name: "name", Values: names, Valid: valid}}
}

// checkVertexColumns compares the columns with the external ids. Vertices whose ids aren't in known have nothing.
func checkVertexColumns(t *testing.T, what string, g *Graph, columns int, known func(id int64) bool) {
	t.Helper()
	all := g.VertexColumns()
	if len(all) != columns {
		t.Fatalf("%s: %d columns of vertices, want %d", what, len(all), columns)
	}
	for v := range g.NumVertices() {
		id := g.IDs().Int(uint32(v))
		for _, c := range all {
			ok := true
			switch a := c.Values.(type) {
			case []int32:
				ok = a[v] == -int32(id)
			case []int64:
				ok = a[v] == id<<40
			case []uint64:
				ok = a[v] == uint64(id)<<50
			case []float32:
				ok = a[v] == float32(id) || !known(id) && a[v] != a[v]
			case []float64:
				ok = a[v] == float64(id)/3 || !known(id) && math.IsNaN(a[v])
			case []uint32:
				switch {
				case c.Dictionary == nil:
					ok = a[v] == uint32(id)
				case id%5 == 0 || !known(id):
					ok = a[v] == NoCode
				default:
					ok = string(c.Dictionary.Value(int(a[v]))) == fmt.Sprint("n", id%7)
				}
			}
			if !ok {
				t.Fatalf("%s: vertex %d has another value of %s", what, id, c.Name)
			}
		}
	}
}

// TestVertexColumns keeps columns with their vertices through each method that derives a graph from another one.
func TestVertexColumns(t *testing.T) {
	ctx := context.Background()
	all := func(int64) bool { return true }
	for seed := range uint64(testlong.Rounds(40, 400)) {
		rng := rand.New(rand.NewPCG(seed, 48))
		o := randomColumnOptions(rng)
		if seed%2 == 0 {
			o.EdgeColumns, o.Merge, o.MergeBy = nil, 0, ""
		}
		build := func(rows []columnRow) *Graph {
			t.Helper()
			if o.EdgeColumns != nil {
				return withRows(t, rng, rows, o)
			}
			b := NewBuilder(o)
			e := batchOf(rows, nil)
			e.Columns = nil
			if !o.Weights {
				e.IntWeights = nil
			}
			if !o.EdgeIDs {
				e.EdgeIDs = nil
			}
			if err := b.Add(e); err != nil {
				t.Fatal(err)
			}
			g, err := b.Build(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		g := build(append(randomRows(rng, 1+rng.IntN(200), 2+rng.IntN(60)), columnRow{src: 0, dst: 1, kind: "kkk"}))
		columns := vertexColumnsOf(g)
		if err := g.AddVertexColumns(columns[:3]...); err != nil {
			t.Fatal(err)
		}
		if err := g.AddVertexColumns(columns[3:]...); err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("seed %d, %+v", seed, o)
		checkVertexColumns(t, what, g, 7, all)
		re, err := g.Reorder(ctx, ReorderOptions{Order: Order(1 + rng.IntN(2))})
		if err != nil {
			t.Fatal(err)
		}
		checkVertexColumns(t, what+", reordered", re, 7, all)
		var vs []uint32
		for v := range uint32(g.NumVertices()) {
			if rng.IntN(3) > 0 {
				vs = append(vs, v)
			}
		}
		some, err := g.InducedSubgraph(vs)
		if err != nil {
			t.Fatal(err)
		}
		checkVertexColumns(t, what+", induced", some, 7, all)
		few, err := g.FilterEdges(ctx, func(uint64, []bool) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		checkVertexColumns(t, what+", filtered", few, 7, all)

		others := randomRows(rng, 1+rng.IntN(50), 90)
		more := build(append(others, columnRow{src: 200, dst: 201, kind: "kkk"}))
		if _, err := g.Append(ctx, more, AppendOptions{KeepDuplicates: o.KeepDuplicates}); !errors.Is(err, ErrNoColumn) || !strings.Contains(err.Error(), "can't be missing") {
			t.Fatalf("%s: new vertices without integers: %v", what, err)
		}
		if err := more.AddVertexColumns(vertexColumnsOf(more)...); err != nil {
			t.Fatal(err)
		}
		both, err := g.Append(ctx, more, AppendOptions{KeepDuplicates: o.KeepDuplicates})
		if err != nil {
			t.Fatal(err)
		}
		checkVertexColumns(t, what+", appended", both, 7, all)
		less, err := both.RemoveEdges(ctx, more, AppendOptions{})
		if err != nil {
			t.Fatal(err)
		}
		checkVertexColumns(t, what+", removed", less, 7, all)

		// Floats and strings may be missing.
		was, err := few.Append(ctx, build(amongFirst(others)), AppendOptions{KeepDuplicates: o.KeepDuplicates})
		if err == nil {
			checkVertexColumns(t, what+", nothing new", was, 7, all)
		} else if !errors.Is(err, ErrNoColumn) {
			t.Fatal(err)
		}
		light := build([]columnRow{{src: 0, dst: 1, kind: "kkk"}})
		c := vertexColumnsOf(light)
		if err := light.AddVertexColumns(c[4], c[5], c[6]); err != nil {
			t.Fatal(err)
		}
		grown, err := light.Append(ctx, build([]columnRow{{src: 1, dst: 9, kind: "kkk"}}), AppendOptions{KeepDuplicates: o.KeepDuplicates})
		if err != nil {
			t.Fatal(err)
		}
		checkVertexColumns(t, what+", grown", grown, 3, func(id int64) bool { return id < 2 })
	}
}

// amongFirst returns the rows among the first vertices.
func amongFirst(rows []columnRow) []columnRow {
	for i := range rows {
		rows[i].src, rows[i].dst = 0, 1
	}
	return rows
}

// TestVertexColumnErrors refuses columns that don't fit, and finds names.
func TestVertexColumnErrors(t *testing.T) {
	b := NewBuilder(Options{EdgeColumns: []string{"ts"}, Directed: true})
	if err := b.Add(Batch{Type: Int64, Src: []int64{0, 1}, Dst: []int64{1, 2}, Columns: []Column{{Values: []int64{1, 2}}}}); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.VertexColumn("age"); !errors.Is(err, ErrNoColumn) || !strings.Contains(err.Error(), "no vertex columns") {
		t.Error(err)
	}
	for _, c := range []struct {
		column Column
		is     error
	}{
		{Column{Values: []int64{1, 2, 3}}, ErrOptions},
		{Column{Name: "\xff", Values: []int64{1, 2, 3}}, ErrOptions},
		{Column{Name: "ts", Values: []int64{1, 2, 3}}, ErrOptions},
		{Column{Name: "age", Values: []int64{1, 2}}, ErrMalformed},
		{Column{Name: "age", Values: []int16{1, 2, 3}}, ErrMalformed},
		{Column{Name: "age", Values: nil}, ErrMalformed},
		{Column{Name: "old", Values: []uint32{0, 1, 2}, Logical: "bool"}, ErrMalformed},
		{Column{Name: "age", Values: []uint32{0, 1, 2}, Dictionary: &Strings{Offsets: []int64{0, 1}, Data: []byte("a")}}, ErrMalformed},
		{Column{Name: "age", Values: Strings{Offsets: []int64{0, 1, 2, 9}, Data: []byte("abc")}}, ErrMalformed},
	} {
		if err := g.AddVertexColumns(c.column); !errors.Is(err, c.is) {
			t.Errorf("%+v: %v, want %v", c.column, err, c.is)
		}
	}
	if err := g.AddVertexColumns(Column{Name: "age", Values: []int64{1, 2, 3}}, Column{Name: "age", Values: []int64{1, 2, 3}}); !errors.Is(err, ErrOptions) || len(g.VertexColumns()) > 0 {
		t.Error(err)
	}
	if err := (*Graph)(nil).AddVertexColumns(); !errors.Is(err, ErrNoGraph) {
		t.Error(err)
	}
	// Of many goroutines that add a column of one name one succeeds.
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			errs[i] = g.AddVertexColumns(Column{Name: "age", Values: []int64{1, 2, 3}}, Column{Name: fmt.Sprint("c", i), Values: []float64{1, 2, 3}})
		})
	}
	wg.Wait()
	added := 0
	for _, err := range errs {
		if err == nil {
			added++
		}
	}
	if added != 1 || len(g.VertexColumns()) != 2 {
		t.Errorf("%d goroutines added the column; columns %v", added, g.VertexColumns())
	}
	if err := g.AddVertexColumns(Column{Name: "country", Values: Strings{Offsets: []int64{0, 2, 4, 6}, Data: []byte("frdefr")}}); err != nil {
		t.Fatal(err)
	}
	if code, err := g.Code("country", "fr"); err != nil || code != 1 {
		t.Error(code, err)
	}
	if _, err := g.Code("country", "fx"); !errors.Is(err, ErrNoColumn) || !strings.Contains(err.Error(), `did you mean "fr"`) {
		t.Error(err)
	}
	if _, err := g.Code("contry", "fr"); !errors.Is(err, ErrNoColumn) {
		t.Error(err)
	}
}
