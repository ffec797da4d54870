package main

import (
	"context"
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
		{2, "is text", []string{"append", out, text}},
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
