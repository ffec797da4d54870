// This file holds tests of the commands triangles and kcore.

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTriangles has networkx' figures of the karate club, and LDBC's coefficient of a directed graph.
func TestTriangles(t *testing.T) {
	stdout, _ := foray(t, 0, "triangles", karateFile, "--validate")
	contains(t, stdout, "triangles  45; vertex 1 is in most of them, 18", "clustering 0.570638 on average", "valid ")
	stdout, _ = foray(t, 0, "triangles", karateFile, "--count-only", "--validate")
	contains(t, stdout, "triangles  45\n", "valid ")
	path := write(t, "g.csv", "from,to\na,b\nc,a\nb,c\nc,b\na,d\n")
	stdout, _ = foray(t, 0, "triangles", path, "--directed", "--order", "given", "-o", "-")
	if want := "vertex,triangles,coefficient\na,1,0.3333333333333333\nb,1,0.5\nc,1,0.5\nd,0,0\n"; stdout != want {
		t.Errorf("%s, want %s", stdout, want)
	}
	_, stderr := foray(t, 2, "triangles", karateFile, "--count-only", "-o", "x.csv")
	contains(t, stderr, "--count-only finds nothing for every vertex")
	dir := t.TempDir()
	stdout, _ = foray(t, 0, "run", karateFile, "--do", "triangles --count-only", "--do", "kcore", "-o", dir)
	contains(t, stdout, "triangles  45\n", "result     no file: there is nothing for each vertex", "kcore.parquet, 34 rows")
}

// TestKCore writes a core to every kind of file and reads it again.
func TestKCore(t *testing.T) {
	stdout, _ := foray(t, 0, "kcore", karateFile, "--validate")
	contains(t, stdout, "degeneracy 4; that core has 10 vertices", "valid ")
	for _, name := range []string{"core.parquet", "core.csv", "core.el", "core.foray", "core.tsv.gz"} {
		out := filepath.Join(t.TempDir(), name)
		stdout, _ := foray(t, 0, "kcore", karateFile, "--k", "4", "--graph-out", out)
		contains(t, stdout, "4-core", out+", 10 vertices, 25 edges")
		stdout, _ = foray(t, 0, "kcore", out, "--validate", "-o", "-")
		rows := strings.Split(strings.TrimSpace(stdout), "\n")
		for _, row := range rows[1:] {
			if !strings.HasSuffix(row, ",4") {
				t.Errorf("%s: %s; all of the core have core number 4", name, row)
			}
		}
		if len(rows) != 11 || !strings.Contains(stdout, "\n34,4\n") && !strings.HasSuffix(stdout, "\n34,4\n") {
			t.Errorf("%s: %s", name, stdout)
		}
	}
	for want, args := range map[string]string{
		"--k and --graph-out go together":             "--k 3",
		"--k 0 is the whole graph":                    "--k 0 --graph-out x.csv",
		"--graph-out needs a file; name one":          "--k 3 --graph-out -",
		"DIMACS, METIS and compressed JSON lines are": "--k 3 --graph-out x.gr",
		"objects in stores are written as":            "--k 3 --graph-out s3://b/x.el",
		"x.png: .png isn't written; there are":        "--k 3 --graph-out x.png",
	} {
		_, stderr := foray(t, 2, append([]string{"kcore", karateFile}, strings.Fields(args)...)...)
		contains(t, stderr, want)
	}
}

// TestKCoreWeights writes a core with weights and without.
func TestKCoreWeights(t *testing.T) {
	in := write(t, "e.csv", "src,dst,weight,cost\n0,1,3,9\n1,2,4,8\n2,0,5,7\n2,3,6,6\n")
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	core := func(status int, in, out string, more ...string) string {
		_, stderr := foray(t, status, append([]string{"kcore", in, "--k", "2", "--graph-out", at(out)}, more...)...)
		return stderr
	}
	contains(t, core(0, in, "plain.csv"), "left out of "+at("plain.csv")+": weight, cost; --weight COLUMN keeps weights")
	contains(t, core(0, in, "named.csv", "--weight", "cost"), "left out of "+at("named.csv")+": weight; ")
	want := map[string]string{"plain.csv": "src,dst\n0,1\n0,2\n1,2\n", "named.csv": "src,dst,weight\n0,1,9\n0,2,7\n1,2,8\n"}
	for _, name := range []string{"x.wel", "x.wsg", "x.foray"} {
		var more []string
		if name == "x.foray" {
			more = []string{"--weight", "weight"}
		}
		contains(t, core(0, in, name, more...), "left out of "+at(name)+": cost; ")
		foray(t, 0, "convert", at(name), at(name+".csv"), "--weights", "--simple")
		want[name+".csv"] = "src,dst,weight\n0,1,3\n0,2,5\n1,2,4\n"
	}
	// Prepared graphs bring their weights along.
	core(0, at("x.foray"), "kept.csv")
	core(0, at("x.foray"), "kept.tsv")
	contains(t, core(0, at("x.foray"), "bare.el"), "left out of "+at("bare.el")+": the weights; ")
	want["kept.csv"], want["kept.tsv"] = "src,dst,weight\n0,1,3\n0,2,5\n1,2,4\n", "src\tdst\tweight\n0\t1\t3\n0\t2\t5\n1\t2\t4\n"
	for name, rows := range want {
		if got := read(t, at(name)); got != rows {
			t.Errorf("%s: %q, want %q", name, got, rows)
		}
	}
	bare := write(t, "bare.csv", "src,dst\n1,2\n2,3\n3,1\n")
	stdout, stderr := foray(t, 1, "kcore", bare, "--k", "2", "--graph-out", at("none.wel"))
	if contains(t, stderr, "weight"); strings.Contains(stdout, "degeneracy") {
		t.Errorf("it calculated: %s", stdout)
	}
	_, stderr = foray(t, 2, "kcore", "gen:star:4", "--k", "1", "--graph-out", at("none.wsg"))
	contains(t, stderr, "these edges have no weights")
	contains(t, core(2, in, "x.el", "--weight", "cost"), "x.el: a file that ends in .el has no weights; call it .wel, or leave out --weight")
	_, stderr = foray(t, 2, "kcore", in, "--weight", "cost")
	contains(t, stderr, "--weight names weights that --graph-out writes: give --k and --graph-out too")
	_, stderr = foray(t, 1, "kcore", bare, "--k", "2", "--graph-out", at("none.sg"))
	contains(t, stderr, "none.sg: the ids of .sg, .wsg, .bin and .adj are 0 to n-1, of .mtx 1 to n, those of this core aren't; write .el,")
	_, stderr = foray(t, 0, "run", in, "--do", "kcore --k 2 --graph-out "+at("run.csv"), "--weight", "cost")
	contains(t, stderr, "left out of "+at("run.csv")+": weight; ")
	if got := read(t, at("run.csv")); got != want["named.csv"] {
		t.Errorf("run: %q", got)
	}
}
