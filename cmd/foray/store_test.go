// This file runs commands on objects in a store.

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/tests3"
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
	for _, args := range [][]string{{"bfs", "s3://lake/edges.csv"}, {"bfs", "s3://lake/club/", "--input-format", "text"}} {
		_, stderr := foray(t, 2, args...)
		contains(t, stderr, "only Parquet and Arrow")
	}
	_, stderr := foray(t, 1, "bfs", "s3://lake/club/", "--where", "year = 1978")
	contains(t, stderr, "no row meets")
	_, stderr = foray(t, 1, "bfs", "s3://lake/none/")
	contains(t, stderr, "no such object")
}

func TestStoreOutput(t *testing.T) {
	f := tests3.NewFake(t, "lake")
	for k, v := range f.Env() {
		t.Setenv(k, v)
	}
	foray(t, 0, "convert", "../../testdata/karate.parquet", "s3://lake/in/edges.parquet")
	foray(t, 0, "bfs", "s3://lake/in/", "--source", "1", "-o", "s3://lake/out/depths.csv")
	want, _ := foray(t, 0, "bfs", "../../testdata/karate.parquet", "--source", "1", "-o", "-", "--format", "csv")
	if got, ok := f.Object("lake", "out/depths.csv"); !ok || string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
	_, stderr := foray(t, 2, "convert", "../../testdata/karate.parquet", "s3://lake/x.sg")
	contains(t, stderr, "objects in stores are written as")
	foray(t, 0, "bfs", "../../testdata/karate.parquet", "-s", "1", "-o", "s3://lake/parts", "--partition-by", "depth", "--format", "csv")
	if keys := f.Keys("lake"); len(keys) != 6 || !strings.HasPrefix(keys[2], "out/depth") && !strings.HasPrefix(keys[2], "parts/depth=0/part-0-") {
		t.Errorf("%q", keys)
	}
	_, stderr = foray(t, 1, "bfs", "no such input", "-o", "s3://lake/parts", "--partition-by", "depth")
	contains(t, stderr, "s3://lake/parts", "there are objects already", "or replace it with --overwrite")
	foray(t, 0, "bfs", "../../testdata/karate.parquet", "-s", "1", "--depth-limit", "1", "--reached-only", "-o", "s3://lake/parts", "--partition-by", "depth", "--overwrite")
	if keys := f.Keys("lake"); len(keys) != 4 {
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
