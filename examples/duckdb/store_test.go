// This file runs the pipeline over a store.

package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/tests3"
	_ "github.com/foray-graph/foray/io/s3"
)

// TestStore: the pipeline reads its lake from a bucket of a real store, and
// asks for no object of a day that the condition leaves out.
func TestStore(t *testing.T) {
	g := tests3.NewGateway(t)
	for k, v := range g.Env() {
		t.Setenv(k, v)
	}
	upload := func(files string) string {
		err := filepath.WalkDir(files, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			key, err := filepath.Rel(filepath.Dir(files), path)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			if strings.Contains(key, "day=2025-12-31") {
				data = []byte("no Parquet: whoever opens it fails")
			}
			g.Put(t, filepath.ToSlash(key), data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return g.Path("follows/")
	}
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = out
	pipeline(context.Background(), t.TempDir(), "u1", upload)
	os.Stdout = stdout
	got, err := os.ReadFile(out.Name())
	if want := "Ada: 0\nBen: 1\nCleo: 1\nDan: 2\nEve: 3\nFinn isn't reached\n"; err != nil || string(got) != want {
		t.Errorf("%q, want %q, %v", got, want, err)
	}
}
