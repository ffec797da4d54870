// This file tests append --remove-vertices.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAppendRemovesVertices(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	edges := func(path string, args ...string) string {
		out, _ := foray(t, 0, append([]string{"convert", path, "-"}, args...)...)
		return out
	}
	g, h := filepath.Join(dir, "g.foray"), filepath.Join(dir, "h.foray")
	foray(t, 0, "convert", file("e.csv", "src,dst,weight\n1,2,5\n2,3,7\n3,4,1\n5,5,2\n4,6,3\n"), g, "--weights", "--directed")
	gone := file("gone.csv", "who,id\nx,2\ny,99\nz,2\nw,1\n")
	out, _ := foray(t, 0, "append", g, "--remove-vertices", gone, "-o", h)
	contains(t, out, "h.foray: 2 edges, 4 vertices; before 4 edges, 6 vertices; 2 vertices of "+gone+" taken away, 1 of 4 ids not in the graph; in ")
	if got, want := edges(h, "--weights"), "src,dst,weight\n3,4,1\n4,6,3\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	out, _ = foray(t, 0, "bfs", h, "--source", "3", "-o", "-", "--sort", "id")
	if want := "vertex,depth\n3,0\n4,1\n5,-1\n6,2\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
	// With edges, which come first.
	more := file("more.csv", "src,dst,weight\n1,7,1\n7,4,1\n")
	foray(t, 0, "append", g, more, "--remove-vertices", gone, "-o", h)
	if got, want := edges(h, "--weights"), "src,dst,weight\n3,4,1\n4,6,3\n7,4,1\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// Blanks, which edges may have too.
	foray(t, 0, "append", g, "--remove-vertices", file("blanks.csv", "who,id\nx, 2 \ny,\t5\n"), "-o", filepath.Join(dir, "blanks.foray"))
	if got, want := edges(filepath.Join(dir, "blanks.foray"), "--weights"), "src,dst,weight\n3,4,1\n4,6,3\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// In place, then none is left to take away.
	foray(t, 0, "append", g, more, "--remove-vertices", gone)
	if got, want := edges(g, "--weights"), edges(h, "--weights"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	out, _ = foray(t, 0, "append", g, "--remove-vertices", gone)
	if want := g + " stays as it is: 0 vertices of " + gone + " taken away, 4 of 4 ids not in the graph\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
	foray(t, 0, "append", g, "--remove-vertices", file("all.txt", "3\n4\n5\n6\n7\n"))
	out, _ = foray(t, 0, "info", g)
	contains(t, out, "vertices       0\n")
	foray(t, 0, "append", g, more) // a graph without vertices takes some again
	if got, want := edges(g, "--weights"), "src,dst,weight\n1,7,1\n7,4,1\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// Kinds, of which one has no vertex any more.
	kinds, table := filepath.Join(dir, "kinds.foray"), filepath.Join(dir, "k.parquet")
	foray(t, 0, "convert", file("k.csv", "src,dst\n1,1\n1,2\n2,1\n"), table, "--directed")
	foray(t, 0, "convert", table, kinds, "--src", "src:u", "--dst", "dst:i", "--directed")
	foray(t, 0, "append", kinds, "--remove-vertices", file("kinds.txt", "i:1\ni:2\n"))
	out, _ = foray(t, 0, "info", kinds)
	contains(t, out, "vertices       2\n", "edges          0, directed\n")
	foray(t, 0, "append", kinds, table, "--src", "src:u", "--dst", "dst:i")
	if got := edges(kinds); strings.Count(got, "\n") != 4 {
		t.Errorf("%q", got)
	}
	// Edges that have one of the kinds alone.
	foray(t, 0, "append", kinds, table, "--src", "src:i", "--dst", "dst:i")
	if got := edges(kinds); strings.Count(got, "\n") != 6 {
		t.Errorf("%q", got)
	}
	for list, want := range map[string]string{
		"u:1\n1\n":   "kinds.txt: vertex 1 has no kind: write KIND:ID, such as i:1; kinds are i, u (int64)",
		"x:1\n":      "vertex x:1 is of a kind that the graph doesn't have",
		"u:1\nu:x\n": "vertex u:x has an id that is not of its kind's type",
	} {
		_, errs := foray(t, 1, "append", kinds, "--remove-vertices", file("kinds.txt", list))
		contains(t, errs, "foray: --remove-vertices ", want)
	}
	// The same id on both sides has to say which one it is.
	sides := filepath.Join(dir, "sides.foray")
	foray(t, 0, "convert", table, sides, "--separate-ids", "--directed")
	_, errs := foray(t, 1, "append", sides, "--remove-vertices", file("one.txt", "1\n"))
	contains(t, errs, "write source:1 or target:1")
	foray(t, 0, "append", sides, "--remove-vertices", file("side.txt", "source:1\n"))
	if got := edges(sides); strings.Count(got, "\n") != 2 {
		t.Errorf("%q", got)
	}
	for _, x := range []struct {
		status int
		want   string
		args   []string
	}{
		{2, "append needs a GRAPH and EDGES, or --remove-vertices", nil},
		{2, "--remove-vertices is empty", []string{"--remove-vertices", ""}},
		{2, "--remove needs EDGES, and none are given", []string{"--remove-vertices", gone, "--remove"}},
		{2, "--where needs EDGES, and none are given", []string{"--remove-vertices", gone, "--where", "x = 1"}},
		{2, "--weight needs EDGES, and none are given", []string{"--remove-vertices", gone, "--weight", "x"}},
		{1, `foray: --remove-vertices ` + file("2x.txt", "1\n2x\n") + `: "2x" is no int64; ids of the graph are of type int64, from 1 to 7`, []string{"--remove-vertices", filepath.Join(dir, "2x.txt")}},
		{1, `"1.0" is no int64`, []string{"--remove-vertices", file("1.0.csv", "id\n1.0\n")}},
		{1, "none.csv: no such file", []string{"--remove-vertices", filepath.Join(dir, "none.csv")}},
		{1, `the header has no column "name"`, []string{"--remove-vertices", gone + ";column=name"}},
	} {
		_, errs := foray(t, x.status, append([]string{"append", g}, x.args...)...)
		contains(t, errs, x.want)
	}
}
