// This file reads tables whose files disappear, change, or are in a store.

package iceberg_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow"
	craft "github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	_ "github.com/foray-graph/foray/io/s3"
)

// small are the columns of tables here.
var small = []craft.Column{{ID: 1, Name: "src", Type: "long", Required: true}, {ID: 2, Name: "dst", Type: "long", Required: true}, {ID: 3, Name: "w", Type: "double", Required: true}}

func numbered(from, to int) (rows []craft.Row) {
	for i := from; i < to; i++ {
		rows = append(rows, craft.Row{1: int64(i), 2: int64(i + 1), 3: 1.0})
	}
	return rows
}

// smallTable has two files, of which one has position deletes and both equality deletes.
func smallTable(t *testing.T, version int, location string) *craft.Table {
	w := craft.New(t.TempDir(), small, rand.New(rand.NewPCG(8, 8)), craft.Options{Version: version, Plain: true, Location: location})
	w.AppendOnly(numbered(0, 10), numbered(10, 20))
	w.DeletePositions(map[int][]int{0: {2, 3}})
	w.DeleteEqual(small[:1], []craft.Row{{1: int64(7)}, {1: int64(12)}}, []any{})
	return w
}

// TestPinned: a dataset keeps its snapshot, whatever is written.
func TestPinned(t *testing.T) {
	w := smallTable(t, 2, "")
	first := w.Snapshots[len(w.Snapshots)-1]
	d, err := arrow.Open(t.Context(), []string{w.Dir}, arrow.Options{Weight: "w"})
	if err != nil {
		t.Fatal(err)
	}
	w.Append(numbered(100, 120))
	w.DeletePositions(map[int][]int{1: {0, 1, 9}})
	w.DropFile(0)
	for range 2 {
		got, _, err := edges(t.Context(), d)
		if want := expected(first.Rows, nil); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v\nwant %v, %v", got, want, err)
		}
	}
	got, _, err := read(t.Context(), w.Dir, small, arrow.Options{})
	if want := expected(w.Snapshots[len(w.Snapshots)-1].Rows, nil); err != nil || !slices.Equal(got, want) {
		t.Fatalf("%v\nwant %v, %v", got, want, err)
	}
}

// TestTwice: a data file that was added twice has its rows twice, and so has a table that is named
// twice.
func TestTwice(t *testing.T) {
	w := craft.New(t.TempDir(), small, rand.New(rand.NewPCG(8, 8)), craft.Options{Version: 2, Plain: true})
	w.AppendOnly(numbered(0, 10), numbered(10, 20))
	w.AddAgain(1)
	want := expected(w.Snapshots[len(w.Snapshots)-1].Rows, nil)
	for _, paths := range [][]string{{w.Dir}, {w.Dir, w.Dir}} {
		d, err := arrow.Open(t.Context(), paths, arrow.Options{Weight: "w"})
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := edges(t.Context(), d)
		all := slices.Concat(slices.Repeat([][]string{want}, len(paths))...)
		slices.Sort(all)
		if slices.Sort(got); err != nil || len(got) != 30*len(paths) || !slices.Equal(got, all) {
			t.Errorf("%v\nwant %v, %v", got, all, err)
		}
	}
}

// TestEqualityOfVoidSpec: equality deletes of a spec whose fields are all void, as
// version 1 of the format makes those that are dropped, apply to the files of all specs.
func TestEqualityOfVoidSpec(t *testing.T) {
	w := craft.New(t.TempDir(), small, rand.New(rand.NewPCG(8, 8)), craft.Options{Version: 2, Plain: true})
	w.AppendOnly(numbered(0, 10))
	w.SetSpec([]craft.Field{{Source: 1, Name: "p", Transform: "truncate[5]"}})
	w.AppendOnly(numbered(10, 20))
	w.SetSpec([]craft.Field{{Source: 1, Name: "p", Transform: "void"}})
	w.AppendOnly(numbered(20, 30))
	w.DeleteEqual(small[:1], []craft.Row{{1: int64(7)}, {1: int64(12)}, {1: int64(25)}}, []any{nil})
	want := expected(w.Snapshots[len(w.Snapshots)-1].Rows, nil)
	got, _, err := read(t.Context(), w.Dir, small, arrow.Options{})
	if err != nil || len(want) != 27 || !slices.Equal(got, want) {
		t.Errorf("%v\nwant %v, %v", got, want, err)
	}
}

// TestGone: expired files are errors of that kind.
func TestGone(t *testing.T) {
	for _, c := range []struct {
		pattern string
		is      error
	}{
		{"data/1.parquet", input.ErrVacuumed}, {"data/*-deletes.parquet", input.ErrVacuumed}, {"data/*-equal.parquet", input.ErrVacuumed},
		{"metadata/*-m.avro", arrow.ErrSnapshot}, {"metadata/snap-*.avro", arrow.ErrSnapshot}, {"data/*.puffin", input.ErrVacuumed},
	} {
		version := 2
		if strings.HasSuffix(c.pattern, ".puffin") {
			version = 3
		}
		w := smallTable(t, version, "/elsewhere")
		names, err := filepath.Glob(filepath.Join(w.Dir, c.pattern))
		if err != nil || len(names) == 0 {
			t.Fatal(c.pattern, names, err)
		}
		for _, name := range names {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err = read(t.Context(), w.Dir, small, arrow.Options{})
		if !errors.Is(err, c.is) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", c.pattern, err)
		}
	}
}

// TestNoTable: other directories, and tables that aren't supported, are errors of that kind.
func TestNoTable(t *testing.T) {
	w := smallTable(t, 2, "/elsewhere")
	for _, c := range []struct {
		name, text string
		is         error
		says       string
	}{
		{"v9.metadata.json", `{"format-version": 9}`, errors.ErrUnsupported, "format version 9 of Apache Iceberg"},
		{"v9.metadata.json", `{`, arrow.ErrDamaged, "v9.metadata.json"},
	} {
		p := filepath.Join(w.Dir, "metadata", c.name)
		if err := os.WriteFile(p, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := arrow.Open(t.Context(), []string{p}, arrow.Options{})
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.text, err)
		}
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range []string{"nothing", "12345"} {
		if _, err := arrow.Open(t.Context(), []string{w.Dir}, arrow.Options{Snapshot: at}); !errors.Is(err, arrow.ErrSnapshot) {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// TestStore: a table in a store is read by its prefix, and by its metadata file.
func TestStore(t *testing.T) {
	store := tests3.NewFake(t, "lake")
	o := arrow.Options{S3: arrow.S3Options{Endpoint: store.Endpoint, AccessKey: tests3.AccessKey, SecretKey: tests3.SecretKey, Region: "us-east-1"}}
	for version := 1; version <= 3; version++ {
		for _, location := range []string{"s3a://lake/a/t", "/was/on/disk", "s3://other/b"} {
			w := smallTable(t, max(2, version), location)
			err := filepath.WalkDir(w.Dir, func(p string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				b, err := os.ReadFile(p)
				rel, _ := filepath.Rel(w.Dir, p)
				store.Put("lake", "a/t/"+filepath.ToSlash(rel), b)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			want := expected(w.Snapshots[len(w.Snapshots)-1].Rows, nil)
			meta := ""
			for _, key := range store.Keys("lake") {
				if strings.HasSuffix(key, ".metadata.json") && (len(key) > len(meta) || key > meta) {
					meta = key
				}
			}
			for _, path := range []string{"s3://lake/a/t", "s3://lake/a/t/", "s3://lake/" + meta} {
				got, d, err := read(t.Context(), path, small, o)
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%s of %s: %v\nwant %v, %v", path, location, got, want, err)
				}
				if snap := d.Info().Snapshots[0]; snap.Name != "t" || snap.Format != "Apache Iceberg" {
					t.Errorf("%+v", snap)
				}
			}
			for _, key := range store.Keys("lake") {
				store.Delete("lake", key)
			}
		}
	}
}
