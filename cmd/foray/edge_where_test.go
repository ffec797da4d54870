package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// TestEdgeWhere runs algorithms on the edges that meet a condition, of a table and of a prepared graph.
func TestEdgeWhere(t *testing.T) {
	table := columnFile(t, "e.parquet", []int64{1, 2, 3, 1, 4}, []int64{2, 3, 4, 2, 5}, []int64{10, 20, 30, 40, 50},
		"follows", "follows", "likes", "likes", "follows")
	prepared := filepath.Join(t.TempDir(), "e.foray")
	foray(t, 0, "convert", table, prepared, "--directed", "--edge-columns", "ts,kind", "--merge", "keep")
	for _, c := range []struct {
		condition string
		reached   string // of five, from 1
	}{
		{"kind = 'follows'", "3 of 5 vertices"},
		{"kind = 'likes'", "2 of 5 vertices"},
		{"ts <= 20 or ts >= 30 and kind = 'likes'", "4 of 5 vertices"},
		{"ts < 0", "1 of 5 vertices"},
		{"kind is not null", "5 of 5 vertices"},
	} {
		for _, in := range [][]string{{table, "--directed", "--merge", "keep"}, {prepared}} {
			args := append(append([]string{"bfs"}, in...), "--source", "1", "--edge-where", c.condition, "--validate")
			if out, _ := foray(t, 0, args...); !strings.Contains(out, c.reached) || !strings.Contains(out, "meet --edge-where") {
				t.Errorf("%q:\n%s", args, out)
			}
		}
	}
	out, _ := foray(t, 0, "cc", prepared, "--edge-where", "kind = 'follows'", "--json")
	var r struct {
		Graph struct {
			Vertices  int
			Edges     int
			EdgeWhere string `json:"edge_where"`
		}
		Counts struct{ Components int }
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.Graph.Vertices != 5 || r.Graph.Edges != 3 || r.Graph.EdgeWhere != "kind = 'follows'" || r.Counts.Components != 2 {
		t.Errorf("%v %s", err, out)
	}
	for _, args := range [][]string{{"info"}, {"run", "--do", "cc,pagerank"}, {"report", "-o", filepath.Join(t.TempDir(), "r.html"), "--source", "1"}, {"bench", "--sources", "1"}} {
		args = append(args, prepared, "--edge-where", "kind = 'follows'")
		if out, _ := foray(t, 0, args...); !strings.Contains(out, "3") {
			t.Errorf("%q:\n%s", args, out)
		}
	}
}

// TestEdgeWhereByWeight takes the weights of a prepared graph as a column.
func TestEdgeWhereByWeight(t *testing.T) {
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 2, 3, 3}, Targets: []uint32{1, 2, 2}, Weights: []float32{1, 5, 1}}, graph.CSROptions{Directed: true})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "g.foray")
	if err := arrow.WriteGraph(context.Background(), path, g, arrow.WriteGraphOptions{}); err != nil {
		t.Fatal(err)
	}
	if out, _ := foray(t, 0, "sssp", path, "--source", "0", "--edge-where", "weight > 1"); !strings.Contains(out, "1 of 3 edges meet") {
		t.Error(out)
	}
}

// TestEdgeWhereStrings notes a string that no edge has.
func TestEdgeWhereStrings(t *testing.T) {
	table := columnFile(t, "e.parquet", []int64{1, 2}, []int64{2, 3}, []int64{10, 20}, "follows", "likes")
	var out, errs bytes.Buffer
	if run([]string{"bfs", table, "--source", "1", "--edge-where", "kind = 'folows'"}, &out, &errs) != 0 || !strings.Contains(out.String(), "1 of 3 vertices") || !strings.Contains(errs.String(), `foray: --edge-where: no such string: column "kind" has no string "folows"; did you mean "follows"?`) {
		t.Errorf("%s\n%s", out.String(), errs.String())
	}
	if _, errs := foray(t, 0, "bfs", table, "--source", "1", "--edge-where", "KIND = 'follows'"); errs != "" {
		t.Error(errs)
	}
}

// TestEdgeWhereErrors names what is wrong in terms of flags.
func TestEdgeWhereErrors(t *testing.T) {
	table := columnFile(t, "e.parquet", []int64{1, 1}, []int64{2, 2}, []int64{10, 20}, "follows", "likes")
	prepared := filepath.Join(t.TempDir(), "e.foray")
	foray(t, 0, "convert", table, prepared, "--edge-columns", "kind", "--merge", "first")
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{2, "--edge-where: ", []string{prepared, "--edge-where", "kind ="}},
		{1, `did you mean "kind"`, []string{prepared, "--edge-where", "knd = 'likes'"}},
		{1, "compare it with a string", []string{prepared, "--edge-where", "kind > 3"}},
		{2, "leave it out", []string{prepared, "--edge-where", "kind = 'likes'", "--merge", "first"}},
		{1, "--merge first", []string{table, "--edge-where", "kind = 'likes'"}},
		{2, "want first, least:COLUMN", []string{table, "--edge-where", "kind = 'likes'", "--merge", "last"}},
		{2, "a condition on these in --edge-where", []string{table, "--merge", "first"}},
		{1, "--edge-where names it", []string{table, "--edge-where", "nothing = 3", "--merge", "first"}},
		{2, "columns are read from files", []string{"gen:kron4", "--edge-where", "kind = 'likes'"}},
		{2, "--two-pass", []string{table, "--edge-where", "kind = 'likes'", "--two-pass"}},
	} {
		args := append([]string{"bfs", "--source", "1"}, c.args...)
		if errs := stderrOf(t, c.code, args...); !strings.Contains(errs, c.says) || strings.Contains(errs, "Options.") {
			t.Errorf("%q: %s", args, errs)
		}
	}
}
