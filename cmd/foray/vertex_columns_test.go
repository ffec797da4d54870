package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/io/arrow"
)

// TestConvertVertexColumns keeps columns of a table of vertices in a prepared graph, and adds some to one.
func TestConvertVertexColumns(t *testing.T) {
	dir := t.TempDir()
	edges, out, more := filepath.Join(dir, "e.csv"), filepath.Join(dir, "g.foray"), filepath.Join(dir, "more.foray")
	for path, text := range map[string]string{edges: "src,dst\n1,2\n2,3\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := edges
	edges = filepath.Join(dir, "e.parquet")
	foray(t, 0, "convert", text, edges)
	// A table of vertices is Parquet or Arrow: edges become one by their columns.
	table := columnFile(t, "people.parquet", []int64{1, 2, 3}, []int64{9, 9, 9}, []int64{30, 40, 50}, "fr", "de", "fr")
	foray(t, 0, "convert", edges, out, "--vertices", table, "--vertex-id", "src", "--vertex-columns", "ts,kind")
	check := func(path string) {
		t.Helper()
		g, _, err := arrow.OpenGraph(context.Background(), path, arrow.OpenGraphOptions{InMemory: true})
		if err != nil {
			t.Fatal(err)
		}
		age, err := g.VertexColumn("ts")
		if err != nil {
			t.Fatal(err)
		}
		country, err := g.VertexColumn("kind")
		if err != nil {
			t.Fatal(err)
		}
		for v := range uint32(3) {
			id := g.IDs().Int(v)
			if got, want := age.Values.([]int64)[v], 20+10*id; got != want {
				t.Errorf("vertex %d has %d, want %d", id, got, want)
			}
			if got, want := string(country.Dictionary.Value(int(country.Values.([]uint32)[v]))), []string{"", "fr", "de", "fr"}[id]; got != want {
				t.Errorf("vertex %d has %s, want %s", id, got, want)
			}
		}
	}
	check(out)
	if info, _ := foray(t, 0, "info", out); !strings.Contains(info, "of vertices: ts (int64), kind (2 strings)") {
		t.Errorf("info: %s", info)
	}
	bare := filepath.Join(dir, "bare.foray")
	foray(t, 0, "convert", edges, bare)
	foray(t, 0, "convert", bare, more, "--vertices", table, "--vertex-id", "src", "--vertex-columns", "ts,kind")
	check(more)
	gar := filepath.Join(dir, "gar.foray")
	foray(t, 0, "convert", filepath.Join("..", "..", "testdata", "karate.graphar", "it.graph.yml"), gar, "--vertex-columns", "degree,name", "--edge-columns", "sum")
	if info, _ := foray(t, 0, "info", gar); !strings.Contains(info, "of vertices: degree (int64), name (34 strings)") || !strings.Contains(info, "of edges: sum (float64)") {
		t.Errorf("info: %s", info)
	}
	if out, _ := foray(t, 0, "info", gar, "--json"); !strings.Contains(out, `"edge_columns"`) || !strings.Contains(out, `"type": "string"`) {
		t.Errorf("info --json: %s", out)
	}
	few := columnFile(t, "few.parquet", []int64{1}, []int64{9}, []int64{30}, "fr")
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{2, "is for .foray", []string{edges, filepath.Join(dir, "x.parquet"), "--vertices", table, "--vertex-columns", "ts"}},
		{2, "name that table in --vertices", []string{edges, out, "--vertex-columns", "ts"}},
		{2, "twice", []string{edges, out, "--vertices", table, "--vertex-id", "src", "--vertex-columns", "ts,ts"}},
		{1, `"age"`, []string{edges, out, "--vertices", table, "--vertex-id", "src", "--vertex-columns", "age"}},
		{3, "has no value", []string{edges, out, "--vertices", few, "--vertex-id", "src", "--vertex-columns", "ts"}},
	} {
		if errs := stderrOf(t, c.code, append([]string{"convert"}, c.args...)...); !strings.Contains(errs, c.says) || strings.Contains(errs, "Options.") {
			t.Errorf("%q: %s", c.args, errs)
		}
	}
	foray(t, 0, "convert", edges, out, "--vertices", few, "--vertex-id", "src", "--vertex-columns", "kind")
}
