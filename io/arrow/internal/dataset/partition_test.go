// This file tests which directories are columns.

package dataset

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// partitionsIn returns the columns that directories tell.
func partitionsIn(t *testing.T, path string, s3 input.S3Options) (names []string) {
	t.Helper()
	d, err := Open(context.Background(), []string{path}, Options{S3: s3})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for _, c := range d.Schema().Columns {
		if c.Partition {
			names = append(names, c.Name)
		}
	}
	if s := d.Schema(); s.Columns[s.Source].Name != "src" || s.Columns[s.Target].Name != "dst" || s.Columns[s.Source].Partition {
		t.Errorf("%s: the ends are %+v", path, s)
	}
	return names
}

// TestPartitionsOfPaths: one case for each way to name what is read.
func TestPartitionsOfPaths(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "x=y", "src=1", "dst=2", "lake", "kind=a", "year=2025", "in", "month=3")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	intsFile(t, filepath.Join(dir, "e.parquet"), "src dst w", 3, []int64{1, 2, 3}, []int64{4, 5, 6}, []int64{7, 8, 9})
	t.Chdir(filepath.Join(top, "x=y", "src=1", "dst=2", "lake"))
	fake := tests3.NewFake(t, "bucket")
	data, err := os.ReadFile(filepath.Join(dir, "e.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	fake.Put("bucket", "x=y/src=1/dst=2/lake/kind=a/year=2025/in/month=3/e.parquet", data)
	local := filepath.Join(top, "x=y", "src=1", "dst=2")
	remote := "s3://bucket/x=y/src=1/dst=2"
	for _, c := range []struct{ path, want string }{
		{"TOP", "x kind year month"}, // x is at the end of the named path, and src and dst the file has itself
		{"TOP/lake", "kind year month"},
		{"TOP/lake/", "kind year month"},
		{"TOP/lake/kind=a", "kind year month"},
		{"TOP/lake/kind=a/year=2025", "kind year month"},
		{"TOP/lake/kind=a/year=2025/in", "month"},
		{"TOP/lake/kind=a/year=2025/in/month=3", "month"},
		{"TOP/lake/kind=a/year=2025/in/month=3/e.parquet", "month"},
		{"TOP/lake/kind=a/year=2025/in/month=3/*.parquet", "month"},
		{"TOP/lake/kind=a/year=2025/in/month=*/e.parquet", "month"},
		{"TOP/lake/kind=a/year=*/in/*/e.parquet", "kind year month"},
		{"TOP/lake/kind=?/year=2025/in/month=3/e.parquet", "kind year month"},
		{"TOP/lake/**/e.parquet", "kind year month"},
		{".", "kind year month"},
		{"", "kind year month"},
		{"kind=a", "kind year month"},
		{"./kind=a/year=2025/in", "month"},
		{"kind=a/../kind=a/year=2025/in/month=3/e.parquet", "month"},
		{"**/e.parquet", "kind year month"},
	} {
		want := strings.Fields(c.want)
		places := []struct {
			path string
			s3   input.S3Options
		}{{c.path, input.S3Options{}}}
		if rest, ok := strings.CutPrefix(c.path, "TOP"); ok {
			places[0].path = local + rest
			if !strings.Contains(rest, "**") {
				places = append(places, struct {
					path string
					s3   input.S3Options
				}{remote + rest, samples.S3Options(fake.Env())})
			}
		}
		for _, p := range places {
			if p.path == "" {
				continue
			}
			if got := partitionsIn(t, p.path, p.s3); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", p.path, got, want)
			}
		}
	}
	// Ends that are further up are no columns, and one at the end of the
	// path doesn't hide the file's, nor is it taken for an end.
	for _, name := range []string{"w=1", "src=9", "from=a/to=b", "source=7/target=8", "weight=5"} {
		dir := filepath.Join(t.TempDir(), filepath.FromSlash(name))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		path := intsFile(t, filepath.Join(dir, "e.parquet"), "src dst w", 3, []int64{1, 2, 3}, []int64{4, 5, 6}, []int64{7, 8, 9})
		for _, p := range []string{path, dir} {
			if got, _ := pairsOf(t, p, Options{Where: "w >= 8 and src > 1"}); !slices.Equal(got, []string{"2 5", "3 6"}) {
				t.Errorf("%s: %q", p, got)
			}
		}
		if _, err := Load(context.Background(), dir, Options{Graph: graph.Options{Weights: true}}); err == nil {
			t.Errorf("%s: a weight from nowhere", name)
		}
	}
}

// TestPartitionsShell: a shell's expansion of a pattern is read as the pattern.
func TestPartitionsShell(t *testing.T) {
	dir := t.TempDir()
	all := writeLake(t, dir, rand.New(rand.NewPCG(8, 8)), 50, 20, 1000)
	paths, err := filepath.Glob(filepath.Join(dir, "year=*"))
	if err != nil || len(paths) != 4 {
		t.Fatal(paths, err)
	}
	want := 0
	for _, x := range all {
		if x.year >= 2022 {
			want++
		}
	}
	for _, paths := range [][]string{paths, {filepath.Join(dir, "year=*")}, {dir}} {
		d, err := Open(context.Background(), paths, Options{Where: "year >= 2022", Workers: 1})
		got := 0
		if err == nil {
			err = d.Batches(context.Background(), func(b graph.Batch) error { got += len(b.Src); return nil })
		}
		if err != nil || got != want {
			t.Errorf("%s: %d rows, want %d, %v", fmt.Sprint(paths), got, want, err)
		}
	}
}
