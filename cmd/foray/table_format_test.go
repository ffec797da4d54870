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
		"plain/a.parquet": karate, "lake/t/part-0.parquet": karate, "lake/t/_delta_log/00000000000000000000.json": nil,
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
			if _, stderr := foray(t, 1, args...); !strings.Contains(stderr, "lake/t is a Delta Lake table (it has _delta_log/)") || !strings.Contains(stderr, "export a snapshot") {
				t.Errorf("%q: %s", args, stderr)
			}
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("there is an output")
	}
	foray(t, 0, "info", filepath.Join(dir, "lake", "t", "part-0.parquet"))
}
