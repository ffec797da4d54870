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
		"--k and --graph-out need each other":                        "--k 3",
		"--k 0 is the whole graph":                                   "--k 0 --graph-out x.csv",
		"--graph-out needs a file; name one":                         "--k 3 --graph-out -",
		"Matrix Market, DIMACS, METIS and compressed JSON lines are": "--k 3 --graph-out x.mtx",
		"objects in stores are written as":                           "--k 3 --graph-out s3://b/x.el",
		"x.png: .png isn't written; there are":                       "--k 3 --graph-out x.png",
	} {
		_, stderr := foray(t, 2, append([]string{"kcore", karateFile}, strings.Fields(args)...)...)
		contains(t, stderr, want)
	}
}
