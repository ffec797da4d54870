// This file tests the list of a graph's files.

package graphar

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestFiles: of the karate club all files are the graph's; of a copy with others
// beside them, whose directories are links, only those.
func TestFiles(t *testing.T) {
	club := filepath.Join(testdata, "karate.graphar")
	for _, info := range []string{"it.graph.yml", "member_knows_member.edge.yml"} {
		var want []string
		for _, name := range names(t, club) {
			if info == "it.graph.yml" || name != "it.graph.yml" {
				want = append(want, filepath.Join(club, filepath.FromSlash(name)))
			}
		}
		slices.Sort(want)
		if got, err := Files(filepath.Join(club, info)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v\n%q, want\n%q", info, err, got, want)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(club)); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "edge", "member_knows_member", "ordered_by_source")
	elsewhere := filepath.Join(t.TempDir(), "[x]")
	if err := errors.Join(os.Rename(filepath.Join(list, "adj_list"), elsewhere), os.Symlink(elsewhere, filepath.Join(list, "adj_list"))); err != nil {
		testlong.Without(t, "needs symbolic links", err)
	}
	for _, name := range []string{"r.parquet", "edge/x.csv", "vertex/member/id_more/r.parquet"} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Files(filepath.Join(dir, "it.graph.yml"))
	if want := len(names(t, club)); err != nil || len(got) != want {
		t.Errorf("%v, %d files, want %d: %q", err, len(got), want, got)
	}
	if _, err := Files(filepath.Join(dir, "none.yml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want ErrNotExist", err)
	}
}
