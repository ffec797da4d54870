// This file tests which files without an extension a directory stands for.

package dataset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// writePair writes a file of one edge.
func writePair(t *testing.T, path, format string, src, dst int64) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	err := write.WriteEdgeBatches(context.Background(), path, func(_ context.Context, yield func(graph.Batch) error) error {
		return yield(graph.Batch{Src: []int64{src}, Dst: []int64{dst}})
	}, write.WriteOptions{Format: format})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNoExtension(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	writePair(t, at("000000_0"), "parquet", 1, 2)
	writePair(t, at("day=1/000000_0"), "parquet", 2, 3)
	writePair(t, at("day=1/part-00000"), "arrow", 3, 4)
	writePair(t, at("_temporary/000000_0"), "parquet", 8, 9)
	writePair(t, at(".000000_0"), "parquet", 8, 9)
	samples.WriteTo(t, at("_SUCCESS"), nil)
	samples.WriteTo(t, at("notes.txt"), []byte("no data"))
	want := []edge{{src: "1", dst: "2"}, {src: "2", dst: "3"}, {src: "3", dst: "4"}}
	for _, p := range []string{dir, dir + "*", dir + "/**/[0p]*0*"} {
		got, _, err := collect(t, []string{p}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		sameEdges(t, got, want)
	}
	writePair(t, at("b.parquet"), "", 4, 5)
	got, _, err := collect(t, []string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sameEdges(t, got, append(want, edge{src: "4", dst: "5"}))

	for _, content := range []string{"", "PAR", "PK\x03\x04 and more"} {
		samples.WriteTo(t, at("day=1/000001_0"), []byte(content))
		_, _, err = collect(t, []string{dir}, Options{})
		if !errors.Is(err, input.ErrFormat) || !strings.Contains(err.Error(), dir+": ") || !strings.Contains(err.Error(), "but day=1/000001_0 isn't; take it away") {
			t.Errorf("%q: %v", content, err)
		}
	}

	// Files such as LICENSE beside data whose names tell it are left out.
	lone := t.TempDir()
	writePair(t, filepath.Join(lone, "a.parquet"), "", 1, 2)
	samples.WriteTo(t, filepath.Join(lone, "LICENSE"), []byte("Do as you like"))
	if err := os.Symlink(filepath.Join(lone, "nothing"), filepath.Join(lone, "link")); err != nil {
		t.Fatal(err)
	}
	if got, _, err = collect(t, []string{lone}, Options{}); err != nil {
		t.Fatal(err)
	}
	sameEdges(t, got, []edge{{src: "1", dst: "2"}})
	if got, _, err = collect(t, []string{"."}, Options{FS: os.DirFS(lone)}); err != nil {
		t.Fatal(err)
	}
	sameEdges(t, got, []edge{{src: "1", dst: "2"}})
}

// TestSparkDirectory: the files that Spark and others write with the data are ignored, even
// where it could be read: markers, checksums, summaries. (Logs of tables are ErrTable.) Where they
// are named themselves such names count for nothing.
func TestSparkDirectory(t *testing.T) {
	for _, base := range []string{"lake", "_lake", ".lake"} {
		dir := filepath.Join(t.TempDir(), base)
		at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
		writePair(t, at("year=2024/part-00000-a1.c000.snappy.parquet"), "", 1, 2)
		writePair(t, at("year=2025/part-00000-a1.c000.snappy.parquet"), "", 3, 4)
		for _, name := range []string{"_SUCCESS", "._SUCCESS.crc", "_started_1", "_committed_1", "year=2025/_SUCCESS", "year=2025/.part-00000-a1.c000.snappy.parquet.crc"} {
			samples.WriteTo(t, at(name), nil)
		}
		for _, name := range []string{"_metadata", "_common_metadata", "_spark_metadata/0.parquet",
			"_temporary/0/year=2025/part-00000.parquet", ".index/x.parquet", "year=2025/_x.parquet", "year=2025/.y.parquet"} {
			writePair(t, at(name), "parquet", 8, 9)
		}
		all := []edge{{src: "1", dst: "2"}, {src: "3", dst: "4"}}
		for _, c := range []struct {
			path, where string
			want        []edge
		}{
			{"", "", all}, {"/*", "", all}, {"/**/*.parquet", "", all}, {"/**/*", "", all}, {"/year=*", "", all},
			{"", "year = 2025", all[1:]}, {"/year=2025", "year = 2025", all[1:]}, {"/*/*", "", all},
		} {
			got, d, err := collect(t, []string{dir + filepath.FromSlash(c.path)}, Options{Where: c.where})
			if err != nil {
				t.Errorf("%s%s: %v", base, c.path, err)
				continue
			}
			if len(got) != len(c.want) {
				t.Errorf("%s%s: %v, want %v", base, c.path, got, c.want)
				continue
			}
			sameEdges(t, got, c.want)
			if stats := d.Stats(); stats.FilesIgnored != 0 || stats.Files+stats.FilesPassed != 2 && c.path != "/year=2025" {
				t.Errorf("%s%s: %+v", base, c.path, stats)
			}
		}
	}
}

// TestLinkedDirectories: links to directories are looked into as directories
// are, and those that have no end are an error.
func TestLinkedDirectories(t *testing.T) {
	dir, far := t.TempDir(), t.TempDir()
	writePair(t, filepath.Join(dir, "a.parquet"), "", 1, 2)
	writePair(t, filepath.Join(far, "b.parquet"), "", 3, 4)
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	link(far, filepath.Join(dir, "year=2025"))
	link(far, filepath.Join(dir, "_hidden"))
	for where, want := range map[string][]edge{
		"":            {{src: "1", dst: "2"}, {src: "3", dst: "4"}},
		"year = 2025": {{src: "3", dst: "4"}},
	} {
		paths := []string{dir}
		if where != "" {
			paths = []string{filepath.Join(dir, "year=2025") + "/"}
		}
		got, _, err := collect(t, paths, Options{Where: where, FollowLinks: true})
		if err != nil {
			t.Fatal(err)
		}
		sameEdges(t, got, want)
	}
	top := filepath.Dir(dir)
	for _, to := range []string{dir, top, ".", ".."} {
		name := filepath.Join(far, "loop")
		if to[0] == '.' {
			name = filepath.Join(dir, "loop")
		}
		link(to, name)
		for _, p := range []string{dir, filepath.Join(dir, "**", "*.parquet")} {
			_, _, err := collect(t, []string{p}, Options{FollowLinks: true})
			if !errors.Is(err, input.ErrUnsupported) || !strings.Contains(err.Error(), "loop leads to a directory that it is in") {
				t.Errorf("%s: a link to %s: %v", p, to, err)
			}
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLinksOut: a link out of a named directory is refused, to a directory and to a file,
// of a directory and of a pattern; one that stays inside isn't, nor one that is named.
func TestLinksOut(t *testing.T) {
	dir, far := t.TempDir(), t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, d := range []string{"to-dir", "to-file", "no-ext", "inside/sub", "unread"} {
		if err := os.MkdirAll(at(d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	writePair(t, filepath.Join(far, "x.parquet"), "", 3, 4)
	writePair(t, filepath.Join(far, "plain"), "parquet", 3, 4)
	writePair(t, at("inside/sub/x.parquet"), "", 3, 4)
	samples.WriteTo(t, filepath.Join(far, "notes.txt"), []byte("x"))
	for _, d := range []string{"to-dir", "to-file", "inside", "unread"} {
		writePair(t, at(d+"/a.parquet"), "", 1, 2)
	}
	for link, to := range map[string]string{
		"to-dir/link": far, "to-file/link.parquet": filepath.Join(far, "x.parquet"), "no-ext/link": filepath.Join(far, "plain"),
		"inside/link": "sub", "inside/link.parquet": "sub/x.parquet", "unread/link.txt": filepath.Join(far, "notes.txt"), "unread/_link": far,
		"named": filepath.Join(far, "x.parquet"), "top": far,
	} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{"to-dir", "to-dir/*", "to-dir/**/*.parquet", "to-dir/**", "to-dir/*/*.parquet", "*/link", "to-file", "to-file/*", "to-file/**/*.parquet", "*/link.parquet", "no-ext", "no-ext/*"} {
		_, _, err := collect(t, []string{at(p)}, Options{})
		if !errors.Is(err, input.ErrUnsupported) || !strings.Contains(err.Error(), "link") || !strings.Contains(err.Error(), " leads out of "+dir) || !strings.Contains(err.Error(), "set Options.FollowLinks") {
			t.Errorf("%s: %v", p, err)
		}
		if _, _, err := collect(t, []string{at(p)}, Options{FollowLinks: true}); err != nil && p != "to-dir/**" && p != "*/link" {
			t.Errorf("%s, with FollowLinks: %v", p, err)
		}
	}
	for p, want := range map[string]int{"inside": 4, "inside/*.parquet": 2, "inside/**/*.parquet": 4, "unread": 1, "unread/*.parquet": 1, "named": 1, "top": 2, "top/*.parquet": 1} {
		got, _, err := collect(t, []string{at(p)}, Options{})
		if err != nil || len(got) != want {
			t.Errorf("%s: %v, %v", p, got, err)
		}
	}
}

// TestGraphArDirectory: the error for a directory of GraphAr's names the
// file to name.
func TestGraphArDirectory(t *testing.T) {
	_, err := Open(context.Background(), []string{"../../../../testdata/karate.graphar"}, Options{})
	if !errors.Is(err, input.ErrFormat) || !strings.Contains(err.Error(), "it.graph.yml says") {
		t.Errorf("%v", err)
	}
}
