// This file tests graphs of Delta Lake tables: which snapshot is read, what becomes of
// files that are gone, and how few files a condition opens.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// pairs returns the edges of the model, sorted.
func (d *deltaTable) pairs() []string {
	var all []string
	for _, row := range d.model() {
		var src, dst string
		for _, v := range strings.Split(row, " ") {
			if s, ok := strings.CutPrefix(v, "src="); ok {
				src = s
			}
			if s, ok := strings.CutPrefix(v, "dst="); ok {
				dst = s
			}
		}
		all = append(all, src+" "+dst)
	}
	slices.Sort(all)
	return all
}

// idPairs returns the edges of a dataset, sorted, each with its id where it has one.
func idPairs(t testing.TB, d *Dataset, ids bool) ([]string, error) {
	t.Helper()
	d.o.Workers = 1
	var all []string
	err := d.Batches(context.Background(), func(b graph.Batch) error {
		for i := range b.Src {
			s := fmt.Sprint(b.Src[i], " ", b.Dst[i])
			if ids {
				s += fmt.Sprint(" #", b.EdgeIDs[i])
			}
			all = append(all, s)
		}
		return nil
	})
	slices.Sort(all)
	return all, err
}

// TestDeltaGraph: datasets of random tables have the edges of the model, with and without
// conditions; an edge has the same number whatever the condition; deleted rows are counted.
func TestDeltaGraph(t *testing.T) {
	for seed := range seeds(60) {
		r := rand.New(rand.NewPCG(seed, 34))
		d := randomDelta(t, r, t.TempDir())
		where := fmt.Sprintf("src < %d", r.IntN(30)-5)
		if c := d.fields[0]; c.partition {
			where = `"` + c.name + `" is null or ` + where
		}
		data, err := Open(context.Background(), []string{d.dir}, Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := idPairs(t, data, false)
		if want := d.pairs(); err != nil || !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, %d edges of %d", seed, err, len(got), len(want))
		}
		deleted, rows := 0, 0
		for _, f := range d.live {
			deleted += len(f.deleted)
			rows += len(f.rows)
		}
		if st := data.Stats(); st.DeletedRows != int64(deleted) || st.Rows != int64(rows) || st.RowsPassed != 0 || len(d.live) > 0 && st.Files != len(d.live) {
			t.Fatalf("seed %d: %d rows deleted of %d in %d files, want %d of %d in %d", seed, st.DeletedRows, st.Rows, st.Files, deleted, rows, len(d.live))
		}
		o := Options{Graph: graph.Options{EdgeIDs: true}}
		if data, err = Open(context.Background(), []string{d.dir}, o); err != nil {
			t.Fatal(err)
		}
		all, err := idPairs(t, data, true)
		if err != nil {
			t.Fatal(err)
		}
		o.Where = where
		if data, err = Open(context.Background(), []string{d.dir}, o); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		some, err := idPairs(t, data, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range some {
			if _, ok := slices.BinarySearch(all, e); !ok {
				t.Fatalf("seed %d, %s: edge %s has another number than without a condition", seed, where, e)
			}
		}
		if !strings.HasPrefix(where, `"`) { // it has the very edges
			limit, _ := strconv.Atoi(strings.TrimPrefix(where, "src < "))
			want := slices.DeleteFunc(slices.Clone(all), func(e string) bool {
				src, _ := strconv.Atoi(strings.Fields(e)[0])
				return src >= limit
			})
			if !slices.Equal(some, want) {
				t.Fatalf("seed %d, %s: %d edges, want %d", seed, where, len(some), len(want))
			}
		}
		// Tables go together with each other, and with files.
		plain := filepath.Join(t.TempDir(), "plain.parquet")
		writePair(t, plain, "", 1, 2)
		both, err := OpenTables(context.Background(), []Table{{Paths: []string{plain, d.dir}}, {Paths: []string{d.dir}, Source: "dst", Target: "src", Snapshot: fmt.Sprint(d.version - 1)}}, Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got, err := idPairs(t, both, false); err != nil || len(got) != 1+2*len(d.pairs()) || len(both.Snapshots()) != 2 {
			t.Fatalf("seed %d: %v, %d edges of %d, %d snapshots", seed, err, len(got), 1+2*len(d.pairs()), len(both.Snapshots()))
		}
	}
}

// TestDeltaPinned: a dataset stays with its snapshot, whatever is committed and vacuumed
// beside it; a missing file of it is an error with that reason.
func TestDeltaPinned(t *testing.T) {
	for seed := range seeds(30) {
		r := rand.New(rand.NewPCG(seed, 35))
		d := newDeltaTable(t, r, t.TempDir())
		f := d.newFile(1 + r.IntN(50))
		d.live[f.path] = f
		d.commit(map[string]any{"add": f.action})
		data, err := Open(context.Background(), []string{d.dir}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := d.pairs()
		for range 5 {
			d.step()
		}
		if got, err := idPairs(t, data, false); err != nil || !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, %d edges of %d", seed, err, len(got), len(want))
		}
		name := data.tables[0].Path
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		_, err = idPairs(t, data, false)
		checkVacuumed(t, err, name, "version 0 of the Delta Lake table "+d.dir)
		_, err = Open(context.Background(), []string{d.dir}, Options{Snapshot: "0"})
		checkVacuumed(t, err, name, "version 0 of the Delta Lake table "+d.dir)
	}
}

func checkVacuumed(t *testing.T, err error, file, snapshot string) {
	t.Helper()
	var at *input.FileError
	if !errors.Is(err, input.ErrVacuumed) || !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &at) || at.Path != file || !strings.Contains(err.Error(), snapshot) {
		t.Fatalf("%v", err)
	}
}

// TestDeltaPinnedStore: likewise in a store.
func TestDeltaPinnedStore(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 36))
	d := newDeltaTable(t, r, t.TempDir())
	f := d.newFile(40)
	d.live[f.path] = f
	d.commit(map[string]any{"add": f.action})
	store := tests3.NewFake(t, "lake")
	stock(t, fakeShelf{store}, d.dir, "t/")
	o := Options{S3: samples.S3Options(store.Env())}
	o.S3.Attempts = 1
	data, err := Open(context.Background(), []string{"s3://lake/t"}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range store.Keys("lake") {
		if strings.HasSuffix(key, ".parquet") {
			store.Delete("lake", key)
		}
	}
	_, err = idPairs(t, data, false)
	checkVacuumed(t, err, data.tables[0].Path, "version 0 of the Delta Lake table s3://lake/t")
	_, err = Open(context.Background(), []string{"s3://lake/t"}, o)
	checkVacuumed(t, err, data.tables[0].Path, "version 0 of the Delta Lake table s3://lake/t")
}

// thousandFiles writes a table of so many files, with the rows of a day each.
func thousandFiles(t testing.TB, dir string, files int, stats, checkpoint bool) {
	d := newDeltaTable(t, rand.New(rand.NewPCG(2, 37)), dir)
	d.mode = "none"
	d.fields = []*deltaField{d.newField("src", deltaTypeOf("long")), d.newField("dst", deltaTypeOf("integer")), d.newField("day", deltaTypeOf("integer"))}
	var actions []map[string]any
	for i := range files {
		f := d.newFile(3)
		delete(f.action, "stats")
		if stats {
			f.action["stats"] = fmt.Sprintf(`{"numRecords":3,"minValues":{"day":%d},"maxValues":{"day":%[1]d},"nullCount":{"day":0}}`, i/10)
		}
		d.live[f.path] = f
		actions = append(actions, map[string]any{"add": f.action})
	}
	d.commit(actions...)
	if checkpoint {
		d.checkpoint()
		d.commit()
	}
}

// TestDeltaThousandFiles: of a table of 1,000 files, of which 10 may have rows that meet a
// condition, these are opened and no others.
func TestDeltaThousandFiles(t *testing.T) {
	testlong.Project(t)
	for _, checkpoint := range []bool{false, true} {
		dir := t.TempDir()
		thousandFiles(t, dir, 1000, true, checkpoint)
		var at *input.FileError
		if _, err := Open(context.Background(), []string{dir}, Options{Source: "nope"}); !errors.As(err, &at) || at.Path != dir || !errors.Is(err, input.ErrColumn) {
			t.Errorf("a column that the table lacks: %v", err)
		}
		store := tests3.NewFake(t, "lake")
		stock(t, fakeShelf{store}, dir, "t/")
		for _, p := range []string{dir, "s3://lake/t"} {
			before := len(store.Requests(tests3.Get, tests3.Head))
			d, err := Open(context.Background(), []string{p}, Options{Where: "day = 42", S3: samples.S3Options(store.Env())})
			if err != nil {
				t.Fatal(err)
			}
			if s := d.Snapshots()[0]; s.Files != 10 || s.FilesOut != 990 || d.Stats().Files != 10 || d.Stats().FilesPassed != 990 {
				t.Errorf("%s: %+v, %+v", p, s, d.Stats())
			}
			opened := map[string]bool{}
			for _, q := range store.Requests(tests3.Get, tests3.Head)[before:] {
				if !strings.Contains(q.Key, "_delta_log") && strings.HasSuffix(q.Key, ".parquet") {
					opened[q.Key] = true
				}
			}
			if p != dir && len(opened) != 10 {
				t.Errorf("%d data files were opened", len(opened))
			}
		}
	}
}

// TestDeltaSnapshotErrors: snapshots that are missing, or of files without snapshots.
func TestDeltaSnapshotErrors(t *testing.T) {
	d := newDeltaTable(t, rand.New(rand.NewPCG(3, 38)), t.TempDir())
	for range 3 {
		d.step()
	}
	plain := filepath.Join(t.TempDir(), "plain.parquet")
	writePair(t, plain, "", 1, 2)
	long := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		paths []string
		o     Options
		is    error
		says  string
	}{
		{[]string{d.dir}, Options{Snapshot: "3"}, input.ErrSnapshot, "version 3; the table has versions 0 to 2"},
		{[]string{d.dir}, Options{Snapshot: "main"}, input.ErrSnapshot, `"main" is not a version: versions of Delta Lake are numbers from 0`},
		{[]string{d.dir}, Options{Snapshot: "-1"}, input.ErrSnapshot, "versions 0 to 2"},
		{[]string{d.dir}, Options{Snapshot: "99999999999999999999"}, input.ErrSnapshot, "versions 0 to 2"},
		{[]string{d.dir}, Options{AsOf: long}, input.ErrSnapshot, "there was none at 2001-01-01T00:00:00Z; version 0, the oldest"},
		{[]string{d.dir}, Options{AsOf: long, Snapshot: "1"}, graph.ErrOptions, "both Snapshot and AsOf"},
		{[]string{plain}, Options{Snapshot: "1"}, graph.ErrOptions, "no table of Iceberg or Delta Lake"},
		{[]string{plain, d.dir}, Options{AsOf: time.Now()}, graph.ErrOptions, plain + " is no table"},
		{[]string{d.dir, d.dir}, Options{Snapshot: "1"}, graph.ErrOptions, "several tables"},
		{[]string{plain}, Options{Vertices: &VertexTable{Paths: []string{d.dir}, ID: "src", Snapshot: "7"}}, input.ErrSnapshot, "version 7"},
	} {
		_, err := Open(context.Background(), c.paths, c.o)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	for _, o := range []Options{{Snapshot: "1"}, {AsOf: long}} {
		if _, err := OpenTables(context.Background(), []Table{{Paths: []string{d.dir}}}, o); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	// An empty commit is damage, and so is a log that lacks a commit between others.
	second := filepath.Join(d.dir, "_delta_log", "00000000000000000001.json")
	whole, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "\n \n"} {
		if err := os.WriteFile(second, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(context.Background(), []string{d.dir}, Options{}); !errors.Is(err, input.ErrDamaged) || !strings.Contains(err.Error(), "00000000000000000001.json: damaged file: the commit is empty") {
			t.Errorf("%v", err)
		}
	}
	if err := os.WriteFile(second, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(d.dir, "_delta_log", "00000000000000000001.json")); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {Since: "0"}} {
		if _, err := Open(context.Background(), []string{d.dir}, o); !errors.Is(err, input.ErrSnapshot) || !errors.Is(err, input.ErrDamaged) || !strings.Contains(err.Error(), "the log lacks "+d.dir) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
