package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
