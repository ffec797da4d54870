// This file tests that tables of Iceberg, Delta Lake and Hudi are refused, in
// directories and in stores.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/files/tableformat"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// tableFiles are the metadata of a table of each kind.
var tableFiles = map[string]string{
	"Apache Iceberg": "metadata/v2.metadata.json",
	"Delta Lake":     "_delta_log/00000000000000000000.json",
	"Apache Hudi":    ".hoodie/hoodie.properties",
}

// treeOf writes files of one edge, and others empty, into a directory and a store.
func treeOf(t *testing.T, f *tests3.Fake, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if input.Data(name) {
			writePair(t, file, "", 1, 2)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		samples.WriteTo(t, file, nil)
	}
	stock(t, fakeShelf{f}, dir, "")
	return dir
}

// TestTableFormats: tables are refused with their kind, place and remedy, whatever
// names their directory or the files in it, but files that are named themselves.
func TestTableFormats(t *testing.T) {
	for kind, file := range tableFiles {
		f := tests3.NewFake(t, "lake")
		dir := treeOf(t, f, "plain/a.parquet", "deep/t/"+file, "deep/t/data/year=2025/p/a.parquet", "deep/t/a.parquet", "deep/t/_old.parquet", "t2/a.parquet")
		for _, root := range []string{dir, "s3://lake"} {
			for _, below := range []string{"", "/", "/deep", "/deep/", "/deep/t", "/deep/t/", "/deep/t/data", "/deep/t/data/year=2025/p",
				"/deep/t/*.parquet", "/deep/t/*", "/deep/t/a*", "/deep/*", "/d*", "/*", "/**/*.parquet", "/deep/t/data/*/p/*.parquet", "/deep/t/data/year=2025/p/[a].parquet",
				"/deep/t/" + path.Dir(file)} {
				if below == "" && root[0] == 's' {
					continue // s3://lake
				}
				_, err := Open(context.Background(), []string{root + "/plain", root + below}, Options{S3: samples.S3Options(f.Env())})
				var at *input.FileError
				if strings.TrimSuffix(below, "/") == "/deep/t" && tableformat.Kind(kind).Read() {
					wantNoTable(t, root+below, err) // it is read, and has no metadata to speak of
					continue
				}
				if !errors.Is(err, input.ErrTable) || !errors.As(err, &at) {
					t.Errorf("%s, %s%s: %v", kind, root, below, err)
					continue
				}
				if s := err.Error(); !strings.HasPrefix(s, root) || !strings.Contains(s, "deep/t is a"+strings.TrimPrefix(article(kind), "a")+" "+kind+" table") || !strings.Contains(s, remedyFor(kind)) {
					t.Errorf("%s, %s%s: %v", kind, root, below, err)
				}
			}
			for _, below := range []string{"/plain", "/plain/*.parquet", "/t2", "/t*/*.parquet", "/deep/t/a.parquet", "/deep/t/data/year=2025/p/a.parquet"} {
				if _, err := Open(context.Background(), []string{root + below}, Options{S3: samples.S3Options(f.Env())}); err != nil {
					t.Errorf("%s, %s%s: %v", kind, root, below, err)
				}
			}
			o := Options{S3: samples.S3Options(f.Env()), Vertices: &VertexTable{Paths: []string{root + "/deep/t"}, ID: "src"}}
			if _, err := Open(context.Background(), []string{root + "/plain"}, o); tableformat.Kind(kind).Read() {
				wantNoTable(t, root, err)
			} else if !errors.Is(err, input.ErrTable) {
				t.Errorf("%s, vertices of %s: %v", kind, root, err)
			}
			o.Vertices = nil
			if _, err := OpenTables(context.Background(), []Table{{Paths: []string{root + "/plain"}}, {Paths: []string{root + "/deep/t"}}}, o); tableformat.Kind(kind).Read() {
				wantNoTable(t, root, err)
			} else if !errors.Is(err, input.ErrTable) {
				t.Errorf("%s, the second table of %s: %v", kind, root, err)
			}
		}
	}
}

// wantNoTable requires the error of a path that is read as a table, but is no table.
func wantNoTable(t *testing.T, path string, err error) {
	t.Helper()
	var at *input.FileError
	if errors.Is(err, input.ErrTable) || !errors.Is(err, input.ErrDamaged) || !errors.As(err, &at) {
		t.Errorf("%s: %v", path, err)
	}
}

// remedyFor is what to do about a path above a table, or in one.
func remedyFor(kind string) string {
	if tableformat.Kind(kind).Read() {
		return "name that directory itself to read the table"
	}
	return "export a snapshot"
}

func article(kind string) string {
	if kind[0] == 'A' {
		return "an"
	}
	return "a"
}

// TestTableFormatWholeBucket: a bucket may be a table.
func TestTableFormatWholeBucket(t *testing.T) {
	for kind, file := range tableFiles {
		f := tests3.NewFake(t, "lake")
		treeOf(t, f, file, "year=2025/a.parquet")
		for _, p := range []string{"s3://lake", "s3://lake/", "s3://lake/year=2025", "s3://lake/*/*.parquet", "s3://lake/year*"} {
			_, err := Open(context.Background(), []string{p}, Options{S3: samples.S3Options(f.Env())})
			if strings.TrimSuffix(p, "/") == "s3://lake" && tableformat.Kind(kind).Read() {
				wantNoTable(t, p, err)
				continue
			}
			if !errors.Is(err, input.ErrTable) || !strings.Contains(err.Error(), ": s3://lake is a") {
				t.Errorf("%s, %s: %v", kind, p, err)
			}
		}
	}
}

// TestTableFormatLinks: links lead to tables, and into them.
func TestTableFormatLinks(t *testing.T) {
	for kind, file := range tableFiles {
		dir := treeOf(t, tests3.NewFake(t, "lake"), "far/t/"+file, "far/t/data/p/a.parquet", "lake/b.parquet")
		for i, to := range []string{"far/t", "far/t/data", "far/t/data/p"} {
			link := filepath.Join(dir, fmt.Sprint("lake", i), "link")
			if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(dir, to), link); err != nil {
				t.Fatal(err)
			}
			for _, p := range []string{link, filepath.Dir(link), filepath.Dir(link) + "/*"} {
				_, err := Open(context.Background(), []string{p}, Options{FollowLinks: true})
				if p == link && i == 0 && tableformat.Kind(kind).Read() {
					wantNoTable(t, p, err)
				} else if !errors.Is(err, input.ErrTable) {
					t.Errorf("%s, %s to %s: %v", kind, p, to, err)
				}
			}
		}
		t.Chdir(filepath.Join(dir, "far", "t", "data", "p"))
		for _, p := range []string{".", "..", "*.parquet"} {
			if _, err := Open(context.Background(), []string{p}, Options{}); !errors.Is(err, input.ErrTable) {
				t.Errorf("%s, %s: %v", kind, p, err)
			}
		}
		if _, err := Open(context.Background(), []string{"a.parquet"}, Options{}); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestTableFormatFalseFriends: directories with names like a table's are read.
func TestTableFormatFalseFriends(t *testing.T) {
	f := tests3.NewFake(t, "lake")
	names := []string{"metadata/README.json", "metadata/a.parquet", "metadata/metadata.json", "metadata/sub/v1.metadata.json", "a/v1.metadata.json", "a/b.parquet",
		"data/metadata/schema.json", "x.hoodie/a.parquet", "delta_log/a.parquet", "version-hint.txt", "_metadata", "_common_metadata",
		"metadata=1/v1.metadata.json", "metadata=1/x.parquet", "_trash/t/_delta_log/0.json", "_trash/t/a.parquet", ".cache/.hoodie/hoodie.properties", "top.parquet"}
	dir := treeOf(t, f, names...)
	for _, root := range []string{dir, "s3://lake"} {
		for _, below := range []string{"/", "/**/*.parquet", "/*/*.parquet", "/metadata", "/a", "/metadata=1"} {
			if _, err := Open(context.Background(), []string{root + below}, Options{S3: samples.S3Options(f.Env())}); err != nil {
				t.Errorf("%s%s: %v", root, below, err)
			}
		}
	}
	// Nine directories below a table is too far.
	nine := strings.Repeat("d/", 9)
	dir = treeOf(t, f, "far/_delta_log/0.json", "far/"+nine+"a.parquet")
	for _, root := range []string{dir, "s3://lake"} {
		for below, want := range map[string]error{nine: nil, strings.TrimSuffix(nine, "d/"): input.ErrTable} {
			if _, err := Open(context.Background(), []string{root + "/far/" + below}, Options{S3: samples.S3Options(f.Env())}); !errors.Is(err, want) {
				t.Errorf("%s/%s: %v, want %v", root, below, err, want)
			}
		}
	}
}

// TestTableFormatRandom: among random files what is refused is what the names say,
// in directories and in stores.
func TestTableFormatRandom(t *testing.T) {
	refused, read := 0, 0
	for seed := range seeds(40) {
		r := rand.New(rand.NewPCG(seed, 77))
		f := tests3.NewFake(t, "lake")
		pick := func(from string) string {
			words := strings.Fields(from)
			return words[r.IntN(len(words))]
		}
		way := func(from string, most int) string {
			var parts []string
			for range r.IntN(most + 1) {
				parts = append(parts, pick(from))
			}
			return strings.Join(parts, "/")
		}
		var names []string
		for range 2 + r.IntN(6) {
			names = append(names, path.Join(way("a b year=1 _x", 4), pick("x.parquet y.parquet")))
		}
		for range r.IntN(3) {
			root := way("a b year=1 _x", 3)
			names = append(names, path.Join(root, "z.parquet"), path.Join(root, pick("_delta_log/0.json _delta_log/y.parquet .hoodie/a.commit metadata/00001-x.metadata.json metadata/v7.metadata.json.gz metadata/version-hint.text metadata/x.json")))
		}
		names = append(names, "top.parquet")
		dir := treeOf(t, f, names...)
		for range 12 {
			p := way("a b year=1 _x * ** [ab] _* metadata _delta_log", 4)
			if p == "" || strings.HasSuffix(p, "**") {
				p = path.Join(p, "*.parquet")
			}
			want, found := refusedOf(names, p)
			if !found {
				continue
			}
			for _, root := range []string{dir, "s3://lake"} {
				_, err := Open(context.Background(), []string{root + "/" + p}, Options{S3: samples.S3Options(f.Env())})
				if kind := tableOf(names, p); kind.Read() {
					wantNoTable(t, root+"/"+p, err)
					continue
				}
				if errors.Is(err, input.ErrTable) != want {
					t.Fatalf("seed %d, %s/%s: %v; tables say %v of %q", seed, root, p, err, want, names)
				}
			}
			if want {
				refused++
			} else {
				read++
			}
		}
	}
	if refused == 0 || read == 0 {
		t.Errorf("%d refused and %d read say little", refused, read)
	}
}
