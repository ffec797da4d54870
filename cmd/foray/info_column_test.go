// This file tests what info --column says.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInfoColumn: one column is described on one screen, by the metadata of its files.
func TestInfoColumn(t *testing.T) {
	karate := "../../testdata/karate.parquet"
	dir := t.TempDir()
	table := filepath.Join(dir, "year=2025", "e.parquet")
	if err := os.Mkdir(filepath.Dir(table), 0o777); err != nil {
		t.Fatal(err)
	}
	foray(t, 0, "convert", write(t, "a.csv", "src,dst,weight\n1,2,.5\n2,3,1.5\n"), table, "--weight", "weight")

	out, _ := foray(t, 0, "info", karate, "--column", "src")
	contains(t, out, "column         src", "files          1: 78 rows", "type           int64, stored as INT64", "nulls          0, 0 %",
		"values         1 to 33, by the statistics", "encodings      PLAIN (1)", "compression    snappy (1)", "good for       ids, weights, conditions", `such as --where "src >= 1"`)
	if n := strings.Count(out, "\n"); n > 24 {
		t.Errorf("%d lines", n)
	}
	out, _ = foray(t, 0, "info", dir, karate, "--column", "weight")
	contains(t, out, "files          2, 1 without the column: 80 rows", "nulls          78, 97.5 %", "values         0.5 to 1.5, by the statistics")
	out, _ = foray(t, 0, "info", dir, "--column", "year")
	contains(t, out, "stored as a directory's name", "values         2025 to 2025")
	out, _ = foray(t, 0, "info", filepath.Join(dir, "*", "*.parquet"), "--column", "DST", "--where", "year = 2025")
	contains(t, out, "column         dst", "values         2 to 3")

	for args, want := range map[string]string{
		karate + " --column sr":                               `column "sr": no file has it; the columns are "src" (int64), "dst" (int64); did you mean "src"?`,
		karate + " --column src --directed":                   "--directed is for graphs, and --column describes a column of files",
		"gen:star:4 --column src":                             "--column is for Parquet and Arrow files, and tables of Iceberg and Delta Lake, which gen:star:4 isn't",
		"../../testdata/nowhere --column src":                 "no such file or directory",
		write(t, "a.csv", "src,dst\n1,2\n") + " --column src": "a.csv isn't",
	} {
		fields := strings.Fields(args)
		status := 2
		if strings.Contains(want, "no file has it") || strings.Contains(want, "no such file") {
			status = 1
		}
		_, errs := foray(t, status, append([]string{"info"}, fields...)...)
		contains(t, errs, want)
	}
	_, errs := foray(t, 2, "info", karate, "--column", "")
	contains(t, errs, "--column needs the NAME of a column")
}
