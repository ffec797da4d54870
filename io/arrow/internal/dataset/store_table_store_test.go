// This file tests tables of Iceberg, Delta Lake and Hudi in stores.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/files/pathglob"
	"github.com/foray-graph/foray/internal/files/tableformat"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// refusedOf says, by the names of all files, whether what a path stands for is of
// a table, and whether it stands for anything.
func refusedOf(names []string, p string) (refused, found bool) {
	var roots []string
	for _, name := range names {
		dir, base := path.Split(name)
		dir = strings.TrimSuffix(dir, "/")
		root, last := path.Split(dir)
		root = strings.TrimSuffix(root, "/")
		if last == "_delta_log" || last == ".hoodie" || last == "metadata" && (base == "version-hint.text" || strings.Contains(base, ".metadata.json")) {
			roots = append(roots, root)
		}
	}
	within := func(name, dir string) bool { return dir == "" || name == dir || strings.HasPrefix(name, dir+"/") }
	pattern := strings.ContainsAny(p, "*[")
	compiled, err := pathglob.Compile(p)
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		at := len(p) // where the last name that was named begins
		if pattern {
			if at = compiled.Match(name); at < 0 {
				continue
			}
		} else if !within(name, p) {
			continue
		}
		if pattern && input.Hidden(name[at:]) {
			continue
		}
		found = true
		for _, root := range roots {
			switch {
			case !within(name, root):
			case len(root) <= at, !input.HiddenBelow(strings.TrimPrefix(root[at:], "/")):
				refused = true
			}
		}
	}
	return refused, found
}

// tableOf says, by the names of all files, what kind of table a directory is.
func tableOf(names []string, dir string) (kind tableformat.Kind) {
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, strings.TrimSuffix(dir, "/")+"/")
		if !ok {
			continue
		}
		if root, k := tableformat.OfKey(rest); root == "" && (kind == "" || k == tableformat.Delta) {
			kind = k
		}
	}
	return kind
}

// TestTableFormatStoreAnswers: a store that doesn't let directories be listed
// above a prefix is not listed; one that fails is an error; and however many
// paths there are, the questions are few.
func TestTableFormatStoreAnswers(t *testing.T) {
	f := tests3.NewFake(t, "lake")
	treeOf(t, f, "a/b/one/x.parquet", "a/b/two/x.parquet", "a/_delta_log/0.json")
	o := Options{S3: samples.S3Options(f.Env())}
	o.S3.Attempts = 1
	paths := []string{"s3://lake/a/b/one", "s3://lake/a/b/two"}
	only := func(fault tests3.Fault) func(tests3.Request) tests3.Fault {
		return func(q tests3.Request) tests3.Fault {
			if q.Op == tests3.List && !strings.HasPrefix(q.Prefix, "a/b/one") && !strings.HasPrefix(q.Prefix, "a/b/two") {
				return fault
			}
			return tests3.Fault{}
		}
	}
	f.SetFault(only(tests3.Fault{Status: 403, Code: "AccessDenied"}))
	if _, err := Open(context.Background(), paths, o); err != nil {
		t.Errorf("denied: %v", err)
	}
	f.SetFault(only(tests3.Fault{Status: 500, Code: "InternalError"}))
	if _, err := Open(context.Background(), paths, o); !errors.Is(err, input.ErrStore) {
		t.Errorf("failing: %v", err)
	}
	f.SetFault(nil)
	if _, err := Open(context.Background(), paths, o); !errors.Is(err, input.ErrTable) {
		t.Errorf("%v", err)
	}
	f.Delete("lake", "a/_delta_log/0.json")
	before := len(f.Requests(tests3.List))
	if _, err := Open(context.Background(), paths, o); err != nil {
		t.Error(err)
	}
	if n := len(f.Requests(tests3.List)) - before; n > 2+9 { // of a/b, a and the bucket
		t.Errorf("%d listings", n)
	}
}

// TestTableFormatManyManifests: a table is told by names that come far behind others
// in the listing of its metadata.
func TestTableFormatManyManifests(t *testing.T) {
	f := tests3.NewFake(t, "lake")
	treeOf(t, f, "t/data/x.parquet", "t/metadata/v1.metadata.json")
	for i := range 1100 {
		f.Put("lake", fmt.Sprintf("t/metadata/%08x-m0.avro", i), nil)
	}
	if _, err := Open(context.Background(), []string{"s3://lake/t/data/"}, Options{S3: samples.S3Options(f.Env())}); !errors.Is(err, input.ErrTable) {
		t.Errorf("%v", err)
	}
}

// TestTableFormatSamples: of tables that other engines wrote, the directories in them and
// patterns are refused.
func TestTableFormatSamples(t *testing.T) {
	top := filepath.Dir(sampleTables(t, "delta"))
	n := 0
	for _, kind := range []string{"iceberg", "delta"} {
		err := filepath.WalkDir(filepath.Join(top, kind), func(name string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !input.Data(name) || strings.Contains(name, "_delta_log") {
				return err
			}
			if strings.HasSuffix(name, "warehouse/example/mock_data.parquet") { // which a table was made of
				return nil
			}
			n++
			dir := filepath.Dir(name)
			for _, p := range []string{dir, dir + "/*.parquet"} {
				itself := p == dir && new(tableformat.Finder).At(dir).Read() // which is read
				if _, err := Open(context.Background(), []string{p}, Options{}); errors.Is(err, input.ErrTable) == itself {
					t.Errorf("%s: %v", p, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 100 {
		t.Errorf("only %d files in %s", n, top)
	}
}
