// This file tests what is said of lists of vertices, and of heads that declare too much.

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestVertexLists(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	edges, words := file("e.csv", "src,dst\n1,2\n2,3\n"), file("w.csv", "src,dst\nx,y\n")
	list, people := file("list", "7\n8\n1\n"), file("v.csv", "key,name\n7,Ann\n")
	head := "%%MatrixMarket matrix coordinate pattern general\n"
	many, none := file("many.mtx", head+"20000000 20000000 1\n1 2\n"), file("none.mtx", head+"3 3 0\n")
	g := filepath.Join(dir, "g.foray")
	foray(t, 0, "convert", edges, g)
	out, _ := foray(t, 0, "info", edges, "--vertices", list) // whose name shows no format
	contains(t, out, "vertices       5\n")
	out, _ = foray(t, 0, "info", words, "--separate-ids", "--vertices", list, "--vertex-side", "target")
	contains(t, out, "vertices       5\n", "ids            string")
	out, _ = foray(t, 0, "bfs", words, "--separate-ids", "--vertices", list, "--vertex-side", "target", "-s", "target:7", "-o", "-", "--reached-only")
	if want := "vertex_side,vertex,depth\ntarget,7,0\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
	out, errs := foray(t, 0, "cc", none)
	contains(t, out, "none.mtx: 3 vertices (3 isolated), 0 edges")
	contains(t, errs, "there is no edge; the graph is 3 vertices without edges")
	out, _ = foray(t, 0, "append", g, "--vertices", list)
	contains(t, out, "g.foray: 2 edges, 5 vertices; before 2 edges, 3 vertices; in ")
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{1, `--vertices: ` + people + `:1: the names in the header don't tell which column has the vertices; name it in --vertex-id`, []string{"info", edges, "--vertices", people}},
		{1, `--vertex-id names column "kye", but the columns are "key", "name"; did you mean "key"?`, []string{"info", edges, "--vertices", people, "--vertex-id", "kye"}},
		{3, `:2: want an integer id, found "Ann"`, []string{"info", edges, "--vertices", people, "--vertex-id", "name"}},
		{3, "many.mtx:2: the head declares 20000000 vertices, where 16777280 are taken without a doubt with so few entries; if it is right, --limits vertices=N raises the limit", []string{"info", many}},
		{1, "not enough memory", []string{"info", many, "--limits", "vertices=20000000", "--memory-limit", "1MB"}},
		{2, "vertices: want a whole number above 0", []string{"info", many, "--limits", "vertices=0"}},
		{2, "none.mtx is a graph (mtx), and vertices are listed by Parquet, Arrow, text and JSON lines; name it as a PATH itself", []string{"info", edges, "--vertices", none}},
		{1, "ghost.csv: no such file or directory", []string{"info", edges, "--vertices", filepath.Join(dir, "ghost.csv")}},
		{2, "--since needs EDGES, and none are given", []string{"append", g, "--vertices", list, "--since", "1"}},
		{2, "--remove needs EDGES, and none are given", []string{"append", g, "--vertices", list, "--remove"}},
		{2, "--where needs EDGES, and none are given", []string{"append", g, "--vertices", list, "--where", "a = 1"}},
		{3, `want an integer id, found "x"`, []string{"append", g, "--vertices", file("x.txt", "x\n")}},
		{2, "go with edges in Parquet and Arrow; convert the edges first", []string{"bfs", edges, "--vertices", filepath.Join(dir, "v.parquet"), "--properties", "name", "-o", "-"}},
	} {
		_, errs := foray(t, c.status, c.args...)
		contains(t, errs, c.says)
	}
}
