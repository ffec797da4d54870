// This file tests that what YAML files name stays below their directory, and that errors don't show what is in files.

package graphar

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

const outsideText = "root:x:0:0: not for others"

// TestBounds: prefixes and names that lead out of the directory, and links that do.
func TestBounds(t *testing.T) {
	const sample = "../../../testdata/karate.graphar"
	made := func(t *testing.T) string {
		dir := filepath.Join(t.TempDir(), "club")
		if err := os.CopyFS(dir, os.DirFS(sample)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	edit := func(t *testing.T, path, from, to string) {
		t.Helper()
		b, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(b), from) {
			t.Fatalf("%s lacks %q: %v", path, from, err)
		}
		writeFile(t, path, []byte(strings.ReplaceAll(string(b), from, to)))
	}
	link := func(t *testing.T, path string) {
		t.Helper()
		far := filepath.Join(t.TempDir(), "far")
		if err := os.Rename(path, far); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(far, path); err != nil {
			testlong.Without(t, "needs symbolic links", err)
		}
	}
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string)
		link   bool
	}{
		"a prefix": {func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, "vertex"), filepath.Join(filepath.Dir(dir), "vertex")); err != nil {
				t.Fatal(err)
			}
			edit(t, filepath.Join(dir, "member.vertex.yml"), "vertex/member/", "../vertex/member/")
		}, false},
		"the graph's prefix": {func(t *testing.T, dir string) {
			for _, d := range []string{"vertex", "edge"} {
				if err := os.Rename(filepath.Join(dir, d), filepath.Join(filepath.Dir(dir), d)); err != nil {
					t.Fatal(err)
				}
			}
			edit(t, filepath.Join(dir, "it.graph.yml"), "vertices:", "prefix: ../\nvertices:")
		}, false},
		"a name": {func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, "member.vertex.yml"), filepath.Join(filepath.Dir(dir), "member.vertex.yml")); err != nil {
				t.Fatal(err)
			}
			edit(t, filepath.Join(dir, "it.graph.yml"), "member.vertex.yml", "../member.vertex.yml")
		}, false},
		"a link to the YAML file": {func(t *testing.T, dir string) { link(t, filepath.Join(dir, "member.vertex.yml")) }, true},
		"a link to a directory":   {func(t *testing.T, dir string) { link(t, filepath.Join(dir, "edge")) }, true},
		"a link to a chunk": {func(t *testing.T, dir string) {
			link(t, filepath.Join(dir, "edge/member_knows_member/ordered_by_source/adj_list/part0/chunk0"))
		}, true},
		"a link to a count": {func(t *testing.T, dir string) { link(t, filepath.Join(dir, "vertex/member/vertex_count")) }, true},
		"a link to an offset": {func(t *testing.T, dir string) {
			link(t, filepath.Join(dir, "edge/member_knows_member/ordered_by_source/offset/chunk0"))
		}, true},
		"a link to vertices": {func(t *testing.T, dir string) { link(t, filepath.Join(dir, "vertex/member/id_more/chunk0")) }, true},
		"a link to all counts": {func(t *testing.T, dir string) {
			link(t, filepath.Join(dir, "edge/member_knows_member/ordered_by_source/edge_count0"))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := made(t)
			c.change(t, dir)
			path := filepath.Join(dir, "it.graph.yml")
			option := "Options.AllowOutside"
			if c.link {
				option = "Options.FollowLinks"
			}
			if _, err := loadGraph(context.Background(), path, Options{FollowLinks: !c.link}); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), option) {
				t.Errorf("got %v, want %s", err, option)
			}
			if _, err := loadGraph(context.Background(), path, Options{FollowLinks: c.link, AllowOutside: !c.link}); err != nil {
				t.Errorf("followed: %v", err)
			}
		})
	}
	// A directory that is a link itself, and names that lead back into it, are read.
	dir := made(t)
	to := filepath.Join(t.TempDir(), "moved")
	if err := os.Symlink(dir, to); err != nil {
		testlong.Without(t, "needs symbolic links", err)
	}
	edit(t, filepath.Join(dir, "member.vertex.yml"), "vertex/member/", "edge/../vertex/./member/")
	for _, d := range []string{dir, to} {
		if _, err := loadGraph(context.Background(), filepath.Join(d, "it.graph.yml"), Options{}); err != nil {
			t.Errorf("%s: %v", d, err)
		}
	}
	// What a file holds isn't shown.
	for _, text := range []string{outsideText, "vertices:\n- a\n- " + outsideText, "vertices: " + strings.Fields(outsideText)[0], "chunk_size: not for others\ntype: a"} {
		dir := made(t)
		writeFile(t, filepath.Join(dir, "member.vertex.yml"), []byte(text))
		for _, name := range []string{"it.graph.yml", "member_knows_member.edge.yml", "member.vertex.yml"} {
			if _, err := loadGraph(context.Background(), filepath.Join(dir, name), Options{}); err == nil || strings.Contains(err.Error(), "root") || strings.Contains(err.Error(), "others") || strings.Contains(err.Error(), "graphar.") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
