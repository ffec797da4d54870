// This file holds the tests of gen, of progress, and of files that are there already.

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph"
)

func TestGen(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	out, _ := foray(t, 0, "gen", "star:4", "-o", "-")
	if out != "src,dst\n0,1\n0,2\n0,3\n" {
		t.Errorf("got %q", out)
	}
	out, _ = foray(t, 0, "gen", "kron8", "-o", at("a.parquet"))
	contains(t, out, "a.parquet: 4,096 edges, ")
	foray(t, 0, "gen", "kron8", "-o", at("b.el"), "--workers", "3", "--memory-limit", "1GB")
	foray(t, 0, "gen", "kron8:seed=7", "-o", at("c.csv"))
	foray(t, 0, "gen", "kron8", "--seed", "7", "-o", at("d.csv"))
	foray(t, 0, "gen", "kron:scale=8", "--seed", "7", "-o", at("e"), "--format", "csv")
	foray(t, 0, "convert", "gen:kron8", at("f.csv"))
	a, b := edgesOf(t, at("a.parquet"), true), edgesOf(t, at("b.el"), true)
	if len(a) != 4096 || !slices.Equal(sorted(a), sorted(b)) {
		t.Errorf("%d edges in Parquet, %d in text", len(a), len(b))
	}
	if c := edgesOf(t, at("f.csv"), true); !slices.Equal(a, c) {
		t.Error("gen and convert differ")
	}
	if read(t, at("c.csv")) != read(t, at("d.csv")) || read(t, at("c.csv")) != read(t, at("e")) {
		t.Error("--seed and seed= differ")
	}
	if read(t, at("c.csv")) == read(t, at("f.csv")) {
		t.Error("the seed makes no difference")
	}
	out, _ = foray(t, 0, "gen", "kron8", "--simple", "-o", at("g.csv"))
	simple := edgesOf(t, at("g.csv"), true)
	contains(t, out, fmt.Sprintf("g.csv: %d,%03d edges", len(simple)/1000, len(simple)%1000))
	foray(t, 0, "gen", "kron8", "-o", at("h.sg"))
	if sg := edgesOf(t, at("h.sg"), false); len(sg) != len(simple) {
		t.Errorf("%d edges in .sg, %d with --simple", len(sg), len(simple))
	}
	foray(t, 0, "gen", "kron8", "--simple", "--directed", "-o", at("i.csv"))
	if d := edgesOf(t, at("i.csv"), true); len(d) <= len(simple) {
		t.Errorf("%d directed edges, %d undirected", len(d), len(simple))
	}
}

// TestGenWeights: every format that holds weights has the same ones, whichever way an edge
// is written.
func TestGenWeights(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	var want []string
	for _, args := range [][]string{
		{"gen", "kron6", "--weights", "1:100", "--seed", "7"}, {"gen", "kron6:seed=7", "--weights", "1:100"},
		{"gen", "kron6:seed=7,weights=1:100"}, {"gen", "kron6:seed=7,weightseed=7,weights=1:100"},
	} {
		for _, name := range []string{"w.parquet", "w.arrow", "w.csv", "w.wel", "w.wel.gz", "w.tsv"} {
			foray(t, 0, append(args, "-o", at(name))...)
			got := sorted(weightedEdges(t, at(name)))
			if want == nil {
				want = got
			}
			if len(got) != 1024 || !slices.Equal(got, want) {
				t.Errorf("%q, %s: %d edges, such as %s", args, name, len(got), got[0])
			}
		}
	}
	// Graphs have each edge once, in the direction that they like.
	weight := map[[2]string]string{}
	for _, e := range want {
		f := strings.Fields(e)
		weight[[2]string{f[0], f[1]}], weight[[2]string{f[1], f[0]}] = f[2], f[2]
	}
	for _, name := range []string{"w.wsg", "w.foray"} {
		for _, directed := range []string{"--directed", "--directed=false"} {
			foray(t, 0, "gen", "kron6", "--weights", "1:100", "--seed", "7", "-o", at(name), directed)
			out, _ := foray(t, 0, "info", at(name), directed)
			foray(t, 0, "convert", at(name), at("back.wel"), directed)
			for _, e := range weightedEdges(t, at("back.wel")) {
				if f := strings.Fields(e); weight[[2]string{f[0], f[1]}] != f[2] {
					t.Fatalf("%s %s: %s\n%s", name, directed, e, out)
				}
			}
		}
	}
	foray(t, 0, "gen", "grid2d:5x5", "--weights", "1:100", "--seed", "1", "-o", at("a.csv"))
	foray(t, 0, "gen", "grid2d:5x5", "--weights", "1:100", "--seed", "2", "-o", at("b.csv"))
	foray(t, 0, "convert", "gen:grid2d:5x5,weights=1:100,seed=2", at("c.csv"), "--weights")
	foray(t, 0, "convert", "gen:grid2d:5x5,weights=1:100,seed=2", at("d.csv"), "--weights", "--simple", "--two-pass")
	foray(t, 0, "convert", "gen:grid2d:5x5,weights=1:100", at("e.csv"))
	if read(t, at("a.csv")) == read(t, at("b.csv")) || read(t, at("b.csv")) != read(t, at("c.csv")) {
		t.Error("--seed makes no difference, or another one in gen than in convert")
	}
	if b, d := weightedEdges(t, at("b.csv")), weightedEdges(t, at("d.csv")); !slices.Equal(sorted(b), sorted(d)) {
		t.Errorf("%q, in two passes %q", b, d)
	}
	if got := read(t, at("e.csv")); !strings.HasPrefix(got, "src,dst\n") {
		t.Errorf("weights that weren't asked for: %s", got)
	}
	foray(t, 1, "gen", "star:9", "--weights", "0.5:2", "-o", at("f.wsg")) // GAP's are integers
	if _, err := os.Stat(at("f.wsg")); err == nil {
		t.Error("there is a file")
	}
}

func TestGenWeightsRefused(t *testing.T) {
	dir := t.TempDir()
	for args, want := range map[string]string{
		"gen road:5x5 -o D/x.wel --weights 1:3":           `spec "road:5x5": bad size: road graph of 5x5; sides are even and at least 4`,
		"gen star:4 -o D/x.el --weights 1:9":              "x.el: a file that ends in .el has no weights; call it .wel, or leave out --weights",
		"gen star:4,weights=1:9 -o D/x.sg":                "x.sg: a file that ends in .sg has no weights; call it .wsg",
		"gen star:4 -o D/x.csv --weights 9:1":             "weights from 9 to 1; the lower bound stands first",
		"gen star:4 -o D/x.csv --weights 9":               "weights=9: write MIN:MAX",
		"gen star:4,weights=1:2 -o D/x.csv --weights 1:2": "weights is given twice",
		"gen star:4 -o D/x.gr --weights 1:2":              "DIMACS, METIS and compressed JSON lines are read but not written",
		"convert K D/x.el.gz --weights":                   "x.el.gz: a file that ends in .el has no weights; call it .wel",
	} {
		_, stderr := foray(t, 2, strings.Fields(strings.NewReplacer("D/", dir+"/", " K ", " "+karate+" ").Replace(args))...)
		contains(t, stderr, want)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%d files, %v", len(entries), err)
	}
}

// weightedEdges returns the edges of a file as lines, with their weights.
func weightedEdges(t *testing.T, path string) []string {
	t.Helper()
	out, _ := foray(t, 0, "convert", path, "-", "--weights")
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(strings.TrimPrefix(out, "src,dst,weight\n"), ",", " ")), "\n")
}

// TestKeepsOldFile: what a failed command was to replace stays.
func TestKeepsOldFile(t *testing.T) {
	out := write(t, "out.csv", "old")
	in := write(t, "in.el", "1 2\n3\n")
	foray(t, 3, "convert", in, out)
	foray(t, 1, "bfs", karate, "-s", "99", "-o", out)
	foray(t, 2, "bfs", karate, "-o", out, "--compression", "x")
	if got := read(t, out); got != "old" {
		t.Errorf("the file holds %q", got)
	}
	entries, err := os.ReadDir(filepath.Dir(out))
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files, %v", len(entries), err)
	}
}

// TestProgress shows bars on what is taken for a terminal.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := (&app{rawStderr: &b, terminal: true}).progress()
	p.update("reading", 1, 10)
	if b.Len() > 0 {
		t.Errorf("within the first second: %q", b.String())
	}
	p.start = p.start.Add(-progressAfter)
	p.bytes("reading", 5_000_000, 10_000_000)
	p.update("searching", 5, 0)
	p.update("searching", 7, 0)
	p.build(graph.Progress{Phase: "read", Done: 1000, Total: 0}) // shown by the readers
	p.edges = 2000
	p.build(graph.Progress{Phase: "read", Done: 1000, Total: 0})
	p.build(graph.Progress{Phase: "fill rows", Done: 3, Total: 4})
	p.end()
	contains(t, b.String(), "reading  50%", "searching", "generating  50%", "(1000/2000)", "fill rows  75%")
	if n := b.Len(); n > 0 {
		p.update("late", 1, 2)
		if b.Len() > n {
			t.Error("shown after the end")
		}
	}
	b.Reset()
	p = (&app{rawStderr: &b, terminal: true}).loading(shortName([]string{"a/k.parquet", "b"}), true)
	p.start = p.start.Add(-progressAfter)
	draw := func() { time.Sleep(150 * time.Millisecond) } // what comes sooner isn't drawn
	p.update("reading", 5, 10)
	draw()
	p.update("reading", 9, 10)
	draw()
	p.build(graph.Progress{Phase: "make rows", Done: 1, Total: 1})
	draw()
	p.build(graph.Progress{Phase: "number ids", Done: 1, Total: 2}) // behind what was shown
	p.end()
	contains(t, b.String(), "loading k.parquet and 1 more: reading, 3 s left  31%", " rows/s, ", "make rows, 1 s left  88%", "number ids, 1 s left  88%")
	b.Reset()
	p = (&app{rawStderr: &b}).progress()
	p.start = p.start.Add(-progressAfter)
	p.update("reading", 5, 10)
	p.end()
	if b.Len() > 0 {
		t.Errorf("on no terminal: %q", b.String())
	}
}

// TestSerializedOrder: a serialized graph records its order, and has all
// vertices, whichever flags it is read with.
func TestSerializedOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.sg")
	foray(t, 0, "gen", "kron10", "-o", path)
	for order, want := range map[string]string{"auto": "given", "given": "given", "degree": "degree"} {
		for _, more := range [][]string{{"--workers", "1"}, {"--directed"}, {"--two-pass"}, {"--two-pass", "--directed"}} {
			args := append([]string{"info", path, "--order", order}, more...)
			out, _ := foray(t, 0, args...)
			contains(t, out, "vertices       1,024\n", "order          "+want+": ")
			args[0] = "bfs"
			out, _ = foray(t, 0, args...)
			contains(t, out, "1,024 vertices", "order "+want+"\n")
		}
	}
}
