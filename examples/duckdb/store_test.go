// This file tests that Foray reads what DuckDB writes in partitions, from a store.

package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow"
	_ "github.com/foray-graph/foray/io/s3"
)

// TestStore: a search reads a lake from a bucket of a real store, and asks for no object of a day that
// the condition leaves out. DuckDB joins the depths that Foray writes.
func TestStore(t *testing.T) {
	bucket := tests3.NewGateway(t)
	for k, v := range bucket.Env() {
		t.Setenv(k, v)
	}
	d, dir := open(t), t.TempDir()
	d.exec("%s COPY follows TO '%s/follows' (FORMAT parquet, CODEC zstd, PARTITION_BY (day))", tables, dir)
	err := filepath.WalkDir(filepath.Join(dir, "follows"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		key, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(key, "day=2025-12-31") {
			data = []byte("no Parquet: whoever opens it fails")
		}
		bucket.Put(t, filepath.ToSlash(key), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	g, err := arrow.Load(ctx, bucket.Path("follows/"), arrow.Options{Source: "follower", Target: "followed", Where: "day >= '2026-01-01'",
		Graph: graph.Options{Directed: true, Reverse: true}})
	if err != nil {
		t.Fatal(err)
	}
	placed, err := g.On(host.New(0))
	if err != nil {
		t.Fatal(err)
	}
	defer placed.Close()
	source, err := g.VertexString("u1")
	if err != nil {
		t.Fatal(err)
	}
	depths, err := dobfs.Run(ctx, placed, source, dobfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer depths.Close()
	if err := arrow.Write(ctx, dir+"/depths.parquet", g, arrow.ResultColumns(depths), arrow.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	got := d.strings("SELECT name || ' ' || coalesce(depth, -1) FROM users LEFT JOIN '%s/depths.parquet' ON id = vertex ORDER BY name", dir)
	if want := []string{"Ada 0", "Ben 1", "Cleo 1", "Dan 2", "Eve 3", "Finn -1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
