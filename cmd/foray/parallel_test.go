package main

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestSelfLoops compares a graph with a self-loop (igraph issue 1639) with networkx, for files of every
// format.
func TestSelfLoops(t *testing.T) {
	dir := t.TempDir()
	in := write(t, "loops.csv", "src,dst,weight\n1,2,1\n2,3,1\n3,1,1\n2,2,1\n")
	with := map[string]float64{"1": .26592, "2": .48006, "3": .25402}
	without := map[string]float64{"1": 1. / 3, "2": 1. / 3, "3": 1. / 3}
	files := []string{in,
		write(t, "loops.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 4\n1 2\n2 3\n3 1\n2 2\n"),
		write(t, "loops.gr", "p sp 3 4\na 1 2 1\na 2 3 1\na 3 1 1\na 2 2 1\n"),
	}
	for _, end := range []string{"parquet", "arrow", "jsonl", "el", "tsv"} {
		out := filepath.Join(dir, "loops."+end)
		foray(t, 0, "convert", in, out)
		files = append(files, out)
	}
	for _, end := range []string{"foray", "sg"} {
		out := filepath.Join(dir, "loops."+end)
		foray(t, 0, "convert", in, out, "--directed", "--keep-self-loops", "--vertex-numbers="+fmt.Sprint(end == "sg"))
		files = append(files, out)
	}
	ids := func(file string, want map[string]float64) map[string]float64 {
		if filepath.Ext(file) != ".sg" {
			return want
		}
		return map[string]float64{"0": want["1"], "1": want["2"], "2": want["3"]}
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, flags := range [][]string{nil, {"--keep-self-loops"}, {"--two-pass"}} {
				if flags != nil && flags[0] == "--two-pass" && filepath.Ext(file) == ".foray" {
					continue
				}
				out, _ := foray(t, 0, append([]string{"pagerank", file, "--directed", "-o", "-"}, flags...)...)
				nearly(t, ranksOf(t, out), ids(file, with), 1e-5)
			}
			if filepath.Ext(file) == ".foray" {
				_, msg := foray(t, 2, "pagerank", file, "--keep-self-loops=false")
				contains(t, msg, "was prepared with self-loops")
				return
			}
			out, told := foray(t, 0, "pagerank", file, "--directed", "-o", "-", "--keep-self-loops=false")
			nearly(t, ranksOf(t, out), ids(file, without), 1e-5)
			contains(t, told, "1 self-loop, ")
		})
	}
	dropped := filepath.Join(dir, "dropped.foray")
	foray(t, 0, "convert", in, dropped, "--directed")
	_, msg := foray(t, 0, "pagerank", dropped)
	contains(t, msg, "was prepared without self-loops, 1 of which its edges had")
	if _, msg := foray(t, 0, "pagerank", dropped, "--keep-self-loops=false"); msg != "" {
		t.Error(msg)
	}
	_, msg = foray(t, 2, "pagerank", dropped, "--keep-self-loops")
	contains(t, msg, "was prepared without its 1 self-loop")
	_, msg = foray(t, 2, "convert", in, filepath.Join(dir, "x.parquet"), "--keep-self-loops")
	contains(t, msg, "--simple")
	// One that is added to a graph with self-loops stays too.
	grown, more := filepath.Join(dir, "loops.foray"), write(t, "more.csv", "1,1\n")
	foray(t, 0, "append", grown, more)
	out, _ := foray(t, 0, "info", grown)
	contains(t, out, "edges          5,")
	foray(t, 0, "append", dropped, more)
	out, _ = foray(t, 0, "info", dropped)
	contains(t, out, "edges          3,", "2 self-loops")
}

// TestSelfLoopsChange: what self-loops change in each algorithm, and what it does by default.
func TestSelfLoopsChange(t *testing.T) {
	in := write(t, "loops.csv", "src,dst,weight\n1,2,1\n2,3,2\n3,1,4\n2,2,1\n3,4,1\n4,4,1\n5,5,1\n6,4,1\n7,8,1\n7,7,1\n8,8,1\n")
	for _, c := range []struct {
		algorithm []string
		keeps     bool // by default
		changes   bool
	}{
		{algorithm: []string{"bfs", "--source", "1"}},
		{algorithm: []string{"sssp", "--source", "1"}},
		{algorithm: []string{"bc"}},
		{algorithm: []string{"cc"}},
		{algorithm: []string{"closeness"}},
		{algorithm: []string{"kcore"}},
		{algorithm: []string{"triangles"}},
		{algorithm: []string{"pagerank"}, keeps: true, changes: true},
		{algorithm: []string{"pagerank", "--weighted"}, keeps: true, changes: true},
		{algorithm: []string{"mis"}},
		{algorithm: []string{"color"}},
		{algorithm: []string{"msf"}},
		{algorithm: []string{"spanning"}},
		{algorithm: []string{"similar"}},
		{algorithm: []string{"paths", "--samples", "9", "-k", "4"}},
		{algorithm: []string{"walks"}, keeps: true, changes: true},
		{algorithm: []string{"bridges", "--points"}},
		{algorithm: []string{"ktruss"}},
		{algorithm: []string{"kclique", "--k", "3"}},
		{algorithm: []string{"louvain", "--resolution", "3"}, keeps: true, changes: true},
		{algorithm: []string{"leiden", "--weighted", "--resolution", "3"}, keeps: true, changes: true},
		{algorithm: []string{"lpa"}, keeps: true, changes: true},
		{algorithm: []string{"degree"}, keeps: true, changes: true},
		{algorithm: []string{"eigenvector"}, keeps: true, changes: true},
		{algorithm: []string{"hits", "--weighted"}, keeps: true, changes: true},
		{algorithm: []string{"katz", "--weighted"}, keeps: true, changes: true},
	} {
		for _, directed := range []string{"--directed=true", "--directed=false"} {
			name := fmt.Sprint(c.algorithm, " ", directed)
			if c.algorithm[0] == "lpa" && directed == "--directed=true" {
				continue // this graph's labels are the same
			}
			args := append([]string{c.algorithm[0], in, directed, "-o", "-"}, c.algorithm[1:]...)
			auto, _ := foray(t, 0, args...)
			with, _ := foray(t, 0, append(args, "--keep-self-loops")...)
			without, _ := foray(t, 0, append(args, "--keep-self-loops=false")...)
			if (with != without) != c.changes {
				t.Errorf("%s: with self-loops\n%s\nwithout\n%s", name, with, without)
			}
			if c.keeps && auto != with || !c.keeps && auto != without {
				t.Errorf("%s: by default\n%s\nwith self-loops\n%s\nwithout\n%s", name, auto, with, without)
			}
		}
	}
}

// TestCombine: which weight repeated edges get.
func TestCombine(t *testing.T) {
	dir := t.TempDir()
	in := write(t, "parallel.csv", "src,dst,weight\n1,2,5\n1,2,3\n1,2,4\n1,3,5\n3,2,1\n2,1,1\n")
	parquet := filepath.Join(dir, "parallel.parquet")
	foray(t, 0, "convert", in, parquet, "--weights")
	distance := func(want string, args ...string) {
		t.Helper()
		out, told := foray(t, 0, append([]string{"sssp", "--directed", "--source", "1", "-o", "-"}, args...)...)
		if got := ranksOf(t, out)["2"]; fmt.Sprint(got) != want {
			t.Errorf("%v: %v, want %s", args, got, want)
		}
		contains(t, told, "2 repeated edges")
	}
	for _, file := range []string{in, parquet} {
		for _, pass := range []string{"--two-pass=false", "--two-pass"} {
			distance("3", file, pass)
			distance("3", file, pass, "--combine", "min")
			distance("5", file, pass, "--combine", "max")
			distance("6", file, pass, "--combine", "sum")
		}
	}
	distance("5", parquet, "--combine", "first")
	for _, by := range []string{"max", "sum", "first"} {
		graph := filepath.Join(dir, by+".foray")
		foray(t, 0, "convert", parquet, graph, "--weights", "--directed", "--combine", by)
		distance(map[string]string{"max": "5", "sum": "6", "first": "5"}[by], graph)
		_, msg := foray(t, 2, "sssp", graph, "--combine", "min")
		contains(t, msg, "was prepared with --combine "+by)
	}
	minimum := filepath.Join(dir, "min.foray")
	foray(t, 0, "convert", in, minimum, "--weights", "--directed")
	_, told := foray(t, 0, "pagerank", minimum, "--weighted")
	contains(t, told, "was prepared with --combine min, and sum is what this algorithm takes")
	if _, told := foray(t, 0, "pagerank", minimum, "--weighted", "--combine", "min"); told != "" {
		t.Error(told)
	}
	// 1 has 12 of 17 for 2, as networkx adds them up.
	out, told := foray(t, 0, "pagerank", in, "--directed", "--weighted", "--tolerance", "1e-10", "-o", "-")
	nearly(t, ranksOf(t, out), map[string]float64{"1": .415758, "2": .430303, "3": .153939}, 1e-5)
	contains(t, told, "their weights are added up")
	sum, _ := foray(t, 0, "pagerank", in, "--directed", "--weighted", "--tolerance", "1e-10", "-o", "-", "--combine", "sum")
	least, _ := foray(t, 0, "pagerank", in, "--directed", "--weighted", "--tolerance", "1e-10", "-o", "-", "--combine", "min")
	if out != sum || out == least {
		t.Errorf("by default\n%s, sums\n%s, smallest weights\n%s", out, sum, least)
	}
	// More of an edge is added up with what a graph of sums has.
	grown := filepath.Join(dir, "sum.foray")
	foray(t, 0, "append", grown, write(t, "more.csv", "src,dst,weight\n1,2,10\n"))
	out, _ = foray(t, 0, "sssp", grown, "--source", "1", "-o", "-")
	if got := ranksOf(t, out)["2"]; got != 6 { // by 3
		t.Error(got)
	}
	for _, bad := range [][]string{
		{"none are read", "bfs", in, "--combine", "sum"}, {"written as they come", "convert", in, filepath.Join(dir, "y.parquet"), "--weights", "--combine", "sum"},
		{"goes by the numbers of rows", "sssp", in, "--combine", "first"},
		{"run them separately", "run", in, "--do", "sssp:1", "--do", "pagerank --weighted"},
		{"want auto, min, max, sum or first", "sssp", in, "--combine", "mean"},
	} {
		_, msg := foray(t, 2, bad[1:]...)
		contains(t, msg, bad[0])
	}
	foray(t, 0, "run", in, "--do", "sssp:1", "--do", "pagerank --weighted", "--combine", "sum")
}

// TestCombineAppended: what is added to a prepared graph is combined as that was, and its weights keep their type.
func TestCombineAppended(t *testing.T) {
	dir := t.TempDir()
	one, more := write(t, "one.csv", "src,dst,weight\n1,2,5\n3,4,9007199254740993\n"), write(t, "more.csv", "src,dst,weight\n1,2,2\n1,2,3\n")
	leave := write(t, "leave.txt", "3\n")
	weight := func(file, want string) {
		t.Helper()
		out, _ := foray(t, 0, "convert", file, "-", "--weights")
		contains(t, out, "1,2,"+want+"\n")
	}
	for by, want := range map[string]string{"min": "2", "max": "5", "sum": "10"} {
		file := filepath.Join(dir, by+".foray")
		foray(t, 0, "convert", one, file, "--weights", "--combine", by)
		foray(t, 0, "append", file, more)
		weight(file, want)
		foray(t, 0, "append", file, "--remove-vertices", leave)
		foray(t, 0, "append", file, more)
		weight(file, map[string]string{"min": "2", "max": "5", "sum": "15"}[by])
	}
	// An edge that is there stays with first, although ids of added rows begin at 0 again.
	first, second := filepath.Join(dir, "first.parquet"), filepath.Join(dir, "second.parquet")
	foray(t, 0, "convert", write(t, "first.csv", "src,dst,weight\n9,8,1\n1,2,5\n"), first, "--weights")
	foray(t, 0, "convert", write(t, "second.csv", "src,dst,weight\n1,2,7\n"), second, "--weights")
	file := filepath.Join(dir, "first.foray")
	foray(t, 0, "convert", first, file, "--weights", "--combine", "first")
	foray(t, 0, "append", file, second, "--edge-ids", "--combine", "first")
	weight(file, "5,1")
	// Vertices have no weights that could change the type of others.
	file = filepath.Join(dir, "whole.foray")
	foray(t, 0, "convert", one, file, "--weights")
	foray(t, 0, "append", file, "--vertices", write(t, "v.csv", "id\n9\n"))
	out, _ := foray(t, 0, "sssp", file, "--source", "3", "-o", "-")
	contains(t, out, "4,9007199254740993\n")
	for _, bad := range [][]string{
		{"more than an int64 holds", "pagerank", write(t, "past.csv", "src,dst,weight\n1,2,6917529027641081856\n1,2,6917529027641081856\n"), "--weighted", "--directed"},
		{"the distance of vertex dan is more than an int64 holds", "sssp", write(t, "far.csv", "src,dst,weight\nann,bob,9223372036854775800\nbob,cid,5\ncid,dan,10\n"), "--source", "ann"},
		{"the distance of vertex 3 is more than a float32 holds; give --limit, or leave --weight-type float32 out", "sssp", write(t, "single.csv", "src,dst,weight\n1,2,3e38\n2,3,3e38\n"), "--source", "1", "--directed", "--weight-type", "float32"},
		{"the distance of vertex 3 is more than a float64 holds; give --limit, or scale the weights down before loading", "sssp", write(t, "double.csv", "src,dst,weight\n1,2,1.5e308\n2,3,1.5e308\n"), "--source", "1", "--directed"},
		{"add up to infinity", "sssp", write(t, "i.csv", "src,dst,weight\n1,2,1e308\n1,2,1e308\n"), "--source", "1", "--combine", "sum"},
	} {
		_, msg := foray(t, 1, bad[1:]...)
		contains(t, msg, bad[0])
	}
	// A limit doesn't round distances.
	out, _ = foray(t, 0, "sssp", one, "--source", "3", "--limit", "9007199254740992", "--validate", "-o", "-")
	contains(t, out, "3,0\n4,\n")
	foray(t, 0, "convert", write(t, "u.csv", "src,dst,weight\n1,2,18446744073709551615\n"), filepath.Join(dir, "u.foray"), "--weights", "--weight-type", "float64")
}
