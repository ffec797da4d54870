package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// TestEmptyPreparedSource: a graph without vertices has no source, and no command panics.
func TestEmptyPreparedSource(t *testing.T) {
	dir := t.TempDir()
	csv, empty := filepath.Join(dir, "e.csv"), filepath.Join(dir, "e.foray")
	if err := os.WriteFile(csv, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	foray(t, 0, "convert", csv, empty)
	for _, command := range [][]string{{"bfs"}, {"closeness"}, {"bc"}, {"bfs", "--json"}} {
		args := append(command, empty, "--source", "0")
		if errs := stderrOf(t, 1, args...); strings.Contains(errs, "panic") || strings.Contains(errs, "internal error") {
			t.Errorf("%q: %s", args, errs)
		}
	}
}

// TestEmptyKeepsTypes: the columns of a table without rows keep their types when the table is prepared.
func TestEmptyKeepsTypes(t *testing.T) {
	some := columnFile(t, "e.parquet", []int64{1}, []int64{2}, []int64{1}, "a")
	g, err := arrow.Load(t.Context(), some, arrow.Options{EdgeColumns: []string{"ts", "kind"}, Graph: graph.Options{Directed: true}})
	if err != nil {
		t.Fatal(err)
	}
	none, err := arrow.FilterEdges(t.Context(), g, "ts > 5")
	if err != nil {
		t.Fatal(err)
	}
	empty, list := filepath.Join(t.TempDir(), "none.parquet"), textFile(t, "v.txt", "1\n2\n")
	if err := arrow.WriteEdges(t.Context(), empty, none, arrow.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{nil, {"--vertices", list}} {
		out := filepath.Join(t.TempDir(), "g.foray")
		foray(t, 0, append([]string{"convert", empty, out, "--directed", "--edge-columns", "ts,kind"}, more...)...)
		if info, _ := foray(t, 0, "info", out); !strings.Contains(info, "of edges: ts (int64), kind (0 strings)") {
			t.Errorf("%q: %s", more, info)
		}
		foray(t, 0, "append", out, some)
		if info, _ := foray(t, 0, "info", out); !strings.Contains(info, "of edges: ts (int64), kind (1 string)") {
			t.Errorf("%q: %s", more, info)
		}
	}
}

// TestAppendKeepsParallel: a graph that has parallel edges with columns keeps those that are added.
func TestAppendKeepsParallel(t *testing.T) {
	first := columnFile(t, "1.parquet", []int64{1, 1}, []int64{2, 2}, []int64{1, 2}, "a", "b")
	more := columnFile(t, "2.parquet", []int64{5, 5}, []int64{6, 6}, []int64{3, 4}, "a", "b")
	kept := filepath.Join(t.TempDir(), "k.foray")
	foray(t, 0, "convert", first, kept, "--directed", "--edge-columns", "ts,kind", "--merge", "keep")
	foray(t, 0, "append", kept, more)
	g, _, err := arrow.OpenGraph(t.Context(), kept, arrow.OpenGraphOptions{InMemory: true})
	if err != nil || g.NumEdges() != 4 {
		t.Errorf("%d edges, want 4; %v", g.NumEdges(), err)
	}
}
