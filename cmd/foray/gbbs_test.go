// This file tests files of GBBS and PASGAL, and written Matrix Market.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGBBSFiles: a search of each file reaches what a search of the graph does.
func TestGBBSFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	want, _ := foray(t, 0, "bfs", "gen:kron8:weights=1:9", "--source", "1", "-o", "-", "--sort", "id")
	for _, directed := range []string{"--directed=false", "--directed"} {
		for _, name := range []string{"a.bin", "a.adj", "a.bin.gz", "a.adj.zst"} {
			foray(t, 0, "convert", "gen:kron8:weights=1:9", at(name), "--vertex-numbers", "--order", "given", directed)
			got, _ := foray(t, 0, "bfs", at(name), "--source", "1", "-o", "-", "--sort", "id")
			if got != want {
				t.Errorf("%s: other depths", name)
			}
		}
	}
	foray(t, 0, "convert", "gen:kron8:weights=1:9", at("a.mtx"), "--vertex-numbers", "--order", "given")
	got, _ := foray(t, 0, "info", at("a.mtx"))
	if of, _ := foray(t, 0, "info", "gen:kron8:weights=1:9"); degreeTable(got) != degreeTable(of) || degreeTable(got) == "" {
		t.Errorf("Matrix Market: %s\nwant %s", got, of)
	}
	if head, err := os.ReadFile(at("a.mtx")); err != nil || !strings.HasPrefix(string(head), "%%MatrixMarket matrix coordinate pattern symmetric\n256 256 ") {
		t.Errorf("%v: %.80s", err, head)
	}

	// Weights.
	dist, _ := foray(t, 0, "sssp", "gen:kron8:weights=1:9", "--source", "1", "-o", "-", "--sort", "id")
	foray(t, 0, "convert", "gen:kron8:weights=1:9", at("w.adj"), "--vertex-numbers", "--order", "given", "--weights")
	if got, _ := foray(t, 0, "sssp", at("w.adj"), "--source", "1", "-o", "-", "--sort", "id"); got != dist {
		t.Error("weights of .adj: other distances")
	}
	_, stderr := foray(t, 2, "convert", "gen:kron8:weights=1:9", at("w.bin"), "--weights")
	if !strings.Contains(stderr, "call it .adj") {
		t.Error(stderr)
	}
	if err := os.WriteFile(at("strings.csv"), []byte("a,b\nb,c\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"s.bin", "s.adj", "s.mtx"} {
		_, stderr := foray(t, 1, "convert", at("strings.csv"), at(name), "--header", "false")
		if !strings.Contains(stderr, "--vertex-numbers") {
			t.Errorf("%s: %s", name, stderr)
		}
	}
}

// degreeTable returns the table of degrees that info prints.
func degreeTable(out string) string {
	_, table, _ := strings.Cut(out, "vertices   share\n")
	table, _, _ = strings.Cut(table, "memory")
	return table
}

// TestGenMTX: generated vertices are numbered from 0, those of a matrix from 1.
func TestGenMTX(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.mtx")
	foray(t, 0, "gen", "path:3", "-o", out)
	if got, err := os.ReadFile(out); err != nil || string(got) != "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n" {
		t.Errorf("%q %v", got, err)
	}
}
