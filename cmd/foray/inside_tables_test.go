// This file tests that nothing is written into tables, nor over what was opened, by whichever name.

package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

// TestOutputInTable: outputs in a table's directory, and over its data files elsewhere, are refused before anything
// is written.
func TestOutputInTable(t *testing.T) {
	dir, club := deltaOfKarate(t), absolute(karate)
	t.Chdir(t.TempDir())
	whole := filepath.Join(t.TempDir(), "whole")
	if err := os.CopyFS(whole, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	far := filepath.Join(t.TempDir(), "far.parquet")
	if err := os.Rename(filepath.Join(dir, "karate.parquet"), far); err != nil {
		t.Fatal(err)
	}
	for v := range 3 {
		name := filepath.Join(dir, fmt.Sprintf("_delta_log/%020d.json", v))
		text := strings.ReplaceAll(read(t, name), `"karate.parquet"`, fmt.Sprintf("%q", "file://"+filepath.ToSlash(far)))
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(dir, "ln"); err != nil {
		testlong.Without(t, "needs symbolic links", err)
	}
	if err := os.Symlink(far, "soft.parquet"); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(far, "hard.parquet"); err != nil {
		testlong.Without(t, "needs hard links", err)
	}
	before, farBefore := tree(t, dir), read(t, far)
	for _, args := range []string{
		"bfs T -o T/_delta_log/00000000000000000003.json --format jsonl", "bfs T -o T/_delta_log/00000000000000000002.json --format jsonl",
		"bfs T -o T/path.parquet", "bfs T -o T/new.csv", "bfs T -o ln/new.csv", "bfs ln -o T/new.csv", "bfs ln -o ln/_delta_log/x.csv", "bfs T -o T/sub --partition-by depth",
		"bfs T -o FAR", "bfs T -o hard.parquet", "bfs T -o soft.parquet", "bfs T --snapshot 1 -o hard.parquet", "convert T hard.parquet", "convert T T/new.foray", "convert T T/new.el", "convert T hard.parquet --format csv",
		"bfs T --plot T/x.svg", "pagerank T -o T/x.csv", "kcore T --k 1 --graph-out T/x.el", "kcore T --k 1 --graph-out hard.parquet", "run T --do bfs -o T", "run T --do bfs -o T/out",
		"convert K --edges T;src=src hard.parquet", "bfs FAR -o hard.parquet",
		// Tables that aren't read are tables too.
		"bfs gen:path:3 -o T/x.csv", "convert K T/new.parquet", "convert K ln/_delta_log/00000000000000000003.json --format jsonl", "bfs T/path.parquet -o T/new.parquet",
	} {
		all := strings.Fields(strings.NewReplacer("T/", dir+"/", "T;", dir+";", "FAR", far, "K ", club+" ").Replace(args))
		for i := range all {
			if all[i] == "T" {
				all[i] = dir
			}
		}
		_, errs := foray(t, 2, append(all, "--allow-outside")...)
		if !strings.Contains(errs, "which is read: reading that again would read the output") && !strings.Contains(errs, "a table's directory is for its own files") || !strings.Contains(errs, "write it elsewhere") {
			t.Errorf("%s: %s", args, errs)
		}
		if tree(t, dir) != before || read(t, far) != farBefore {
			t.Fatalf("%s: the table was changed", args)
		}
		if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %q, %v", args, left, err)
		}
	}
	// Outputs next to a table are allowed.
	for _, args := range [][]string{{"bfs", dir, "-o", "out.csv"}, {"convert", dir, "out.foray"}, {"bfs", dir, "-o", filepath.Dir(dir) + "/beside.csv"}} {
		foray(t, 0, append(args, "--allow-outside")...)
	}
	// A table in a store.
	f := tests3.NewFake(t, "lake")
	for k, v := range f.Env() {
		t.Setenv(k, v)
	}
	for _, name := range []string{"path.parquet", "karate.parquet", "_delta_log/00000000000000000000.json", "_delta_log/00000000000000000001.json", "_delta_log/00000000000000000002.json"} {
		f.Put("lake", "t/"+name, []byte(read(t, filepath.Join(whole, name))))
	}
	keys := fmt.Sprint(f.Keys("lake"))
	for _, out := range []string{"s3://lake/t/_delta_log/00000000000000000003.json", "s3://lake/t/karate.parquet", "s3://lake/t/x.csv"} {
		_, errs := foray(t, 2, "bfs", "s3://lake/t", "-o", out, "--format", "jsonl")
		contains(t, errs, "write it elsewhere")
	}
	_, errs := foray(t, 2, "bfs", "s3://lake/t", "-o", "s3://lake/t/parts", "--partition-by", "depth")
	contains(t, errs, "write it elsewhere")
	if now := fmt.Sprint(f.Keys("lake")); now != keys {
		t.Errorf("%s, before %s", now, keys)
	}
	foray(t, 0, "bfs", "s3://lake/t", "-o", "s3://lake/tx.csv")
}

// TestOutputOverAppended: append replaces the graph that it changes, and nothing else that it reads.
func TestOutputOverAppended(t *testing.T) {
	club := absolute(karate)
	t.Chdir(t.TempDir())
	foray(t, 0, "convert", club, "a.foray")
	foray(t, 0, "convert", club, "b.foray")
	if err := os.WriteFile("new.csv", []byte("src,dst\n1,1000\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Link("b.foray", "hard.foray"); err != nil {
		testlong.Without(t, "needs hard links", err)
	}
	before := read(t, "b.foray")
	_, errs := foray(t, 1, "append", "a.foray", "b.foray", "-o", "hard.foray")
	if read(t, "b.foray") != before {
		t.Errorf("an input was replaced: %s", errs)
	}
	foray(t, 0, "append", "a.foray", "new.csv")
	printed, _ := foray(t, 0, "info", "a.foray")
	contains(t, printed, "35")
}

// TestPartitionCounts: the printed number of rows equals the rows in the files, even if a value is
// spelled like Hive's name for none.
func TestPartitionCounts(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, edges := range []string{
		"src,dst\nr,__HIVE_DEFAULT_PARTITION__\n__HIVE_DEFAULT_PARTITION__,c\nx,y\n",
		"src,dst\n\"\",a\n__HIVE_DEFAULT_PARTITION__,b\nx,y\n%2F,q\n",
		"src,dst\n\"\",a\n\"\",b\na,c\nx,y\n",
	} {
		name, out := fmt.Sprintf("e%d.csv", i), fmt.Sprintf("out%d", i)
		if err := os.WriteFile(name, []byte(edges), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, by := range []string{"vertex", "parent"} {
			printed, _ := foray(t, 0, "bfs", name, "--ids", "string", "-s", "x", "--parents", "-o", out+by, "--partition-by", by, "--format", "csv")
			rows := 0
			files, err := filepath.Glob(filepath.Join(out+by, "*", "*.csv"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				all, err := csv.NewReader(strings.NewReader(read(t, f))).ReadAll()
				if err != nil {
					t.Fatal(err)
				}
				rows += len(all) - 1
			}
			contains(t, printed, fmt.Sprintf("%s%s, %d rows, by %s\n", out, by, rows, by))
			if n := strings.Count(edges, "\n"); rows < n {
				t.Errorf("%s by %s: %d rows", name, by, rows)
			}
		}
	}
}
