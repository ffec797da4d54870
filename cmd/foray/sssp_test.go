// This file holds tests of the sssp command.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestShortestPaths finds distances, parents and paths of a small directed graph.
func TestShortestPaths(t *testing.T) {
	path := write(t, "g.csv", "a,b,weight\nx,y,1.5\ny,z,2\nx,z,5\nq,r,1\n")
	for args, want := range map[string]string{
		"--source x":                            "vertex,distance\nq,\nr,\nx,0\ny,1.5\nz,3.5\n",
		"--source x --parents":                  "vertex,distance,parent\nq,,\nr,,\nx,0,x\ny,1.5,x\nz,3.5,y\n",
		"--source x --limit 2":                  "vertex,distance\nq,\nr,\nx,0\ny,1.5\nz,\n",
		"--source x --target y":                 "vertex,distance\nq,\nr,\nx,0\ny,1.5\nz,\n",
		"--source x --reached-only":             "vertex,distance\nx,0\ny,1.5\nz,3.5\n",
		"-s x -t z -t r --paths":                "target,depth,distance,path\nz,2,3.5,x;y;z\nr,-1,,\n",
		"-s x -s q -t r --paths":                "target,depth,distance,path\nr,1,1,q;r\n",
		"-s x --delta 0.1 --prepare":            "vertex,distance\nq,\nr,\nx,0\ny,1.5\nz,3.5\n",
		"-s x -t r -t z --paths --reached-only": "target,depth,distance,path\nz,2,3.5,x;y;z\n",
	} {
		stdout, stderr := foray(t, 0, strings.Fields("sssp "+path+" --directed --order given -o - --validate "+args)...)
		if stdout != want {
			t.Errorf("%s: %s\n%s", args, stdout, stderr)
		}
	}
}

// TestNaN: weights of NaN are loaded as they are, and what computes with weights refuses them, wherever they are.
func TestNaN(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("g.csv"), []byte("src,dst,weight\n1,2,1\n2,1,NaN\n3,4,nan\n4,5,2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	foray(t, 0, "convert", in("g.csv"), in("g.parquet"), "--weights", "--directed")
	foray(t, 0, "convert", in("g.parquet"), in("g.foray"), "--weights")
	for _, g := range []string{in("g.csv"), in("g.parquet"), in("g.foray")} {
		for _, source := range []string{"1", "3"} {
			_, errs := foray(t, 1, "sssp", g, "--source", source)
			contains(t, errs, "bad weight: the edge from 3 to 4 weighs NaN; weights must be 0 or more")
		}
		_, errs := foray(t, 1, "pagerank", g, "--weighted")
		if g == in("g.foray") {
			contains(t, errs, "bad weights: the edge from 3 to 4 weighs NaN")
		} else { // which refuse it while they are read
			contains(t, errs, "weight out of range: the edge from ", "weighs NaN; want 0 or more")
		}
	}
	out, _ := foray(t, 0, "sssp", in("g.parquet"), "--source", "4", "-o", "-", "--where", "weight >= 0")
	if want := "vertex,distance\n1,\n2,\n4,0\n5,2\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
	for range 2 { // of repeated edges the lightest stays, and NaN is heavier than all numbers
		out, _ = foray(t, 0, "convert", in("g.foray"), "-", "--weights")
		if want := "src,dst,weight\n1,2,1\n3,4,NaN\n4,5,2\n"; out != want {
			t.Errorf("%q, want %q", out, want)
		}
		foray(t, 0, "append", in("g.foray"), in("g.csv"))
	}
}
