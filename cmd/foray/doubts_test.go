// This file tests what newcomers took for something else: notices on standard
// error, and refusals that say what to do.

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/foray-graph/foray/graph"
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
	contains(t, out, "directed, with weights (float64) and ids\n")
}

func TestGraphArDirected(t *testing.T) {
	for _, path := range []string{karateGraphAr, karateEdges} {
		out, errs := foray(t, 0, "info", path)
		contains(t, out, " undirected\n")
		contains(t, errs, "foray: "+path+" says directed: true, but edges are read as undirected; --directed")
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
	contains(t, errs, "--directed=false: the graph in "+directed+" is directed; prepare another graph")
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
	out := ""
	for _, args := range [][]string{{"help", "input"}, {"help", "where"}, {"bfs", "--help-all"}} {
		page, _ := foray(t, 0, args...)
		out += strings.Join(strings.Fields(page), " ")
	}
	contains(t, out, "Several PATHs make one graph.", "The CONDITION of --where compares", "and no column is compared with another",
		"depth, parent, vertex (vertex_1 and so on where ids are several columns) or one of --properties", "a prepared graph that is mapped from a file doesn't count")
	// The grammar works as help describes it.
	for _, where := range []string{
		"src = 1", "src != 2", "src <> 2", "src < 9", "src <= 9", "src > 0", "src >= 1", "src in (1, 2)", "src not in (4)", "src between 1 and 3",
		"src not between 5 and 6", "src is not null", "not (src is null or src = 9) and dst > 1", `"src" = 1`,
	} {
		foray(t, 0, "bfs", karate, "--where", where)
	}
	for _, where := range []string{"src like '1%'", "src = dst"} {
		foray(t, 2, "bfs", karate, "--where", where)
	}
	_, errs := foray(t, 1, "bfs", karate, "--where", "src = 1000")
	contains(t, errs, "of 1 file it left out 0 unopened, then 1 row group by their statistics and 0 rows by their values")
	lake := t.TempDir()
	for _, year := range []string{"2023", "2024", "2025"} {
		path := filepath.Join(lake, "year="+year, "a.parquet")
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(read(t, karate)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, errs = foray(t, 1, "bfs", lake, "--where", "year = 2030")
	contains(t, errs, "of 3 files it left out 2 unopened, then 1 row group by their statistics and 0 rows by their values")
}

// TestVertexColumn: a column that isn't the ids' is noticed.
func TestVertexColumn(t *testing.T) {
	text := arrow.Field{Name: "src", Type: arrow.BinaryTypes.String}
	dst := text
	dst.Name = "dst"
	edges := table(t, "edges.arrow", []arrow.Field{text, dst}, []string{"1", "2"}, []string{"2", "3"})
	name, id := text, text
	name.Name, id.Name = "name", "id"
	users := table(t, "users.arrow", []arrow.Field{id, name}, []string{"1", "ann"}, []string{"2", "bob"}, []string{"3", "bob"}, []string{"4", "cy"})
	_, errs := foray(t, 0, "bfs", edges, "--vertices", users, "--vertex-id", "name")
	if want := "foray: 0 of 4 rows of " + users + " have an id that an edge has; is --vertex-id right?\n"; errs != want {
		t.Errorf("%q, want %q", errs, want)
	}
	for _, more := range []string{"", "--directed", "--two-pass", "--where src='2'"} {
		if _, errs := foray(t, 0, append([]string{"bfs", edges, "--vertices", users}, strings.Fields(more)...)...); errs != "" {
			t.Errorf("%s: %s", more, errs)
		}
	}
	// A vertex that edges only lead to has an edge.
	last := table(t, "last.arrow", []arrow.Field{id}, []string{"3"})
	if _, errs := foray(t, 0, "bfs", edges, "--directed", "--vertices", last); errs != "" {
		t.Error(errs)
	}
	_, errs = foray(t, 0, "info", edges, "--directed", "--vertices", users, "--vertex-id", "name")
	contains(t, errs, "is --vertex-id right?")

	// Of many rows some are looked at; one in a hundred is enough, and with a
	// condition one at all.
	var rows [][]string
	for i := range 20000 {
		rows = append(rows, []string{strconv.Itoa(-i)})
	}
	many := table(t, "many.arrow", []arrow.Field{id}, rows...)
	_, errs = foray(t, 0, "bfs", edges, "--vertices", many)
	contains(t, errs, " of ", " rows, looked at among 20,000, of "+many+" have an id that an edge has; is --vertex-id right?\n")
	rows[0] = []string{"1"} // the first one is always looked at
	many = table(t, "many.arrow", []arrow.Field{id}, rows...)
	_, errs = foray(t, 0, "bfs", edges, "--vertices", many, "--workers", "1")
	contains(t, errs, "foray: 1 of ")
	if _, errs = foray(t, 0, "bfs", edges, "--vertices", many, "--workers", "1", "--where", "src = '1'"); errs != "" {
		t.Error(errs)
	}
}

// TestRowSample: every so manieth row is kept, whatever the batches are.
func TestRowSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s rowSample
	for range 20 {
		s.reset()
		n := int64(rng.IntN(10 * maxSample))
		for at := int64(0); at < n; {
			var b graph.Batch
			for k := rng.Int64N(3000); k >= 0 && at < n; k-- {
				b.Src = append(b.Src, at)
				at++
			}
			s.add(&b)
		}
		if s.rows != uint64(n) || s.len() > maxSample || n < maxSample && s.len() != int(n) || n >= maxSample && s.len() < maxSample/2 {
			t.Fatalf("%d rows of %d, %d kept", s.rows, n, s.len())
		}
		for i, id := range s.ints {
			if id != int64(i)*int64(s.stride) {
				t.Fatalf("row %d is kept as number %d, with stride %d", id, i, s.stride)
			}
		}
	}
}
