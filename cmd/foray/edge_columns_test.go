package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// columnFile writes edges with columns ts and kind to a Parquet file.
func columnFile(t *testing.T, name string, src, dst, ts []int64, kinds ...string) string {
	t.Helper()
	s := graph.Strings{Offsets: []int64{0}}
	for _, k := range kinds {
		s.Data = append(s.Data, k...)
		s.Offsets = append(s.Offsets, int64(len(s.Data)))
	}
	b := graph.NewBuilder(graph.Options{Directed: true, KeepDuplicates: true, EdgeColumns: []string{"ts", "kind"}})
	if err := b.Add(graph.Batch{Type: graph.Int64, Src: src, Dst: dst, Columns: []graph.Column{{Values: ts}, {Values: s}}}); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := arrow.WriteEdges(context.Background(), path, g, arrow.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConvertEdgeColumns(t *testing.T) {
	path := columnFile(t, "e.parquet", []int64{1, 2, 1}, []int64{2, 3, 2}, []int64{10, 20, 5}, "follows", "likes", "likes")
	out := filepath.Join(t.TempDir(), "e.foray")
	if errs := stderrOf(t, 1, "convert", path, out, "--directed", "--edge-columns", "ts,kind"); !strings.Contains(errs, "several edges between 1 and 2") || !strings.Contains(errs, "--merge") || strings.Contains(errs, "Options.") {
		t.Errorf("repeated edges: %s", errs)
	}
	foray(t, 0, "convert", path, out, "--directed", "--edge-columns", "ts,kind", "--merge", "least:ts")
	check := func(ts []int64, kinds ...string) {
		t.Helper()
		g, _, err := arrow.OpenGraph(context.Background(), out, arrow.OpenGraphOptions{InMemory: true})
		if err != nil {
			t.Fatal(err)
		}
		c := g.EdgeColumns()
		var got []string
		for _, code := range c[1].Values.([]uint32) {
			got = append(got, string(c[1].Dictionary.Value(int(code))))
		}
		if !slices.Equal(c[0].Values.([]int64), ts) || !slices.Equal(got, kinds) {
			t.Errorf("%v %v, want %v %v", c[0].Values, got, ts, kinds)
		}
	}
	check([]int64{5, 20}, "likes", "likes")
	if info, _ := foray(t, 0, "info", out); !strings.Contains(info, "of edges: ts (int64), kind (2 strings)") {
		t.Errorf("info: %s", info)
	}
	// An edge that the graph has stays.
	foray(t, 0, "append", out, columnFile(t, "more.parquet", []int64{3, 1}, []int64{1, 2}, []int64{7, 99}, "blocks", "follows"))
	check([]int64{5, 20, 7}, "likes", "likes", "blocks")
	text := filepath.Join(t.TempDir(), "e.el")
	foray(t, 0, "convert", path, text)
	bare := filepath.Join(t.TempDir(), "bare.parquet")
	foray(t, 0, "convert", path, bare)
	for _, c := range []struct {
		want  int
		words string
		args  []string
	}{
		{1, `column "ts"`, []string{"append", out, bare}},
		{1, "the text has no header", []string{"append", out, text}},
		{2, "for .foray", []string{"convert", path, bare, "--edge-columns", "ts"}},
		{2, "name these in --edge-columns", []string{"convert", path, out, "--merge", "first"}},
		{2, "want first, least:COLUMN, greatest:COLUMN or keep", []string{"convert", path, out, "--edge-columns", "ts", "--merge", "last"}},
		{2, "--merge", []string{"convert", path, out, "--edge-columns", "ts", "--merge", "least:kind"}},
		{2, "there twice", []string{"convert", path, out, "--edge-columns", "ts,ts"}},
		{1, `did you mean "kind"`, []string{"convert", path, out, "--edge-columns", "kin"}},
	} {
		if errs := stderrOf(t, c.want, c.args...); !strings.Contains(errs, c.words) || strings.Contains(errs, "Options.") {
			t.Errorf("%v: %s; want %s", c.args, errs, c.words)
		}
	}
}

// textFile writes a text.
func textFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTextColumns reads columns of edges and vertices from CSV and JSON lines, with types that fit several files.
func TestTextColumns(t *testing.T) {
	csv := textFile(t, "e.csv", "src,dst,ts,kind,day\n1,2,10,follows,2026-01-01\n2,3,20,likes,2026-01-02\n1,2,5,,2026-01-03\n")
	lines := textFile(t, "e.jsonl", `{"src":3,"dst":4,"ts":2.5,"kind":"follows","day":"2026-01-04"}`+"\n"+`{"src":1,"dst":2,"ts":1,"day":"2026-01-05"}`+"\n")
	out := filepath.Join(t.TempDir(), "e.foray")
	check := func(want string) {
		t.Helper()
		g, _, err := arrow.OpenGraph(context.Background(), out, arrow.OpenGraphOptions{InMemory: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range g.EdgeColumns() {
			values := fmt.Sprint(c.Values)
			if c.Dictionary != nil {
				values = fmt.Sprint(string(c.Dictionary.Data), int32s(c.Values.([]uint32)))
			}
			got = append(got, values+c.Logical)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s, want %s", s, want)
		}
	}
	args := []string{"convert", csv, lines, out, "--directed", "--edge-columns", "ts,kind,day"}
	foray(t, 0, append(args, "--merge", "first")...)
	check("[10 20 2.5] followslikes[0 1 0] [20454 20455 20457]date32")
	foray(t, 0, append(args, "--merge", "least:ts")...) // of another file
	check("[1 20 2.5] followslikes[-1 1 0] [20458 20455 20457]date32")
	// Columns that are appended have the types of the graph.
	foray(t, 0, "append", out, textFile(t, "more.csv", "src,dst,ts,kind,day\n4,1,7,likes,2026-02-01\n"))
	check("[1 20 2.5 7] followslikes[-1 1 0 1] [20458 20455 20457 20485]date32")
	if errs := stderrOf(t, 1, "append", out, textFile(t, "bad.csv", "src,dst,ts,kind,day\n4,1,x,likes,2026-02-01\n")); !strings.Contains(errs, `column "ts" holds "x"`) || !strings.Contains(errs, "convert its edges again") {
		t.Error(errs)
	}
	for _, c := range []struct{ condition, want string }{
		{"kind = 'follows' and ts >= 5", "2 of 4 vertices"},
		{"day <= 2026-01-02", "3 of 4 vertices"},
	} {
		if s, _ := foray(t, 0, "bfs", csv, lines, "--directed", "--source", "1", "--edge-where", c.condition, "--merge", "keep"); !strings.Contains(s, c.want) {
			t.Errorf("%s: %s", c.condition, s)
		}
	}
	if s, _ := foray(t, 0, "reach", csv, lines, "--directed", "--source", "1", "--time", "day", "--departure", "2026-01-01"); !strings.Contains(s, "4 vertices") {
		t.Error(s)
	}
	holes := textFile(t, "holes.csv", "src,dst,ts\n1,2,10\n2,3,\n3,4,7\n")
	if errs := stderrOf(t, 3, "bfs", holes, "--source", "1", "--edge-where", "ts > 1"); !strings.Contains(errs, `holes.csv:3: an edge without "ts"`) || !strings.Contains(errs, "--nulls skip") {
		t.Error(errs)
	}
	if s, _ := foray(t, 0, "info", holes, "--edge-where", "ts > 1", "--nulls", "skip"); !strings.Contains(s, "1 row of text skipped") {
		t.Error(s)
	}
	if errs := stderrOf(t, 1, "bfs", holes, "--source", "1", "--edge-where", "tss > 1"); !strings.Contains(errs, `did you mean "ts"`) || strings.Contains(errs, "Options.") {
		t.Error(errs)
	}
	people := textFile(t, "people.csv", "id,age,name\n1,30,ann\n2,40,bob\n3,50,\n4,20.5,dan\n")
	foray(t, 0, "convert", csv, lines, out, "--edge-columns", "ts", "--merge", "first", "--vertices", people, "--vertex-columns", "age,name")
	if info, _ := foray(t, 0, "info", out); !strings.Contains(info, "of vertices: age (float64), name (3 strings)") {
		t.Errorf("info: %s", info)
	}
	table := filepath.Join(t.TempDir(), "people.parquet")
	b := columnFile(t, "p.parquet", []int64{1, 2, 3, 4}, []int64{9, 9, 9, 9}, []int64{30, 40, 50, 60}, "fr", "de", "fr", "de")
	foray(t, 0, "convert", csv, lines, out, "--vertices", b, "--vertex-id", "src", "--vertex-columns", "kind")
	if info, _ := foray(t, 0, "info", out); !strings.Contains(info, "of vertices: kind (2 strings)") {
		t.Errorf("info: %s", info)
	}
	bare := filepath.Join(t.TempDir(), "bare.foray")
	foray(t, 0, "convert", csv, lines, bare)
	foray(t, 0, "convert", bare, out, "--vertices", people, "--vertex-columns", "age")
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{2, "read of one of both", []string{csv, table + ".foray", "--vertices", people, "--vertices", b, "--vertex-columns", "age"}},
		{3, "isn't in the list", []string{csv, out, "--vertices", textFile(t, "few.csv", "id,age\n1,3\n"), "--vertex-columns", "age"}},
		{1, "--vertex-columns names column", []string{csv, out, "--vertices", people, "--vertex-columns", "aga"}},
	} {
		if errs := stderrOf(t, c.code, append([]string{"convert"}, c.args...)...); !strings.Contains(errs, c.says) || strings.Contains(errs, "Options.") {
			t.Errorf("%q: %s", c.args, errs)
		}
	}
}

// int32s shows the code of a missing string as -1.
func int32s(codes []uint32) (all []int32) {
	for _, c := range codes {
		all = append(all, int32(c))
	}
	return all
}
