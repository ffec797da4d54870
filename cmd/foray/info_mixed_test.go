// This file tests info on inputs of several formats.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/tests3"
)

// TestInfoMixed: rows of text and of generated graphs are counted too, and what
// isn't read is said.
func TestInfoMixed(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b.csv": "3,4\n4,5\n5,6\n", "README": "x", ".hidden": "", "_SUCCESS": "", "sub/notes.txt": "x"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	table, text := filepath.Join(dir, "a.parquet"), filepath.Join(dir, "b.csv")
	foray(t, 0, "convert", write(t, "a.csv", "1,2\n2,3\n"), table)

	out, _ := foray(t, 0, "info", "gen:path:5", "gen:star:4")
	contains(t, out, "parts          2 generated graphs: 7 edges", "of 7 edges given")
	out, _ = foray(t, 0, "info", text, text)
	contains(t, out, "input          "+text+" and 1 more", "parts          2 files of text (24 B): 6 edges")
	out, _ = foray(t, 0, "info", table, "--edges", table)
	contains(t, out, "input          "+table+" and 1 more")
	out, _ = foray(t, 0, "info", table, text)
	contains(t, out, "files          1 (", ": 2 rows;", "besides        1 file of text (12 B): 3 edges", "of 5 edges given")
	out, _ = foray(t, 0, "info", table, text, "--two-pass")
	contains(t, out, "besides        1 file of text (12 B): 3 edges", "of 5 edges given")
	out, _ = foray(t, 0, "info", filepath.Join(dir, "*.*"))
	contains(t, out, "besides        1 file of text (12 B): 3 edges")
	if strings.Contains(out, "not read") {
		t.Error(out)
	}
	out, _ = foray(t, 0, "info", dir)
	contains(t, out, "files          1 (", "not read       3 files in directories that end like neither Parquet nor Arrow, such as "+filepath.Join(dir, "README"))
	for _, args := range [][]string{{"info", text}, {"info", table}, {"info", "gen:path:5"}} {
		if out, _ := foray(t, 0, args...); strings.Contains(out, "besides") || strings.Contains(out, "not read") {
			t.Errorf("%q: %s", args, out)
		}
	}

	f := tests3.NewFake(t, "lake")
	for k, v := range f.Env() {
		t.Setenv(k, v)
	}
	data, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	f.Put("lake", "in/a.parquet", data)
	f.Put("lake", "in/b.csv", []byte("1,2\n"))
	f.Put("lake", "in/_SUCCESS", []byte("x"))
	out, _ = foray(t, 0, "info", "s3://lake/in/")
	contains(t, out, "not read       1 file in directories", "such as s3://lake/in/b.csv")
}
