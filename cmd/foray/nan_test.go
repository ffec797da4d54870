// This file tests weights that are no numbers.

package main

import (
	"os"
	"path/filepath"
	"testing"
)

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
		contains(t, errs, "bad weights", "NaN")
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
