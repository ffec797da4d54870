// This file tests that files named by a table's metadata stay in the table, and that errors name the path of what
// doesn't, never what is in it.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// boundsCase is a way out of a table, and the options with which it is followed.
type boundsCase struct {
	name string
	dir  string // of the table
	path string // that the error names
	link bool   // --follow-links follows it; else --allow-outside alone does
}

const outsideText = "root:x:0:0: not for others"

func (c *boundsCase) check(t *testing.T) {
	t.Helper()
	for _, o := range []Options{{}, {FollowLinks: true}, {AllowOutside: true}} {
		_, err := Load(context.Background(), c.dir, o)
		if followed := o.AllowOutside || c.link && o.FollowLinks; followed {
			if err == nil || !strings.Contains(err.Error(), "outside.parquet") && !strings.Contains(err.Error(), filepath.Base(c.path)) || strings.Contains(err.Error(), "lies outside of") || strings.Contains(err.Error(), "leads out of") {
				t.Errorf("%s, %+v: %v", c.name, o, err)
			}
		} else {
			option := "Options.AllowOutside"
			if c.link {
				option = "Options.FollowLinks"
			}
			if !errors.Is(err, input.ErrUnsupported) || !strings.Contains(err.Error(), c.path) || !strings.Contains(err.Error(), option) {
				t.Errorf("%s: %v, want one that names %s and %s", c.name, err, c.path, option)
			}
		}
		for _, part := range []string{"root", "x:0", "726f6f74", "others"} {
			if err != nil && strings.Contains(strings.ReplaceAll(err.Error(), c.dir, ""), part) {
				t.Errorf("%s, %+v: the error shows what is in the file: %v", c.name, o, err)
			}
		}
	}
}

// TestBoundsDelta: paths out of the table's directory and links out of it, of data files, deletion vectors and the log.
func TestBoundsDelta(t *testing.T) {
	far := filepath.Join(t.TempDir(), "outside.parquet")
	samples.WriteTo(t, far, []byte(outsideText))
	link := func(to, name string) {
		if err := os.Symlink(to, name); err != nil {
			testlong.Without(t, "needs symbolic links", err)
		}
	}
	add := func(path string) string {
		return fmt.Sprintf(`{"add":{"path":%q,"partitionValues":{},"size":1}}`, filepath.ToSlash(path))
	}
	dir := plainDelta(t, add(far))
	(&boundsCase{"an absolute path", dir, far, false}).check(t)
	dir = plainDelta(t, add("file://"+filepath.ToSlash(far)))
	(&boundsCase{"an address", dir, far, false}).check(t)
	dir = plainDelta(t, add("x/../../outside.parquet"))
	beside := filepath.Join(filepath.Dir(dir), "outside.parquet")
	samples.WriteTo(t, beside, []byte(outsideText))
	(&boundsCase{"a relative path", dir, beside, false}).check(t)
	dir = plainDelta(t, add("b.parquet"))
	link(far, filepath.Join(dir, "b.parquet"))
	(&boundsCase{"a link", dir, filepath.Join(dir, "b.parquet"), true}).check(t)
	dir = plainDelta(t, add("sub/outside.parquet"))
	link(filepath.Dir(far), filepath.Join(dir, "sub"))
	(&boundsCase{"a link to a directory", dir, filepath.Join(dir, "sub/outside.parquet"), true}).check(t)
	// What is in the table by another name is read.
	for _, named := range []string{"%61.parquet", "DIR/a.parquet", "link.parquet", "sub/a.parquet"} {
		dir = plainDelta(t, add(named))
		link("a.parquet", filepath.Join(dir, "link.parquet"))
		link(".", filepath.Join(dir, "sub"))
		moved := filepath.Join(t.TempDir(), "t")
		link(dir, moved)
		for _, d := range []string{dir, moved, dir + "/"} {
			if _, err := Load(context.Background(), d, Options{}); err != nil {
				t.Errorf("%s in %s: %v", named, d, err)
			}
		}
	}
	// A log that lies elsewhere.
	from, to := plainDelta(t), t.TempDir()
	link(filepath.Join(from, "_delta_log"), filepath.Join(to, "_delta_log"))
	writePair(t, filepath.Join(to, "a.parquet"), "", 1, 2)
	if _, err := Load(context.Background(), to, Options{}); !errors.Is(err, input.ErrUnsupported) || !strings.Contains(err.Error(), "leads out of "+to) {
		t.Errorf("a log that is a link: %v", err)
	}
	if _, err := Load(context.Background(), to, Options{FollowLinks: true}); err != nil {
		t.Errorf("a log that is a link, followed: %v", err)
	}
}

// TestBoundsIceberg: files elsewhere than in the table's directory, or in the bucket; a table that was moved is read.
func TestBoundsIceberg(t *testing.T) {
	made := func() string {
		dir := filepath.Join(t.TempDir(), "t")
		table := crafticeberg.New(dir, []crafticeberg.Column{{ID: 1, Name: "src", Type: "long"}, {ID: 2, Name: "dst", Type: "long"}}, rand.New(rand.NewPCG(4, 1)), crafticeberg.Options{Version: 2, Plain: true})
		table.Append([]crafticeberg.Row{{1: int64(1), 2: int64(2)}})
		table.WriteMetadata()
		return dir
	}
	dir := made()
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	newest := func(dir string) string {
		names, err := filepath.Glob(filepath.Join(dir, "metadata", "*.metadata.json"))
		if err != nil || len(names) == 0 {
			t.Fatal(names, err)
		}
		return names[len(names)-1]
	}
	for _, path := range []string{moved, newest(moved)} {
		if _, err := Load(context.Background(), path, Options{}); err != nil {
			t.Errorf("a table that was moved, by %s: %v", path, err)
		}
	}
	// A metadata file that is named itself may be a link, as any path.
	real := newest(moved)
	aside := filepath.Join(t.TempDir(), filepath.Base(real))
	if err := os.Rename(real, aside); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(aside, real); err != nil {
		testlong.Without(t, "needs symbolic links", err)
	}
	if _, err := Load(context.Background(), real, Options{}); err != nil {
		t.Errorf("a metadata file that is a link: %v", err)
	}
	if _, err := Load(context.Background(), moved, Options{}); !errors.Is(err, input.ErrUnsupported) {
		t.Errorf("a table whose metadata file is a link: %v", err)
	}
	// The metadata says that the table is elsewhere than its files.
	dir = made()
	other := filepath.Join(t.TempDir(), "other")
	if err := os.MkdirAll(filepath.Join(other, "metadata"), 0o777); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(newest(dir))
	if err != nil {
		t.Fatal(err)
	}
	located := regexp.MustCompile(`"location":\s*"[^"]*"`)
	samples.WriteTo(t, filepath.Join(other, "metadata", "v1.metadata.json"), located.ReplaceAll(b, []byte(`"location":"`+filepath.ToSlash(other)+`"`)))
	for _, path := range []string{other, filepath.Join(other, "metadata", "v1.metadata.json")} {
		if _, err := Load(context.Background(), path, Options{FollowLinks: true}); !errors.Is(err, input.ErrUnsupported) || !strings.Contains(err.Error(), filepath.ToSlash(dir)) || !strings.Contains(err.Error(), "Options.AllowOutside") {
			t.Errorf("manifests elsewhere, by %s: %v", path, err)
		}
		if _, err := Load(context.Background(), path, Options{AllowOutside: true}); err != nil {
			t.Errorf("manifests elsewhere, allowed, by %s: %v", path, err)
		}
	}
	// A link in the table to a file that says nothing of Iceberg's.
	far := filepath.Join(t.TempDir(), "secret")
	samples.WriteTo(t, far, []byte(outsideText))
	dir = made()
	var manifest string
	if names, err := filepath.Glob(filepath.Join(dir, "metadata", "*.avro")); err != nil || len(names) == 0 {
		t.Fatal(names, err)
	} else {
		for _, name := range names {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(far, name); err != nil {
				testlong.Without(t, "needs symbolic links", err)
			}
		}
		manifest = names[0]
	}
	(&boundsCase{"manifests that are links", dir, filepath.Dir(manifest), true}).check(t)
}

// TestBoundsStore: a table in a store names objects of its bucket alone.
func TestBoundsStore(t *testing.T) {
	f := tests3.NewFake(t, "lake", "other")
	dir := t.TempDir()
	writePair(t, filepath.Join(dir, "a.parquet"), "", 1, 2)
	data, err := os.ReadFile(filepath.Join(dir, "a.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	f.Put("lake", "shared/a.parquet", data)
	f.Put("other", "a.parquet", data)
	for path, allowed := range map[string]bool{"s3://lake/shared/a.parquet": true, "s3://other/a.parquet": false} {
		table := plainDelta(t, fmt.Sprintf(`{"add":{"path":%q,"partitionValues":{},"size":1}}`, path))
		for _, name := range []string{"a.parquet", "_delta_log/00000000000000000000.json", "_delta_log/00000000000000000001.json"} {
			b, err := os.ReadFile(filepath.Join(table, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			f.Put("lake", "t/"+name, b)
		}
		o := Options{S3: samples.S3Options(f.Env())}
		if _, err := Load(context.Background(), "s3://lake/t", o); allowed != (err == nil) || !allowed && (!errors.Is(err, input.ErrUnsupported) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "Options.AllowOutside")) {
			t.Errorf("%s: %v", path, err)
		}
		o.AllowOutside = true
		if _, err := Load(context.Background(), "s3://lake/t", o); err != nil {
			t.Errorf("%s, allowed: %v", path, err)
		}
		o.AllowOutside = false
		if _, err := Load(context.Background(), table, o); !errors.Is(err, input.ErrUnsupported) || !strings.Contains(err.Error(), path) {
			t.Errorf("a table of this machine that names %s: %v", path, err)
		}
	}
}
