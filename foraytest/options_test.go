package foraytest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// TestOptionsGraphs names what is wrong with the graphs of Options.
func TestOptionsGraphs(t *testing.T) {
	one := Graphs(1)[0]
	empty, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0}}, graph.CSROptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    Options
		says string
	}{
		{Options{Graphs: []Graph{}}, "Options.Graphs is empty"},
		{Options{Graphs: []Graph{one, {Name: "mine"}}}, `Options.Graphs[1], named "mine"`},
		{Options{Graphs: []Graph{{"empty", empty}}}, "no graph of Options.Graphs has a vertex"},
		{Options{Keep: func(*graph.Graph) bool { return false }}, "Options.Keep leaves no graph"},
	} {
		if _, err := c.o.graphs(); !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v; want %q", err, c.says)
		}
	}
	for _, o := range []Options{{}, {Graphs: []Graph{one}}, {Unsorted: true}} {
		if some, err := o.graphs(); err != nil || len(some) == 0 {
			t.Errorf("%d graphs, %v", len(some), err)
		}
	}
}

// TestOnlyTests: a folder of tests alone needs no generated functors; one without a Go file is no package.
func TestOnlyTests(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x_test.go"), []byte("package x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := checkFunctors(t.Context(), dir); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.go"), []byte("package b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := checkFunctors(t.Context(), dir); err == nil {
		t.Error("two packages are none")
	}
}
