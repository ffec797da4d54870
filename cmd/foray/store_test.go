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
