package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestNamedTwice: a file that is named twice is read twice, whatever its format, and so is a file that is
// named alone and by a directory or pattern.
func TestNamedTwice(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"g.parquet", "g.arrow", "g.arrows", "g.csv", "g.tsv", "g.jsonl", "g.el"} {
		foray(t, 0, "gen", "grid2d:3x3", "-o", at(name))
		out, _ := foray(t, 0, "convert", at(name), at("out.csv"))
		if !strings.Contains(out, " 12 edges") {
			t.Fatalf("%s: %s", name, out)
		}
		for _, paths := range [][]string{{at(name), at(name)}, {at(name), dir + "/./" + name}} {
			out, _ := foray(t, 0, append(append([]string{"convert"}, paths...), at("out.csv"))...)
			contains(t, out, " 24 edges")
		}
	}
	out, _ := foray(t, 0, "convert", at("g.parquet"), at("*.parquet"), at("out.csv"))
	contains(t, out, " 24 edges")
	out, _ = foray(t, 0, "convert", at("g.arrow"), at("*.arrow"), at("g.parquet"), at("out.csv"))
	contains(t, out, " 36 edges")
}

// TestGeneratedIsolated: the vertices without an edge that a generated graph has, and a file of edges has
// no place for, are counted.
func TestGeneratedIsolated(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const note = "the 131 vertices without an edge; the format has no place for them"
	for _, name := range []string{"g.el", "g.txt", "g.csv", "g.tsv", "g.jsonl", "g.parquet", "g.arrow"} {
		for _, args := range [][]string{{"gen", "kron10"}, {"gen", "kron10", "--simple"}} {
			_, errs := foray(t, 0, append(args, "-o", at(name))...)
			contains(t, errs, "left out of "+at(name)+": "+note)
		}
		_, errs := foray(t, 0, "convert", "gen:kron10", at(name))
		contains(t, errs, note)
		_, errs = foray(t, 0, "gen", "path:100", "-o", at(name))
		if errs != "" {
			t.Errorf("%s: %s", name, errs)
		}
	}
	for _, name := range []string{"g.sg", "g.foray"} {
		if _, errs := foray(t, 0, "gen", "kron10", "-o", at(name)); errs != "" {
			t.Errorf("%s: %s", name, errs)
		}
	}
	for n, want := range map[uint64]string{1: "", 64: "the 63 vertices without an edge", 65: "the 64 vertices without an edge", 130: "the 129 vertices without an edge"} {
		var v bareVertices
		v.declare(n)
		v.ends.set(0)
		if got := strings.Join(v.leftOut(), ""); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
