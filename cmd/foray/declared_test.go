// This file tests, by command and in Go, that vertices which an input declares count in every
// algorithm, whether they have edges or not.

package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/edgelist"
)

// declaredInputs are the edges 1-2 and 2-3 among the vertices 1 to 5, as command lines.
func declaredInputs(t *testing.T) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mtx := file("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n5 5 2\n1 2\n2 3\n")
	csv, jsonl := file("e.csv", "src,dst\n1,2\n2,3\n"), file("e.jsonl", `{"src":1,"dst":2}`+"\n"+`{"src":2,"dst":3}`+"\n")
	el := file("e.el", "1 2\n2 3\n")
	people, list, objects := file("v.csv", "name,id\nx,5\ny,4\nz,1\n"), file("v.txt", "4\n5\n1\n"), file("v.jsonl", `{"id":1}`+"\n"+`{"id":4}`+"\n"+`{"id":5}`+"\n")
	parquet, table := filepath.Join(dir, "e.parquet"), filepath.Join(dir, "v.parquet")
	foray(t, 0, "convert", csv, parquet)
	foray(t, 0, "convert", file("p.csv", "src,dst\n1,0\n4,0\n5,0\n"), table)
	prepared, grown, later := filepath.Join(dir, "g.foray"), filepath.Join(dir, "a.foray"), filepath.Join(dir, "b.foray")
	foray(t, 0, "convert", mtx, prepared)
	foray(t, 0, "convert", csv, grown)
	foray(t, 0, "append", grown, file("more.gr", "p sp 5 1\na 1 2 7\n"))
	foray(t, 0, "convert", csv, later)
	foray(t, 0, "append", later, "--vertices", list)
	return map[string][]string{
		"mtx": {mtx}, "mtx dense": {mtx, "--ids", "dense"}, "mtx in two passes": {mtx, "--two-pass", "--ids", "dense"}, "banner": {file("b.txt", read(t, mtx))},
		"gr": {file("g.gr", "p sp 5 4\na 1 2 1\na 2 1 1\na 2 3 1\na 3 2 1\n")}, "metis": {file("g.metis", "5 2\n2\n1 3\n2\n\n\n")},
		"metis dense": {filepath.Join(dir, "g.metis"), "--ids", "dense"}, "gr dense": {filepath.Join(dir, "g.gr"), "--ids", "dense"},
		"two": {mtx, file("h.gr", "p sp 4 0\n")}, "two dense": {mtx, filepath.Join(dir, "h.gr"), "--ids", "dense"}, "with text": {mtx, el},
		"foray": {prepared}, "append": {grown}, "append vertices": {later},
		"csv with csv": {csv, "--vertices", people}, "csv with text": {csv, "--vertices", list}, "csv with jsonl": {csv, "--vertices", objects},
		"csv with parquet": {csv, "--vertices", table, "--vertex-id", "src"}, "jsonl with csv": {jsonl, "--vertices", people, "--two-pass"}, "el with jsonl": {el, "--vertices", objects},
		"parquet with csv": {parquet, "--vertices", people}, "parquet with text": {parquet, "--vertices", list, "--two-pass"}, "parquet with parquet": {parquet, "--vertices", table, "--vertex-id", "src"},
		"several lists": {csv, "--vertices", list, "--vertices", people}, "a named column": {csv, "--vertices", people, "--vertex-id", "id"},
	}
}

// TestDeclared wants of every input what the definitions give for five vertices.
func TestDeclared(t *testing.T) {
	testlong.Project(t)
	for name, in := range declaredInputs(t) {
		t.Run(name, func(t *testing.T) {
			out, _ := foray(t, 0, append([]string{"info"}, in...)...)
			contains(t, out, "vertices       5\n", "edges          2, undirected", "2 isolated vertices")
			rows := func(args ...string) [][]string {
				t.Helper()
				out, _ := foray(t, 0, slices.Concat(args[:1], in, args[1:], []string{"-o", "-", "--sort", "id"})...)
				all, err := csv.NewReader(strings.NewReader(out)).ReadAll()
				if err != nil || len(all) != 6 {
					t.Fatalf("%v: %v, %v", args, all, err)
				}
				for i := range all[1:] {
					if all[1+i][0] != strconv.Itoa(i+1) {
						t.Fatalf("%v: %v", args, all)
					}
				}
				return all[1:]
			}
			numbers := func(what string, rows [][]string, want ...float64) {
				t.Helper()
				for i, w := range want {
					if x, err := strconv.ParseFloat(rows[i][1], 64); err != nil || math.Abs(x-w) > 5e-4 {
						t.Errorf("%s of %s is %s, want %v", what, rows[i][0], rows[i][1], w)
					}
				}
			}
			numbers("closeness", rows("closeness"), .3333, .5, .3333, 0, 0)
			numbers("PageRank", rows("pagerank"), .2334, .4423, .2334, .0455, .0455)
			numbers("betweenness", rows("bc"), 0, 1./6, 0, 0, 0)
			numbers("component", rows("cc"), 1, 1, 1, 4, 5)
			numbers("core", rows("kcore"), 1, 1, 1, 0, 0)
			numbers("color", rows("color")[3:], 0, 0)
			numbers("community", rows("leiden"), 0, 0, 0, 1, 2)
			numbers("member", rows("mis")[3:], 1, 1)
			numbers("depth", rows("bfs", "-s", "5"), -1, -1, -1, -1, 0)
			numbers("depth", rows("bfs", "-s", "3", "--algo", "bfs"), 2, 1, 0, -1, -1)
			numbers("triangles", rows("triangles"), 0, 0, 0, 0, 0)
			numbers("label", rows("lpa")[3:], 4, 5)
			if strings.HasPrefix(name, "mtx") || name == "banner" { // a pattern's weights are 1
				numbers("distance", rows("sssp", "-s", "1")[:3], 0, 1, 2)
				numbers("PageRank", rows("pagerank", "--weighted"), .2334, .4423, .2334, .0455, .0455)
			}
			out, _ = foray(t, 0, append([]string{"bfs", "-s", "5"}, in...)...)
			contains(t, out, "reached    1 of 5 vertices (20.0 %)")
			if len(in) > 1 && in[1] == "--vertices" || strings.HasPrefix(name, "mtx") || strings.HasPrefix(name, "gr") || strings.HasPrefix(name, "metis") {
				contains(t, out, ": 5 vertices (2 isolated), 2 edges")
			}
			out, _ = foray(t, 0, append([]string{"cc"}, in...)...)
			contains(t, out, "components 3;")
		})
	}
}

// TestDeclaredInGo is TestDeclared for Go programs.
func TestDeclaredInGo(t *testing.T) {
	ctx := context.Background()
	ints := func(g *graph.Builder, src, dst []int64) error { return graph.AddInts(g, src, dst, nil) }
	built := func(o graph.Options, vertices []int64) *graph.Graph {
		b := graph.NewBuilder(o)
		if err := graph.AddVertices(b, graph.Source, vertices); err != nil {
			t.Fatal(err)
		}
		if err := ints(b, []int64{1, 2}, []int64{2, 3}); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	all := map[string]*graph.Graph{"Builder": built(graph.Options{}, []int64{5, 4}), "Builder by degree": built(graph.Options{Order: graph.OrderDegree}, []int64{4, 5, 1})}
	for name, text := range map[string]string{"g.mtx": "%%MatrixMarket matrix coordinate integer symmetric\n5 5 2\n2 1 1\n3 2 1\n", "g.gr": "p sp 5 2\na 1 2 1\na 2 3 1\n", "g.metis": "5 2\n2\n1 3\n2\n\n\n"} {
		for _, dense := range []bool{false, true} {
			g, err := edgelist.Load(ctx, write(t, name, text), edgelist.Options{Graph: graph.Options{DenseIDs: dense}})
			if err != nil {
				t.Fatal(err)
			}
			all[fmt.Sprint(name, dense)] = g
		}
	}
	path := filepath.Join(t.TempDir(), "g.foray")
	if err := arrow.WriteGraph(ctx, path, all["g.mtxtrue"], arrow.WriteGraphOptions{}); err != nil {
		t.Fatal(err)
	}
	prepared, _, err := arrow.OpenGraph(ctx, path, arrow.OpenGraphOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all["prepared"] = prepared
	for name, g := range all {
		t.Run(name, func(t *testing.T) {
			defer g.Close()
			p, err := g.On(host.New(2))
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			v := make([]uint32, 6)
			for id := range int64(5) {
				if v[id+1], err = g.Vertex(id + 1); err != nil {
					t.Fatal(err)
				}
			}
			near := func(what string, got []float64, err error, want ...float64) {
				t.Helper()
				if err != nil || len(got) != 5 {
					t.Fatal(what, got, err)
				}
				for i, w := range want {
					if x := got[v[i+1]]; math.Abs(x-w) > 5e-4 {
						t.Errorf("%s of %d is %v, want %v", what, i+1, x, w)
					}
				}
			}
			if r, err := closeness.Run(ctx, p, closeness.Options{}); err != nil {
				t.Error(err)
			} else {
				got, err := r.Closeness.Slice()
				near("closeness", got, err, .3333, .5, .3333, 0, 0)
			}
			if r, err := pagerank.Run(ctx, p, pagerank.Options{}); err != nil {
				t.Error(err)
			} else {
				got, err := r.Ranks.Slice()
				near("PageRank", got, err, .2334, .4423, .2334, .0455, .0455)
			}
			if r, err := bc.Run(ctx, p, bc.Options{}); err != nil {
				t.Error(err)
			} else {
				got, err := r.Betweenness.Slice()
				near("betweenness", got, err, 0, 1./6, 0, 0, 0)
			}
			if r, err := cc.Run(ctx, p, cc.Options{}); err != nil || r.Components != 3 {
				t.Error(r, err)
			}
			if r, err := bfs.Run(ctx, p, v[5], bfs.Options{}); err != nil || r.Reached != 1 || testgraph.Array(r.Depths())[v[5]] != 0 {
				t.Error(r, err)
			}
		})
	}
}

// TestVerticesOfText writes random edges and vertices in random formats, and compares the graph with both.
func TestVerticesOfText(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 4))
	for round := range 40 {
		strs := r.IntN(2) == 0
		id := func() string {
			if strs {
				return "v" + strconv.Itoa(r.IntN(30))
			}
			return strconv.Itoa(r.IntN(60) - 10)
		}
		quote := func(s string) string {
			if strs {
				return strconv.Quote(s)
			}
			return s
		}
		var edges, vertices [][]string
		for range r.IntN(12) {
			edges = append(edges, []string{id(), id()})
		}
		for range 1 + r.IntN(20) {
			vertices = append(vertices, []string{id(), "x"})
		}
		if len(edges) == 0 && round%2 == 0 {
			edges = append(edges, []string{id(), id()})
		}
		table := func(name, ext string, columns [2]string, rows [][]string) string {
			var b strings.Builder
			if ext != "jsonl" {
				fmt.Fprintf(&b, "%s,%s\n", columns[0], columns[1])
			}
			for _, row := range rows {
				if ext == "jsonl" {
					second := quote(row[1])
					if row[1] == "x" {
						second = `"x"`
					}
					fmt.Fprintf(&b, `{"%s":%s,"%s":%s}`+"\n", columns[0], quote(row[0]), columns[1], second)
				} else {
					fmt.Fprintf(&b, "%s,%s\n", row[0], row[1])
				}
			}
			if ext != "parquet" {
				return write(t, name+"."+ext, b.String())
			}
			path := filepath.Join(t.TempDir(), name+".parquet")
			args := []string{"convert", write(t, name+".csv", b.String()), path, "--src", columns[0], "--dst", columns[1]}
			if strs || name == "v" { // whose second column is no number
				args = append(args, "--ids", "string")
			}
			foray(t, 0, args...)
			return path
		}
		formats := []string{"csv", "jsonl", "parquet"}
		e := formats[r.IntN(3)]
		if len(edges) == 0 {
			e = "csv"
		}
		v := formats[r.IntN(3)]
		if v == "parquet" && e == "parquet" && !strs {
			v = "csv" // whose ids would be strings
		}
		args := []string{"info", table("e", e, [2]string{"src", "dst"}, edges), "--vertices", table("v", v, [2]string{"id", "name"}, vertices)}
		if v == "parquet" {
			args = append(args, "--vertex-id", "src")
		}
		if r.IntN(3) == 0 {
			args = append(args, "--two-pass")
		}
		if !strs && r.IntN(3) == 0 && e != "parquet" {
			args = append(args, "--ids", "int64")
		}
		all, ends := map[string]bool{}, map[string]bool{}
		for _, row := range edges {
			all[row[0]], all[row[1]] = true, true
			if row[0] != row[1] {
				ends[row[0]], ends[row[1]] = true, true
			}
		}
		for _, row := range vertices {
			all[row[0]] = true
		}
		out, _ := foray(t, 0, args...)
		contains(t, out, fmt.Sprintf("vertices       %d\n", len(all)))
		isolated := fmt.Sprintf(", %d isolated vertices\n", len(all)-len(ends))
		if len(all)-len(ends) == 1 {
			isolated = ", 1 isolated vertex\n"
		}
		contains(t, out, isolated)
		if t.Failed() {
			t.Fatalf("round %d: %v\n%v\n%v\n%s", round, args, edges, vertices, out)
		}
	}
}
