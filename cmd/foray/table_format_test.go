// This file tests that no command reads a table of Iceberg, Delta Lake or Hudi as a
// directory of files.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTableFormats(t *testing.T) {
	karate, err := os.ReadFile("../../testdata/karate.parquet")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"plain/a.parquet": karate, "lake/t/part-0.parquet": karate, "lake/t/_delta_log/00000000000000000000.json": []byte("{\"commitInfo\":{}}\n"),
		"lake/t/notes.csv": []byte("1,2\n"),
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	plain, out := filepath.Join(dir, "plain"), filepath.Join(dir, "out.parquet")
	for _, below := range []string{"lake", "lake/t", "lake/t/", "lake/t/*.parquet", "lake/t/*", "lake/*/*", "lake/**/*"} {
		p := filepath.Join(dir, below)
		for _, args := range [][]string{
			{"bfs", p, "--source", "1"}, {"info", p}, {"convert", p, out}, {"bench", p}, {"info", plain, p},
			{"info", plain, "--edges", p}, {"info", plain, "--vertices", p, "--vertex-id", "src"},
		} {
			status := exitError
			if below == "lake/t" || below == "lake/t/" {
				status = exitData
			}
			_, stderr := foray(t, status, args...)
			if below == "lake/t" || below == "lake/t/" { // it is read, and its log has no table
				if !strings.Contains(stderr, "the log has no protocol") {
					t.Errorf("%q: %s", args, stderr)
				}
			} else if !strings.Contains(stderr, "lake/t is a Delta Lake table (it has _delta_log/)") || !strings.Contains(stderr, "name that directory itself to read the table") {
				t.Errorf("%q: %s", args, stderr)
			}
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("there is an output")
	}
	// What is named itself is read, and said so.
	for _, name := range []string{"part-0.parquet", "notes.csv"} {
		file := filepath.Join(dir, "lake", "t", name)
		for _, args := range [][]string{{"info", file}, {"convert", file, out}, {"convert", file, filepath.Join(dir, "out.el")}} {
			if _, stderr := foray(t, 0, args...); strings.Count(stderr, "foray: files in "+filepath.Join(dir, "lake", "t")+", a table of Delta Lake, are read as they are") != 1 {
				t.Errorf("%q: %q", args, stderr)
			}
		}
	}
}

// TestTablesOfText: a pattern whose matches are text, all or some, reads no table either.
func TestTablesOfText(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"hudi/a.csv", "hudi/p=1/b.csv", "hudi/p=1/c.el", "iceberg/data/d.csv", "plain/x.csv", "metadata/m.csv"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("1,2\n2,3\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"hudi/.hoodie", "iceberg/metadata"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "iceberg/metadata/v1.metadata.json"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for pattern, root := range map[string]string{
		"hudi/*.csv": "hudi", "hudi/*/*.csv": "hudi", "hudi/p=1/*": "hudi", "*/*.csv": "hudi", "**/c.el": "hudi", "hudi/**": "hudi",
		"iceberg/data/*.csv": "iceberg", "ice*/data/?.csv": "iceberg", "plain/*.csv": "", "metadata/*.csv": "",
	} {
		p := filepath.Join(dir, pattern)
		for _, args := range [][]string{
			{"bfs", p}, {"info", p}, {"convert", p, filepath.Join(dir, "out.parquet")}, {"bench", p},
			{"info", filepath.Join(dir, "plain/x.csv"), p}, {"info", p, "--input-format", "csv"},
		} {
			status := 1
			if root == "" {
				status = 0
			}
			_, stderr := foray(t, status, args...)
			if root == "" && stderr != "" && args[0] != "bench" || root != "" && !strings.Contains(stderr, filepath.Join(dir, root)+" is an Apache ") {
				t.Errorf("%q: %s", args, stderr)
			}
		}
	}
}
