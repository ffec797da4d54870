// This file holds the tests of info, gen and convert.

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/edgelist"
)

func TestInfo(t *testing.T) {
	out, _ := foray(t, 0, "info", karate, "--workers", "2")
	want := `input ../../testdata/karate.parquet
files 1 (775 B): 78 rows; row groups or record batches: 1
columns src to dst, of type int64
loaded in #
vertices 34
edges 78, undirected
dropped 0 self-loops, 0 repeated edges of 78 edges given
ids int64, with a map
order given: vertices are numbered as ids ascend
degrees mean 4.59, largest 17 (vertex 34), 0 isolated vertices

 degree vertices share
 0 0 0 %
 1 1 2.9 % █▏
 2 to 3 17 50.0 % ████████████████████
 4 to 7 11 32.4 % █████████████
 8 to 15 3 8.8 % ███▌
 16 to 17 2 5.9 % ██▍

memory host GPU
graph 1.06 kB 1.45 kB
id map 272 B on the host
a search 198 kB 1.05 MB
in all 199 kB 1.05 MB
`
	if got := masked(out); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for args, want := range map[string][]string{
		"K --order degree":                     {"order          degree: vertices are numbered by descending degree\n"},
		"K --directed":                         {"edges          78, directed\n", "mean 2.29"},
		"gen:star:5":                           {"input          gen:star:5\nloaded", "vertices       5\n", "ids            uint32, dense", "largest 4 (vertex 0)"},
		"gen:kron8":                            {"self-loops, ", "isolated vertices"},
		"T K --ids int64":                      {"and 1 more\n", "files          1", "vertices       35\n", "edges          79", "1 repeated edge of 80"},
		"T --ids string":                       {"ids            string, with a map"},
		"T --workers 1 --memory-limit 100MiB":  {"vertices       3\n"},
		"T --two-pass --input-format text":     {"vertices       3\n"},
		"K --src dst --dst src --nulls error ": {"columns        dst to src"},
	} {
		out, _ := foray(t, 0, append([]string{"info"}, arguments(t, args, "")...)...)
		contains(t, out, want...)
	}
	loops := write(t, "l.el", "1 1\n1 2\n2 1\n1 2\n3 3\n")
	out, _ = foray(t, 0, "info", loops)
	contains(t, out, "edges          1, undirected\n", "dropped        2 self-loops, 2 repeated edges of 5 edges given\n", "1 isolated vertex\n")
	out, _ = foray(t, 0, "info", loops, "--directed")
	contains(t, out, "edges          2, directed\n", "dropped        2 self-loops, 1 repeated edge of 5 edges given\n")
}

func TestBar(t *testing.T) {
	for count, want := range map[uint64]string{
		0: "", 1: "▏", 1600: strings.Repeat("█", 40), 40: "█", 60: "█▌", 75: "█▉", 55: "█▍", 25: "▋",
	} {
		if got := bar(count, 1600); got != want {
			t.Errorf("bar(%d) = %q, want %q", count, got, want)
		}
	}
}

func TestEstimate(t *testing.T) {
	// A directed graph with its reverse has two CSRs.
	g, err := gen.Parse("path:100")
	if err != nil {
		t.Fatal(err)
	}
	both, err := gen.Build(context.Background(), g, graph.Options{Directed: true, Reverse: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := estimate(both).graph, uint64(2*(8*101+4*99)); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

// edgesOf reads the edges of a file, in order.
func edgesOf(t *testing.T, path string, directed bool) []string {
	t.Helper()
	var edges []string
	add := func(b graph.Batch) error {
		for i := range b.Dst { // none of vertices
			e := fmt.Sprint(b.Src[i], b.Dst[i])
			if b.Weighted() {
				e += fmt.Sprint(" ", b.FloatWeight(i))
			}
			edges = append(edges, e)
		}
		return nil
	}
	o := graph.Options{Directed: directed, Weights: strings.Contains(path, "-w.") || strings.HasSuffix(path, ".wel")}
	var err error
	if _, no := edgelist.FormatOf(path); no == nil {
		err = edgelist.ReadFile(context.Background(), path, edgelist.Options{Graph: o, Workers: 1}, add)
	} else {
		var d *arrow.Dataset
		if d, err = arrow.Open(context.Background(), []string{path}, arrow.Options{Graph: o, Workers: 1}); err == nil {
			err = d.Read(context.Background(), add)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return edges
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

// TestConvert converts a list to every format and back, and compares edges.
func TestConvert(t *testing.T) {
	dir := t.TempDir()
	in := write(t, "in.el", "5 1\n0 4\n4 0\n2 2\n5 1\n3 2\n")
	all := []string{"5 1", "0 4", "4 0", "2 2", "5 1", "3 2"}
	for _, ext := range []string{"parquet", "arrow", "arrows", "feather", "ipc", "csv"} {
		path := filepath.Join(dir, "a."+ext)
		out, _ := foray(t, 0, "convert", in, path)
		contains(t, masked(out), path+": 6 edges, ", " B, in #\n")
		if got := edgesOf(t, path, true); !slices.Equal(got, all) {
			t.Errorf("%s: got %v", ext, got) // in the order of the input
		}
		back := filepath.Join(dir, ext+".el")
		foray(t, 0, "convert", path, back)
		if got := edgesOf(t, back, true); !slices.Equal(sorted(got), sorted(all)) {
			t.Errorf("%s and back: got %v", ext, got)
		}
	}
	for _, ext := range []string{"el", "tsv", "txt", "edges", "edgelist", "el.gz", "el.zst", "csv.gz"} {
		path := filepath.Join(dir, "b."+ext)
		foray(t, 0, "convert", in, path)
		if got := edgesOf(t, path, true); !slices.Equal(sorted(got), sorted(all)) {
			t.Errorf("%s: got %v", ext, got)
		}
	}
	for _, c := range []struct {
		name, flags string
		want        []string
	}{
		{"s.parquet", "--simple", []string{"0 4", "1 5", "2 3"}},
		{"s.el", "--simple", []string{"0 4", "1 5", "2 3"}},
		{"sd.csv", "--simple --directed", []string{"0 4", "3 2", "4 0", "5 1"}},
		{"s.sg", "", []string{"0 4", "1 5", "2 3"}},
		{"sd.sg", "--directed", []string{"0 4", "3 2", "4 0", "5 1"}},
		{"g.el", "--order degree --simple --vertex-numbers", []string{"0 4", "1 5", "2 3"}},
	} {
		path := filepath.Join(dir, c.name)
		foray(t, 0, append([]string{"convert", in, path}, strings.Fields(c.flags)...)...)
		got := sorted(edgesOf(t, path, strings.Contains(c.flags, "directed")))
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %s: got %v, want %v", c.name, c.flags, got, c.want)
		}
	}
	// An undirected serialized graph has its edges twice, and gives them once.
	for _, name := range []string{"u.el", "u.csv", "u.parquet"} {
		path := filepath.Join(dir, name)
		foray(t, 0, "convert", filepath.Join(dir, "s.sg"), path)
		if got := sorted(edgesOf(t, path, true)); !slices.Equal(got, []string{"0 4", "1 5", "2 3"}) {
			t.Errorf("s.sg to %s: got %v", name, got)
		}
	}
	numbers := filepath.Join(dir, "k.sg")
	foray(t, 0, "convert", karate, numbers, "--vertex-numbers")
	out, _ := foray(t, 0, "info", numbers)
	contains(t, out, "vertices       34\n", "edges          78,")

	out, _ = foray(t, 0, "convert", in, "-")
	if want := "src,dst\n" + strings.ReplaceAll(strings.Join(all, "\n"), " ", ",") + "\n"; out != want {
		t.Errorf("got %q", out)
	}
	out, _ = foray(t, 0, "convert", in, "-", "--format", "jsonl", "--workers", "2")
	contains(t, out, `{"src":5,"dst":1}`+"\n")
	out, _ = foray(t, 0, "convert", in, write(t, "second.el", "7 8\n"), "-")
	contains(t, out, "\n3,2\n7,8\n")
	foray(t, 0, "convert", in, filepath.Join(dir, "noname"), "--format", "parquet", "--compression", "snappy")
	if data := read(t, filepath.Join(dir, "noname")); !strings.HasPrefix(data, "PAR1") {
		t.Errorf("--format parquet wrote %.10q", data)
	}
	strings1 := write(t, "s.csv", "from,to\n\"a, b\",c\n")
	out, _ = foray(t, 0, "convert", strings1, "-", "--ids", "string")
	if out != "src,dst\n\"a, b\",c\n" {
		t.Errorf("got %q", out)
	}
}

func TestConvertWeights(t *testing.T) {
	dir := t.TempDir()
	in := write(t, "in.wel", "0 1 5\n1 2 7\n")
	want := []string{"0 1 5", "1 2 7"}
	at := func(name string) string { return filepath.Join(dir, name) }
	foray(t, 0, "convert", in, at("a-w.parquet"), "--weights")
	foray(t, 0, "convert", at("a-w.parquet"), at("b.wel"))
	foray(t, 0, "convert", at("a-w.parquet"), at("c-w.arrow"), "--weight", "weight")
	foray(t, 0, "convert", at("a-w.parquet"), at("d-w.csv"), "--weights", "--simple")
	foray(t, 0, "convert", in, at("e.wsg"))
	foray(t, 0, "convert", at("e.wsg"), at("f.wel"))
	for _, name := range []string{"a-w.parquet", "b.wel", "c-w.arrow", "d-w.csv", "f.wel"} {
		if got := edgesOf(t, at(name), false); !slices.Equal(sorted(got), want) {
			t.Errorf("%s: got %v", name, got)
		}
	}
	foray(t, 0, "convert", in, at("g.el"))
	if got := edgesOf(t, at("g.el"), false); !slices.Equal(got, []string{"0 1", "1 2"}) {
		t.Errorf("g.el: got %v", got)
	}
}

// TestConvertMixedWeights has integers first and a float last: all are floats.
func TestConvertMixedWeights(t *testing.T) {
	var text strings.Builder
	for i := range 100_000 {
		fmt.Fprintln(&text, i, i+1, i%7)
	}
	in, out := write(t, "in.wel", text.String()+"5 9 0.1\n"), filepath.Join(t.TempDir(), "out-w.parquet")
	foray(t, 0, "convert", in, out, "--weights")
	got := edgesOf(t, out, true)
	if len(got) != 100_001 || got[len(got)-1] != "5 9 0.1" && !slices.Contains(got, "5 9 0.1") || !slices.Contains(got, "6 7 6") {
		t.Errorf("%d edges, the last is %q", len(got), got[len(got)-1])
	}
}

// TestWeightTypeFlag checks the type of distances, as printed and as written.
func TestWeightTypeFlag(t *testing.T) {
	in := write(t, "in.csv", "src,dst,weight\ns,a,16777216\na,t,1\n")
	for _, c := range []struct{ flag, line, distance string }{
		{"auto", "int64, exact", "16777217"}, {"float64", "float64", "1.6777217e+07"}, {"float32", "float32, rounded", "1.6777216e+07"},
	} {
		out := filepath.Join(t.TempDir(), "d.csv")
		said, _ := foray(t, 0, "sssp", in, "--directed", "--source", "s", "--weight-type", c.flag, "--validate", "-o", out)
		contains(t, said, "distances  "+c.line+"\n")
		contains(t, read(t, out), "t,"+c.distance)
		out = filepath.Join(t.TempDir(), "p.csv")
		foray(t, 0, "sssp", in, "--directed", "--source", "s", "--target", "t", "--weight-type", c.flag, "--paths", "-o", out)
		contains(t, read(t, out), c.distance)
		prepared := filepath.Join(t.TempDir(), "g.foray")
		foray(t, 0, "convert", in, prepared, "--directed", "--weights")
		said, _ = foray(t, 0, "sssp", prepared, "--source", "s", "--weight-type", c.flag)
		contains(t, said, "distances  "+c.line+"\n")
	}
}
