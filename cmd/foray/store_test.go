// This file runs commands on objects in a store.

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/internal/text"
)

func TestStoreInput(t *testing.T) {
	f := tests3.NewFake(t, "lake")
	data, err := os.ReadFile("../../testdata/karate.parquet")
	if err != nil {
		t.Fatal(err)
	}
	f.Put("lake", "club/year=1977/karate.parquet", data)
	f.Put("lake", "edges.csv", []byte("1,2\n"))
	for k, v := range f.Env() {
		t.Setenv(k, v)
	}
	want, _ := foray(t, 0, "bfs", "../../testdata/karate.parquet", "--source", "1", "-o", "-", "--format", "csv")
	got, _ := foray(t, 0, "bfs", "s3://lake/club/", "--source", "1", "-o", "-", "--format", "csv", "--where", "year = 1977")
	if got != want || !strings.Contains(got, "34,") {
		t.Errorf("%s, want %s", got, want)
	}
	foray(t, 0, "bfs", "s3://lake/edges.csv")
	_, stderr := foray(t, 1, "bfs", "s3://lake/club/", "--input-format", "text")
	contains(t, stderr, "it names no object")
	_, stderr = foray(t, 1, "bfs", "s3://lake/club/", "--where", "year = 1978")
	contains(t, stderr, "no row meets")
	_, stderr = foray(t, 1, "bfs", "s3://lake/none/")
	contains(t, stderr, "no such object")
}

func TestStoreOutput(t *testing.T) {
	f := tests3.NewFake(t, "lake", "other")
	for k, v := range f.Env() {
		t.Setenv(k, v)
	}
	said, _ := foray(t, 0, "convert", "../../testdata/karate.parquet", "s3://lake/in/edges.parquet")
	edges, _ := f.Object("lake", "in/edges.parquet")
	contains(t, said, "s3://lake/in/edges.parquet: 78 edges, "+text.Bytes(uint64(len(edges)))+", in ")
	said, _ = foray(t, 0, "convert", "../../testdata/karate.parquet", "s3://other/k.foray")
	contains(t, said, "s3://other/k.foray: 78 edges, ", "kB, in ")
	foray(t, 0, "bfs", "s3://lake/in/", "--source", "1", "-o", "s3://lake/out/depths.csv")
	want, _ := foray(t, 0, "bfs", "../../testdata/karate.parquet", "--source", "1", "-o", "-", "--format", "csv")
	if got, ok := f.Object("lake", "out/depths.csv"); !ok || string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
	_, stderr := foray(t, 2, "convert", "../../testdata/karate.parquet", "s3://lake/x.sg")
	contains(t, stderr, "objects in stores are written as")
	foray(t, 0, "bfs", "../../testdata/karate.parquet", "-s", "1", "-o", "s3://lake/parts", "--partition-by", "depth", "--format", "csv")
	if keys := f.Keys("lake"); len(keys) != 7 || !strings.HasPrefix(keys[2], "parts/.foray-partitions-") || !strings.HasPrefix(keys[3], "parts/depth=0/part-0-") {
		t.Errorf("%q", keys)
	}
	_, stderr = foray(t, 1, "bfs", "no such input", "-o", "s3://lake/parts", "--partition-by", "depth")
	contains(t, stderr, "s3://lake/parts", "there are objects already", "or replace it with --overwrite")
	foray(t, 0, "bfs", "../../testdata/karate.parquet", "-s", "1", "--depth-limit", "1", "--reached-only", "-o", "s3://lake/parts", "--partition-by", "depth", "--overwrite")
	if keys := f.Keys("lake"); len(keys) != 5 {
		t.Errorf("%q", keys)
	}
	_, stderr = foray(t, 1, "bfs", "../../testdata/karate.parquet", "-o", "s3://none/x.csv")
	contains(t, stderr, "no such bucket")
	f.SetFault(func(q tests3.Request) tests3.Fault {
		if q.Op == tests3.Put {
			return tests3.Fault{Status: 403, Code: "AccessDenied"}
		}
		return tests3.Fault{}
	})
	_, stderr = foray(t, 1, "bfs", "../../testdata/karate.parquet", "-o", "s3://lake/no.csv")
	contains(t, stderr, "s3://lake/no.csv", "access denied")
	if f.Uploads() != 0 {
		t.Errorf("%d uploads are left", f.Uploads())
	}
}

// TestStorePrepared: prepared graphs go to stores and come from there.
func TestStorePrepared(t *testing.T) {
	f := tests3.NewFake(t, "lake")
	for k, v := range f.Env() {
		t.Setenv(k, v)
	}
	const karate, object = "../../testdata/karate.parquet", "s3://lake/g/karate.foray"
	file := t.TempDir() + "/karate.foray"
	foray(t, 0, "convert", karate, file)
	out, _ := foray(t, 0, "convert", karate, object)
	contains(t, out, object+": 78 edges, 4.43 kB, in ")
	if got, ok := f.Object("lake", "g/karate.foray"); !ok || string(got) != read(t, file) {
		t.Error("the object isn't the file")
	}
	want, _ := foray(t, 0, "bfs", file, "--source", "1", "-o", "-")
	got, _ := foray(t, 0, "bfs", object, "--source", "1", "-o", "-", "--memory-limit", "1MB")
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	out, _ = foray(t, 0, "info", object)
	contains(t, out, "object         4.43 kB, a prepared graph, all of it checked\n", "vertices       34\n")
	foray(t, 0, "bench", object, "--trials", "1")
	foray(t, 0, "convert", object, "s3://lake/again.foray")
	foray(t, 0, "gen", "kron8", "-o", "s3://lake/kron.foray")
	foray(t, 0, "info", "s3://lake/kron.foray", "--trust")
	for _, c := range [][]string{
		{"bfs O K", "is a prepared graph, which can't be combined with other inputs"},
		{"bfs O --directed", "--directed: the graph in s3://lake/g/karate.foray is undirected"},
	} {
		_, stderr := foray(t, 2, strings.Fields(strings.NewReplacer("O", object, "K", karate).Replace(c[0]))...)
		contains(t, stderr, c[1])
	}
	f.Put("lake", "edges/k.arrow", []byte(read(t, file)))
	f.Put("lake", "cut.foray", []byte(read(t, file)[:1000]))
	for _, c := range [][]string{
		{"bfs O --memory-limit 1kB", object + ": not enough memory: it takes 1.54 kB, but the limit is 1.00 kB ("},
		{"bfs s3://lake/none.foray", "s3://lake/none.foray", "no such object"},
		{"bfs s3://lake/cut.foray", "s3://lake/cut.foray: damaged file"},
		{"bfs s3://lake/edges/", "k.arrow: unknown format: it is a prepared graph", "let its name end in .foray"},
		{"convert K s3://none/x.foray", "no such bucket"},
	} {
		status := exitError
		if strings.Contains(c[1], "damaged file") {
			status = exitData
		}
		_, stderr := foray(t, status, strings.Fields(strings.NewReplacer("O", object, "K", karate).Replace(c[0]))...)
		contains(t, stderr, c[1:]...)
	}
}
