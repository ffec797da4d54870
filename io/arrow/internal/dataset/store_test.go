// This file reads datasets in stores: as files are read, and with faults.

package dataset

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// shelf is a store that files can be put into.
type shelf interface {
	put(key string, data []byte)
}

type fakeShelf struct{ *tests3.Fake }

func (f fakeShelf) put(key string, data []byte) { f.Put("lake", key, data) }

type gatewayShelf struct {
	*tests3.Gateway
	t testing.TB
}

func (g gatewayShelf) put(key string, data []byte) { g.Put(g.t, key, data) }

// stock puts all files below a directory into a store.
func stock(t testing.TB, s shelf, dir, prefix string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			rel, _ := filepath.Rel(dir, path)
			s.put(prefix+filepath.ToSlash(rel), data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// lakeOf writes a lake with every kind of file that a directory may have.
func lakeOf(t testing.TB, seed uint64, rows int) string {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(seed, 1))
	writeLake(t, dir, r, rows, rows/4+1, 2000)
	for _, name := range []string{"_SUCCESS", ".hidden.parquet", "_temporary/x.parquet", "notes.txt"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		samples.WriteTo(t, filepath.Join(dir, name), []byte("no data"))
	}
	if rows > 100 {
		data, err := os.ReadFile(filepath.Join(dir, "year=2020", "edges.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, "year=2024"), 0o777); err != nil {
			t.Fatal(err)
		}
		samples.WriteTo(t, filepath.Join(dir, "year=2024", "000000_0"), data)
	}
	return dir
}

// TestStore: what is read of a store is what is read of the same files.
func TestStore(t *testing.T) {
	dir := lakeOf(t, 1, 3000)
	try := func(t *testing.T, s shelf, env map[string]string, root string) {
		stock(t, s, dir, "lake/")
		for _, c := range []struct{ sub, where string }{
			{"", ""}, {"/", ""}, {"/year=2021", "amount > 100"}, {"/*/edges.parquet", "year >= 2022 and amount between 500 and 900"},
			{"/**/*.parquet", "kind = 'like'"}, {"/year=202[01]/*", ""}, {"/year=2024", "src < 10"}, {"/year=2020/edges.parquet", "amount < 0 or dst = 5"},
		} {
			o := Options{Where: c.where}
			want, was := pairsOf(t, dir+c.sub, o)
			o.S3 = samples.S3Options(env)
			got, stats := pairsOf(t, root+"lake"+c.sub, o)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d edges, want %d", c.sub, len(got), len(want))
			}
			stats.BytesRead, was.BytesRead = 0, 0
			stats.Ignored, was.Ignored = strings.TrimPrefix(stats.Ignored, root+"lake"), strings.TrimPrefix(was.Ignored, dir)
			if stats != was {
				t.Errorf("%s: %+v, of files %+v", c.sub, stats, was)
			}
		}
		for path, want := range map[string]error{
			root + "nowhere/": fs.ErrNotExist, root + "lake/*.none": fs.ErrNotExist, "s3:///x": nil, root + "lake/notes.txt": input.ErrFormat,
			root + "lake/_temporary": input.ErrFormat,
		} {
			_, err := Open(context.Background(), []string{path}, Options{S3: samples.S3Options(env)})
			if err == nil || want != nil && !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", path, err, want)
			}
		}
	}
	t.Run("fake", func(t *testing.T) {
		f := tests3.NewFake(t, "lake")
		try(t, fakeShelf{f}, f.Env(), "s3://lake/")
	})
	t.Run("versitygw", func(t *testing.T) {
		g := tests3.NewGateway(t)
		try(t, gatewayShelf{g, t}, g.Env(), g.Path(""))
	})
}

// TestStoreIPC: Arrow files and streams are read of stores too.
func TestStoreIPC(t *testing.T) {
	f := tests3.NewFake(t, "lake")
	for i, data := range smallIPCs(t) {
		if i%5 != 0 {
			continue
		}
		path := tempFile(t, "x.arrow", data)
		o := Options{SkipNulls: true, Source: "src", Target: "dst"}
		want, _, err := collect(t, []string{path}, o)
		f.Put("lake", "x.arrow", data)
		o.S3 = samples.S3Options(f.Env())
		got, _, err2 := collect(t, []string{"s3://lake/x.arrow"}, o)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("file %d: %v, of the store %v", i, err, err2)
		}
		sameEdges(t, got, want)
	}
}

// TestStoreReadsLittle: a condition reads little of an object too, and
// partitions that it rules out aren't asked for.
func TestStoreReadsLittle(t *testing.T) {
	testlong.Only(t)
	dir := t.TempDir()
	writeLake(t, dir, rand.New(rand.NewPCG(3, 3)), 400_000, 4_000, 1<<20)
	f := tests3.NewFake(t, "lake")
	stock(t, fakeShelf{f}, dir, "")
	_, stats := pairsOf(t, "s3://lake/", Options{S3: samples.S3Options(f.Env()), Where: "amount between 1000000 and 1009999 and year = 2021"})
	if stats.Files != 1 || stats.FilesPassed != 3 || stats.Rows-stats.RowsPassed != 1000 {
		t.Errorf("%+v", stats)
	}
	for _, q := range f.Requests(tests3.Get) {
		if !strings.HasPrefix(q.Key, "year=2021/") {
			t.Errorf("%s was read", q.Key)
		}
	}
	// The end of the object, which is fetched at once, is a twentieth of it.
	if most := stats.Bytes*3/100 + input.TailBytes; stats.BytesRead > most {
		t.Errorf("%d bytes of %d read, more than %d", stats.BytesRead, stats.Bytes, most)
	}
}

// TestStoreFaults: a store that fails for a while does no harm, and one that
// fails for good is an error; an object that changes is one too.
func TestStoreFaults(t *testing.T) {
	testlong.Only(t)
	dir := lakeOf(t, 5, 2000)
	want, _ := pairsOf(t, dir, Options{})
	f := tests3.NewFake(t, "lake")
	stock(t, fakeShelf{f}, dir, "")
	o := Options{S3: samples.S3Options(f.Env())}
	var n atomic.Int64
	f.SetFault(func(q tests3.Request) tests3.Fault {
		if q.Op != tests3.Get {
			return tests3.Fault{}
		}
		switch n.Add(1) % 4 {
		case 0:
			return tests3.Fault{Status: 503, Code: "SlowDown"}
		case 1:
			return tests3.Fault{Body: 100, Cut: true}
		case 2:
			return tests3.Fault{Delay: 5 * time.Millisecond}
		}
		return tests3.Fault{}
	})
	if got, _ := pairsOf(t, "s3://lake/", o); !slices.Equal(got, want) {
		t.Errorf("%d edges, want %d", len(got), len(want))
	}
	f.SetFault(nil)

	ctx := context.Background()
	nothing := func(graph.Batch) error { return nil }
	d, err := Open(ctx, []string{"s3://lake/"}, o)
	if err != nil {
		t.Fatal(err)
	}
	data, _ := f.Object("lake", "year=2022/edges.parquet")
	data = bytes.Clone(data) // answers may still be made of the other
	data[len(data)/2] ^= 1
	f.Put("lake", "year=2022/edges.parquet", data)
	if err := d.Batches(ctx, nothing); !errors.Is(err, input.ErrChanged) || !strings.Contains(err.Error(), "s3://lake/year=2022/edges.parquet") {
		t.Errorf("changed: %v", err)
	}
	f.Delete("lake", "year=2022/edges.parquet")
	if err := d.Batches(ctx, nothing); !errors.Is(err, input.ErrChanged) {
		t.Errorf("removed: %v", err)
	}

	o.S3.Attempts = 2
	d, err = Open(ctx, []string{"s3://lake/"}, o)
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	f.SetFault(func(q tests3.Request) tests3.Fault { return tests3.Fault{Stall: q.Op == tests3.Get} })
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if err := d.Batches(short, nothing); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("stalled: %v", err)
	}
	f.SetFault(func(q tests3.Request) tests3.Fault { return tests3.Fault{Status: 500, Code: "InternalError"} })
	if err := d.Batches(ctx, nothing); !errors.Is(err, input.ErrStore) {
		t.Errorf("failing: %v", err)
	}
	f.SetFault(func(q tests3.Request) tests3.Fault { return tests3.Fault{Status: 403, Code: "AccessDenied"} })
	if err := d.Batches(ctx, nothing); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("denied: %v", err)
	}
	f.Close()
	samples.NoMore(t, before)
}

// TestStoreStops: a store that goes away in the middle is an error, not less
// data.
func TestStoreStops(t *testing.T) {
	testlong.Project(t)
	g := tests3.NewGateway(t)
	stock(t, gatewayShelf{g, t}, lakeOf(t, 7, 40_000), "")
	o := Options{S3: samples.S3Options(g.Env()), Workers: 1}
	o.S3.Attempts = 2
	d, err := Open(context.Background(), []string{g.Path("")}, o)
	if err != nil {
		t.Fatal(err)
	}
	err = d.Batches(context.Background(), func(graph.Batch) error {
		g.Stop()
		return nil
	})
	if !errors.Is(err, input.ErrStore) {
		t.Errorf("%v", err)
	}
}
