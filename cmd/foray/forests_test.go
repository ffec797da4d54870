// This file holds tests of commands whose tables have rows of edges.

package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBridges: rows of edges, and of vertices.
func TestBridges(t *testing.T) {
	cables := write(t, "cables.csv", "src,dst\na,b\nb,c\nc,a\nc,d\nd,d\nc,b\n")
	out, told := foray(t, 0, "bridges", cables, "--order", "given", "--validate", "-o", "-")
	if out != "src,dst,component,bridge\na,b,b,0\na,c,b,0\nb,c,b,0\nc,d,d,1\n" {
		t.Error(out)
	}
	contains(t, told, "components 2\n", "bridges    1\n", "points     1 of articulation\n", "valid      a depth-first search found the same components\n")
	out, _ = foray(t, 0, "bridges", cables, "--directed", "--points", "--sort", "id", "-o", "-")
	if out != "vertex,articulation\na,0\nb,0\nc,1\nd,0\n" {
		t.Error(out)
	}
}

// inOrder sorts lines.
func inOrder(s string) string {
	lines := strings.Split(s, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestTrusses: rows of edges, of all or of one truss.
func TestTrusses(t *testing.T) {
	friends := write(t, "friends.csv", "src,dst\na,b\nb,c\nc,a\nc,d\nd,d\nc,b\n")
	out, told := foray(t, 0, "ktruss", friends, "--order", "given", "--validate", "-o", "-")
	if out != "src,dst,trussness\na,b,3\na,c,3\nb,c,3\nc,d,2\n" {
		t.Error(out)
	}
	contains(t, told, "trussness  up to 3; that truss has 3 edges\n", "valid      removing edges one by one found the same\n")
	out, told = foray(t, 0, "ktruss", friends, "--directed", "--k", "3", "-o", "-")
	if out != "src,dst,trussness\na,b,3\nb,c,3\nc,a,3\nc,b,3\n" {
		t.Error(out)
	}
	contains(t, told, "edges      3 in the 3-truss\n")
	out, _ = foray(t, 0, "ktruss", friends, "--k", "4", "-o", "-")
	if out != "src,dst,trussness\n" {
		t.Error(out)
	}
}

// TestCliques: rows of sizes, and of vertices.
func TestCliques(t *testing.T) {
	friends := write(t, "friends.csv", "src,dst\na,b\nb,c\nc,a\nc,d\nd,d\nc,b\n")
	out, told := foray(t, 0, "kclique", friends, "--validate", "-o", "-")
	if out != "size,cliques\n1,4\n2,4\n3,1\n" {
		t.Error(out)
	}
	contains(t, told, "cliques    9\n", "largest    3 vertices, 1 of them\n", "most       4 of 1 vertex\n")
	out, told = foray(t, 0, "kclique", friends, "--directed", "--k", "3", "--sort", "id", "--validate", "-o", "-")
	if out != "vertex,cliques\na,1\nb,1\nc,1\nd,0\n" {
		t.Error(out)
	}
	contains(t, told, "cliques    1 of 3 vertices; vertex a is in most of them, 1\n")
	_, told = foray(t, 2, "kclique", friends, "--count-only")
	contains(t, told, "--count-only is for --k")
	_, told = foray(t, 2, "kclique", friends, "--k", "3", "--count-only", "-o", "-")
	contains(t, told, "--count-only finds nothing for every vertex")

	many := "src,dst\n"
	for v := range 80 {
		for u := range v {
			many += fmt.Sprintf("%d,%d\n", v, u)
		}
	}
	in := write(t, "many.csv", many)
	out, _ = foray(t, 0, "kclique", in, "--json")
	contains(t, out, "1208925819614629174706175", "107507208733336176461620") // 2^80-1, and 40 of 80
	_, told = foray(t, 1, "kclique", in, "-o", "-")
	contains(t, told, "more than a column has room for")
	_, told = foray(t, 1, "kclique", in, "--k", "40", "-o", "-")
	contains(t, told, "--count-only")
	out, _ = foray(t, 0, "kclique", in, "--k", "40", "--count-only")
	contains(t, out, "cliques    1.07507e+23 of 40 vertices")
}

// TestForests: edges of forests, by weight, id and ends, the same in every order and for any number of workers.
func TestForests(t *testing.T) {
	skewed := write(t, "skewed.csv", "src,dst,weight\n9,1,2\n9,2,1\n9,3,4\n9,4,5\n3,1,7\n")
	for _, command := range []string{"msf", "bridges", "convert"} { // of an undirected edge the lower id is src
		var one, two string
		if command == "convert" {
			ordered := func(order string) string {
				path := filepath.Join(t.TempDir(), "g.foray")
				foray(t, 0, "convert", skewed, path, "--order", order)
				out, _ := foray(t, 0, "convert", path, "-")
				return out
			}
			one, two = ordered("given"), ordered("degree")
		} else {
			one, _ = foray(t, 0, command, skewed, "--order", "given", "-o", "-")
			two, _ = foray(t, 0, command, skewed, "--order", "degree", "-o", "-")
		}
		one, two = inOrder(one), inOrder(two)
		if one != two || !strings.Contains(one, "\n1,9") {
			t.Errorf("%s in the given order %s, by degree %s", command, one, two)
		}
	}
	roads := write(t, "roads.csv", "src,dst,weight\na,b,3\nb,c,1\nc,a,2\nd,e,-1\na,b,2\n")
	for _, c := range []struct{ args, want, told string }{
		{"msf", "src,dst,weight,tree\na,b,2,a\nb,c,1,a\nd,e,-1,d\n", "weight     2\n"},
		{"msf --maximum", "src,dst,weight,tree\na,b,3,a\na,c,2,a\nd,e,-1,d\n", "weight     4\n"},
		{"spanning", "src,dst,tree\na,b,a\na,c,a\nd,e,d\n", "forest     3 edges in 2 trees\n"},
	} {
		out, told := foray(t, 0, append(strings.Fields(c.args), roads, "--order", "given", "--validate", "-o", "-")...)
		if out != c.want {
			t.Errorf("%s: %s", c.args, out)
		}
		contains(t, told, c.told, "valid      Kruskal's algorithm found the same edges and trees\n")
	}
	rowsOf := func(args ...string) string {
		out, _ := foray(t, 0, args...)
		var rows []string
		for row := range strings.Lines(out) {
			cells := strings.Split(strings.TrimSpace(row), ",")
			if cells[0] > cells[1] {
				cells[0], cells[1] = cells[1], cells[0]
			}
			rows = append(rows, strings.Join(cells, ","))
		}
		return strings.Join(sorted(rows), "\n")
	}
	want := rowsOf("spanning", karateFile, "-o", "-", "--workers", "1")
	for _, more := range []string{"--workers 2", "--order given", "--order degree", "--directed", "--two-pass"} {
		if got := rowsOf(append([]string{"spanning", karateFile, "-o", "-"}, strings.Fields(more)...)...); got != want {
			t.Errorf("%s: other edges", more)
		}
	}
	numbered := filepath.Join(t.TempDir(), "n.parquet")
	foray(t, 0, "convert", write(t, "n.csv", "src,dst\n1,2\n2,3\n3,1\n"), numbered)
	out, _ := foray(t, 0, "spanning", numbered, "--edge-ids", "--order", "given", "-o", "-")
	if out != "src,dst,edge_id,tree\n1,2,0,1\n2,3,1,1\n" {
		t.Error(out)
	}
	dir := t.TempDir()
	out, _ = foray(t, 0, "run", roads, "--do", "msf", "--do", "spanning", "--do", "cc", "-o", dir, "--sort", "id", "--validate")
	contains(t, out, filepath.Join(dir, "msf.parquet")+", 3 rows", filepath.Join(dir, "spanning.parquet")+", 3 rows", filepath.Join(dir, "cc.parquet")+", 5 rows")
	_, told := foray(t, 2, "msf", roads, "--sort", "id", "-o", "-")
	contains(t, told, "--sort and --vertex-column are for rows of vertices, not for edges")
	_, told = foray(t, 2, "msf", roads, "--partition-by", "tree", "-o", "x")
	contains(t, told, "--partition-by and --properties are for rows of vertices, not for edges")
	_, told = foray(t, 1, "msf", write(t, "nan.csv", "src,dst,weight\na,b,1\nb,c,NaN\n"))
	contains(t, told, "the edge from b to c weighs NaN, which isn't below or above another weight")
	_, told = foray(t, 2, "run", roads, "--do", "msf", "--do", "msf --maximum")
	contains(t, told, "set one for all with --combine, or run them separately")
}
