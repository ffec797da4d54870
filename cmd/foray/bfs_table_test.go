// This file tests the tables that bfs writes beside those with a row per vertex:
// paths, partitions, and the metadata of all of them.

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/parquet/file"
)

func TestBFSPaths(t *testing.T) {
	in := write(t, "a.csv", "from,to\na,b;c\nb;c,d\nx,y\n")
	for args, want := range map[string]string{
		"-s a -t d -t y -t a":                               "target,depth,path\nd,2,a;b\\;c;d\ny,-1,\na,0,a\n",
		"-s a -t d -t y --reached-only":                     "target,depth,path\nd,2,a;b\\;c;d\n",
		"-s a -t d -t y --format jsonl":                     "{\"target\":\"d\",\"depth\":2,\"path\":[\"a\",\"b;c\",\"d\"]}\n{\"target\":\"y\",\"depth\":null,\"path\":null}\n",
		"-s a -t d --algo bfs --strategy read":              "target,depth,path\nd,2,a;b\\;c;d\n",
		"-s a -t d --depth-limit 1 --parents":               "target,depth,path\nd,-1,\n",
		"-s a -s d -t b;c --reached-only --algo bfs":        "target,depth,path\nb;c,1,a;b\\;c\n",
		"-s a -t a -t a --validate --order degree":          "target,depth,path\na,0,a\n",
		"-s a -t d --directed --validate --order given":     "target,depth,path\nd,2,a;b\\;c;d\n",
		"-s d -t a --directed --reached-only --format csv":  "target,depth,path\n",
		"-s a -t d --two-pass --input-format csv -t y -s d": "target,depth,path\nd,0,d\ny,-1,\n",
	} {
		out, _ := foray(t, 0, append([]string{"bfs", in, "--header", "true", "--paths", "-o", "-"}, strings.Fields(args)...)...)
		if out != want {
			t.Errorf("%s: got %q, want %q", args, out, want)
		}
	}
	dir := t.TempDir()
	out, _ := foray(t, 0, "bfs", karate, "-s", "17", "-t", "16", "-t", "6", "--depth-limit", "1", "--paths", "-o", filepath.Join(dir, "p.parquet"))
	contains(t, out, "p.parquet, 2 rows\n")
	out, _ = foray(t, 0, "bfs", karate, "-s", "17", "-t", "16", "-t", "6", "--depth-limit", "1", "--paths", "--reached-only", "-o", filepath.Join(dir, "p.arrow"))
	contains(t, out, "p.arrow, 1 row\n")
}

func TestBFSPartitions(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	files := func() (names []string) {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(dir, "out", "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			rel, _ := filepath.Rel(out, f)
			names = append(names, filepath.ToSlash(rel))
		}
		return names
	}
	printed, _ := foray(t, 0, "bfs", karate, "-s", "1", "--partition-by", "depth", "-o", out)
	contains(t, printed, "result     "+out+", 34 rows, by depth\n")
	if got, want := files(), []string{"depth=0/part-0.parquet", "depth=1/part-0.parquet", "depth=2/part-0.parquet", "depth=3/part-0.parquet"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	_, errs := foray(t, 1, "bfs", karate, "--partition-by", "depth", "-o", out)
	contains(t, errs, "cannot write "+out+": the directory exists already", "or replace it with --overwrite")
	foray(t, 0, "bfs", karate, "-s", "17", "--depth-limit", "1", "--partition-by", "parent", "--parents", "--reached-only", "--format", "csv", "-o", out, "--overwrite")
	if got, want := files(), []string{"parent=17/part-0.csv"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got, want := read(t, filepath.Join(out, "parent=17", "part-0.csv")), "vertex,depth\n6,1\n7,1\n17,0\n"; got != want {
		t.Errorf("got %q", got)
	}
	// What was written is read again, as any directory.
	foray(t, 0, "bfs", karate, "-s", "1", "--parents", "--partition-by", "depth", "-o", out, "--overwrite")
	printed, _ = foray(t, 0, "info", out, "--src", "parent", "--dst", "vertex")
	contains(t, printed, "vertices       34")
	// No directory but one of partitions is replaced.
	if err := os.WriteFile(filepath.Join(dir, "thesis.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, errs = foray(t, 1, "bfs", karate, "--partition-by", "depth", "-o", dir, "--overwrite")
	contains(t, errs, "and no .foray-partitions, the list of what Foray wrote; only what is in that list is overwritten", "name another directory")
	if _, err := os.Stat(filepath.Join(dir, "thesis.txt")); err != nil {
		t.Error(err)
	}
}

// TestBFSMetadata reads what files say of the search.
func TestBFSMetadata(t *testing.T) {
	dir := t.TempDir()
	var sums []string
	for _, args := range []string{"-s 1 -o D/r.parquet", "-s 1 --paths -t 34 -o D/p.arrow", "-s 1 --partition-by depth -o D/d --algo bfs --device host"} {
		foray(t, 0, append([]string{"bfs", karate}, strings.Fields(strings.ReplaceAll(args, "D/", dir+"/"))...)...)
	}
	for _, path := range []string{"r.parquet", "p.arrow", "d/depth=1/part-0.parquet"} {
		data, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		var value func(key string) string
		if strings.HasSuffix(path, ".arrow") {
			f, err := ipc.NewFileReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			m := f.Schema().Metadata()
			value = func(key string) string { v, _ := m.GetValue(key); return v }
		} else {
			f, err := file.NewParquetReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			m := f.MetaData().KeyValueMetadata()
			value = func(key string) string {
				if v := m.FindValue(key); v != nil {
					return *v
				}
				return ""
			}
		}
		algorithm, options := "dobfs", "{}"
		switch path {
		case "p.arrow":
			options = `{"parents":true,"targets":["34"]}`
		case "d/depth=1/part-0.parquet":
			algorithm = "bfs"
		}
		for key, want := range map[string]string{"foray.source": "1", "foray.sources": `["1"]`, "foray.algorithm": algorithm,
			"foray.options": options, "foray.graph.vertices": "34", "foray.graph.edges": "78", "foray.graph.directed": "false"} {
			if got := value(key); got != want {
				t.Errorf("%s: %s is %q, want %q", path, key, got, want)
			}
		}
		if value("foray.version") == "" || len(value("foray.graph.checksum")) != 64 {
			t.Errorf("%s: version %q, checksum %q", path, value("foray.version"), value("foray.graph.checksum"))
		}
		sums = append(sums, value("foray.graph.checksum"))
	}
	if sums[0] != sums[1] || sums[0] != sums[2] {
		t.Errorf("checksums %q of one graph", sums)
	}
}
