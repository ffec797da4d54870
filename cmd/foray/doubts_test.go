// This file tests what newcomers took for something else: notices on standard
// error, and refusals that say what to do.

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

const (
	karateGraphAr = "../../testdata/karate.graphar/it.graph.yml"
	karateEdges   = "../../testdata/karate.graphar/member_knows_member.edge.yml"
)

// TestGraphArEdgeIDs: ids are of members, edges numbered by their rows.
func TestGraphArEdgeIDs(t *testing.T) {
	out, _ := foray(t, 0, "bfs", karateGraphAr, "--directed=false", "--edge-ids", "--paths", "-s", "1", "-t", "34", "-o", "-")
	contains(t, out, "target,depth,path,edges\n34,2,1;")
	plain, _ := foray(t, 0, "bfs", karateGraphAr, "--directed=false", "--paths", "-s", "1", "-t", "34", "-o", "-")
	if path := strings.TrimSpace(strings.Split(plain, "\n")[1]); !strings.Contains(out, path+",") {
		t.Errorf("%s, and without edge ids %s", out, plain)
	}
	_, errs := foray(t, 1, "bfs", karateGraphAr, "--edge-id", "sum", "--paths", "-s", "1", "-t", "34", "-o", "-")
	contains(t, errs, `column "sum": wrong column type: ids of edges are integers, but it is double`)
	dir := t.TempDir()
	out, _ = foray(t, 0, "convert", karateGraphAr, filepath.Join(dir, "k.foray"), "--edge-ids", "--weight", "sum", "--directed")
	contains(t, out, " edges, ")
	out, _ = foray(t, 0, "info", filepath.Join(dir, "k.foray"))
	contains(t, out, "directed, with weights and ids\n")
}

func TestGraphArDirected(t *testing.T) {
	for _, path := range []string{karateGraphAr, karateEdges} {
		out, errs := foray(t, 0, "info", path)
		contains(t, out, " undirected\n")
		contains(t, errs, "foray: "+path+" says directed: true, and edges are taken to lead both ways; --directed")
		for _, flag := range []string{"--directed", "--directed=false"} {
			if _, errs := foray(t, 0, "info", path, flag); errs != "" {
				t.Errorf("%s: %s", flag, errs)
			}
		}
	}
}

// TestPreparedDirection: a prepared graph leads the way that it does.
func TestPreparedDirection(t *testing.T) {
	dir := t.TempDir()
	directed, not := filepath.Join(dir, "d.foray"), filepath.Join(dir, "k.foray")
	foray(t, 0, "convert", karate, directed, "--directed", "--reverse=false")
	foray(t, 0, "convert", karate, not)
	_, errs := foray(t, 2, "bfs", directed, "--directed=false")
	contains(t, errs, "--directed=false: the graph in "+directed+" is directed; prepare another one")
	_, errs = foray(t, 2, "bfs", not, "--directed")
	contains(t, errs, "--directed: the graph in "+not+" is undirected")
	foray(t, 0, "bfs", not, "--directed=false")
	foray(t, 0, "bfs", directed, "--directed")
	_, errs = foray(t, 1, "bfs", directed, "--algo", "dobfs")
	contains(t, errs, "no reverse graph: convert the edges again, without --reverse=false, or search with --algo bfs\n")

	_, errs = foray(t, 1, "bfs", not, "--order", "degree", "--memory-limit", "1kB")
	contains(t, errs, "--order degree copies the graph in "+not+", which takes ", ", more than the 1.00 kB; leave out --order")
	foray(t, 0, "bfs", not, "--order", "degree", "--memory-limit", "10kB")
	foray(t, 0, "bfs", not, "--memory-limit", "1kB")
}

func TestRefusedEarly(t *testing.T) {
	_, errs := foray(t, 2, "bfs", "no such file", "--plot", "s3://bucket/x.svg")
	contains(t, errs, "--plot s3://bucket/x.svg: plots are local files")
	_, errs = foray(t, 1, "bfs", "../../testdata/karate.graphar")
	contains(t, errs, karateGraphAr+" says that the directory is Apache GraphAr's; name that file instead")
	dir := t.TempDir()
	_, errs = foray(t, 1, "bfs", karate, "--partition-by", "depth", "-o", dir)
	contains(t, errs, "the directory exists already", "or replace it with --overwrite")
	_, errs = foray(t, 2, "bench", karate, "--device", "host", "--coupling", "fused")
	contains(t, errs, "are for GPUs; the device is host")
}

func TestEmptyIDs(t *testing.T) {
	path := write(t, "e.csv", "src,dst\n\"\",b\nb,c\n")
	out, _ := foray(t, 0, "bfs", path, "-s", "c", "-t", "")
	contains(t, out, `targets    "" at depth 2`)
	_, errs := foray(t, 1, "bfs", path, "-s", "x")
	contains(t, errs, `from "" to c`)
}

func TestHelpOfConditions(t *testing.T) {
	out, _ := foray(t, 0, "bfs", "--help")
	out = strings.Join(strings.Fields(out), " ")
	contains(t, out, "Several PATHs make one graph. The CONDITION of --where compares", "and no column is compared with another",
		"a prepared graph that is mapped from a file doesn't count", "depth, parent, vertex (vertex_1 and so on where ids are several columns) or one of --properties")
	// What help says of the grammar holds.
	for _, where := range []string{
		"src = 1", "src != 2", "src <> 2", "src < 9", "src <= 9", "src > 0", "src >= 1", "src in (1, 2)", "src not in (4)", "src between 1 and 3",
		"src not between 5 and 6", "src is not null", "not (src is null or src = 9) and dst > 1", `"src" = 1`,
	} {
		foray(t, 0, "bfs", karate, "--where", where)
	}
	for _, where := range []string{"src like '1%'", "src = dst"} {
		foray(t, 1, "bfs", karate, "--where", where)
	}
	_, errs := foray(t, 1, "bfs", karate, "--where", "src = 1000")
	contains(t, errs, "(of 1 files in all it left out 0 unopened, and of the others 1 row groups unread and 0 rows)")
}
