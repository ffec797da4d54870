// This file tests tables whose rows come in batches of columns.

package write

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// tens returns a graph with ids 10, 20, 30 and 40 in that order.
func tens(t *testing.T) *graph.Graph {
	t.Helper()
	b := graph.NewBuilder(graph.Options{Order: graph.OrderGiven})
	if err := b.Add(graph.Batch{Src: []int64{10, 20, 30}, Dst: []int64{20, 30, 40}}); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// tableOf returns a batch of pairs, scores and lists.
func tableOf(vertices []uint32, scores []float64, offsets []int, elements []uint32) []ResultColumn {
	return []ResultColumn{{Name: "vertex", Values: vertices, Vertices: true}, {Name: "score", Values: scores}, {Name: "walk", Values: elements, Vertices: true, Lists: offsets}}
}

// batchesOf reads batches.
func batchesOf(all ...[]ResultColumn) func(context.Context, func([]ResultColumn) error) error {
	return func(_ context.Context, yield func([]ResultColumn) error) error {
		for _, b := range all {
			if err := yield(b); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestWriteTable(t *testing.T) {
	g := tens(t)
	like := tableOf([]uint32{}, []float64{}, []int{0}, []uint32{})
	one := tableOf([]uint32{1, 3}, []float64{0.5, 2}, []int{0, 3, 3}, []uint32{1, 2, 0})
	two := tableOf([]uint32{0, graph.NoVertex}, []float64{1, 3}, []int{1, 2, 3}, []uint32{9, 3, 3}) // what lists leave out may be anything but no vertex
	two[2].Values = []uint32{0, 3, 3}
	for format, want := range map[string]string{
		"csv":   "vertex,score,walk\n20,0.5,20;30;10\n40,2,\"\"\n10,1,40\n,3,40\n",
		"jsonl": `{"vertex":20,"score":0.5,"walk":[20,30,10]}` + "\n" + `{"vertex":40,"score":2,"walk":[]}` + "\n" + `{"vertex":10,"score":1,"walk":[40]}` + "\n" + `{"vertex":null,"score":3,"walk":[40]}` + "\n",
	} {
		var out bytes.Buffer
		if err := WriteTable(t.Context(), "-", g, like, batchesOf(one, two), WriteOptions{Format: format, Stdout: &out}); err != nil || out.String() != want {
			t.Errorf("%s, %v, want %s", out.String(), err, want)
		}
	}
	var out bytes.Buffer
	if err := WriteTable(t.Context(), "-", g, like, batchesOf(), WriteOptions{Stdout: &out}); err != nil || out.String() != "vertex,score,walk\n" {
		t.Errorf("%s, %v", out.String(), err)
	}
}

// TestWriteTableRandom reads random tables back from Parquet and Arrow, of more rows and longer lists than a batch has.
func TestWriteTableRandom(t *testing.T) {
	g, r := tens(t), rand.New(rand.NewPCG(1, 2))
	like := tableOf([]uint32{}, []float64{}, []int{0}, []uint32{})
	for round := range 12 {
		var batches [][]ResultColumn
		var want []string
		for range r.IntN(4) {
			rows, longest := r.IntN(300), 5
			switch r.IntN(4) {
			case 0:
				rows = 70_000
			case 1:
				rows, longest = 3, 300_000
			}
			var vertices, elements []uint32
			var scores []float64
			offsets := []int{0}
			for range rows {
				vertices, scores = append(vertices, r.Uint32N(4)), append(scores, float64(r.IntN(1000)))
				begin := len(elements)
				for range r.IntN(longest) {
					elements = append(elements, r.Uint32N(4))
				}
				offsets = append(offsets, len(elements))
				var list []string
				for _, v := range elements[begin:] {
					list = append(list, strconv.Itoa(int(v)*10+10))
				}
				want = append(want, fmt.Sprint(vertices[len(vertices)-1]*10+10, " ", scores[len(scores)-1], " ", strings.Join(list, samples.ListJoint)))
			}
			batches = append(batches, tableOf(vertices, scores, offsets, elements))
		}
		path := filepath.Join(t.TempDir(), []string{"x.parquet", "x.arrow"}[round%2])
		if err := WriteTable(t.Context(), path, g, like, batchesOf(batches...), WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range readBack(t, path).rows {
			got = append(got, strings.Join(row, " "))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("round %d: %d rows differ from %d", round, len(got), len(want))
		}
	}
}

// TestTableRecords compares records with the rows of a file, of more rows and longer lists than a batch has.
func TestTableRecords(t *testing.T) {
	g, r := tens(t), rand.New(rand.NewPCG(3, 4))
	for _, c := range [][2]int{{0, 1}, {1, 1}, {5, 4}, {70_000, 3}, {3, 300_000}} {
		var vertices, elements []uint32
		var scores []float64
		offsets := []int{0}
		for range c[0] {
			vertices, scores = append(vertices, r.Uint32N(4)), append(scores, float64(r.IntN(1000)))
			for range r.IntN(c[1]) {
				elements = append(elements, r.Uint32N(4))
			}
			offsets = append(offsets, len(elements))
		}
		if c[0] == 0 {
			vertices, scores, elements = []uint32{}, []float64{}, []uint32{}
		}
		table, path := tableOf(vertices, scores, offsets, elements), filepath.Join(t.TempDir(), "x.arrow")
		if err := WriteTable(t.Context(), path, g, table, batchesOf(table), WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		mem, most := memory.NewCheckedAllocator(memory.NewGoAllocator()), batchRows
		records, err := TableRecords(t.Context(), g, table, RecordOptions{Allocator: mem})
		if err != nil {
			t.Fatal(err)
		}
		got, want := readRecords(t, records, most), readBack(t, path)
		if records.Err() != nil {
			t.Fatal(records.Err())
		}
		got.equal(t, want.names, want.types, want.rows)
		records.Release()
		mem.AssertSize(t, 0)
	}
	if err := g.Close(); err != nil { // nothing holds it
		t.Fatal(err)
	}
	g = tens(t)
	for what, f := range map[string]func() ([]ResultColumn, RecordOptions){
		"rows": func() ([]ResultColumn, RecordOptions) {
			return tableOf([]uint32{1}, []float64{0.5, 1}, []int{0, 1}, []uint32{1}), RecordOptions{}
		},
		"vertex": func() ([]ResultColumn, RecordOptions) {
			return tableOf([]uint32{4}, []float64{0.5}, []int{0, 1}, []uint32{1}), RecordOptions{}
		},
		"none": func() ([]ResultColumn, RecordOptions) { return nil, RecordOptions{} },
		"reached": func() ([]ResultColumn, RecordOptions) {
			return tableOf([]uint32{1}, []float64{1}, []int{0, 1}, []uint32{1}), RecordOptions{ReachedOnly: true}
		},
	} {
		columns, o := f()
		if r, err := TableRecords(t.Context(), g, columns, o); err == nil {
			r.Release()
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := TableRecords(t.Context(), nil, nil, RecordOptions{}); !errors.Is(err, ErrResult) {
		t.Error(err)
	}
}

func TestWriteTableErrors(t *testing.T) {
	g := tens(t)
	like := tableOf([]uint32{}, []float64{}, []int{0}, []uint32{})
	good := func() []ResultColumn { return tableOf([]uint32{1}, []float64{0.5}, []int{0, 1}, []uint32{1}) }
	for what, c := range map[string]struct {
		change func(b []ResultColumn) []ResultColumn
		want   string
	}{
		"columns":  {func(b []ResultColumn) []ResultColumn { return b[:2] }, "2 columns"},
		"name":     {func(b []ResultColumn) []ResultColumn { b[1].Name = "x"; return b }, `column 1 of a batch is "x"`},
		"type":     {func(b []ResultColumn) []ResultColumn { b[1].Values = []float32{1}; return b }, "[]float32"},
		"rows":     {func(b []ResultColumn) []ResultColumn { b[1].Values = []float64{1, 2}; return b }, "has 2 rows"},
		"vertex":   {func(b []ResultColumn) []ResultColumn { b[0].Values = []uint32{4}; return b }, "vertex 4 of 4"},
		"element":  {func(b []ResultColumn) []ResultColumn { b[2].Values = []uint32{graph.NoVertex}; return b }, "of 4"},
		"offsets":  {func(b []ResultColumn) []ResultColumn { b[2].Lists = []int{0, 2}; return b }, "offsets"},
		"backward": {func(b []ResultColumn) []ResultColumn { b[2].Lists = []int{1, 0}; return b }, "-1 vertices"},
		"make":     {func(b []ResultColumn) []ResultColumn { b[1].Make = Degrees; return b }, "column of vertices' values"},
	} {
		err := WriteTable(t.Context(), filepath.Join(t.TempDir(), "x.parquet"), g, like, batchesOf(c.change(good())), WriteOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	stop := errors.New("stop")
	read := func(context.Context, func([]ResultColumn) error) error { return stop }
	if err := WriteTable(t.Context(), "-", g, like, read, WriteOptions{Stdout: &bytes.Buffer{}}); err != stop {
		t.Error(err)
	}
	for what, o := range map[string]WriteOptions{"sort": {SortByID: true}, "reached": {ReachedOnly: true}, "partition": {PartitionBy: "vertex"}} {
		if err := WriteTable(t.Context(), filepath.Join(t.TempDir(), "x.parquet"), g, like, batchesOf(), o); !errors.Is(err, ErrOutputOption) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if err := WriteTable(t.Context(), "-", g, nil, batchesOf(), WriteOptions{}); err == nil {
		t.Error("a table without columns is written")
	}
	if err := WriteTable(t.Context(), "-", nil, like, batchesOf(), WriteOptions{}); !errors.Is(err, ErrResult) {
		t.Error(err)
	}
	if err := WriteColumns(t.Context(), "-", g, good()[2:], WriteOptions{}); err == nil || !strings.Contains(err.Error(), "lists") {
		t.Error(err)
	}
}
