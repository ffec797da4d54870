// This file tests the notes of convert, edge ids on the command line, and
// outputs inside of inputs.

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/foray-graph/foray/internal/testing/tests3"
)

func TestConvertNotes(t *testing.T) {
	number := func(name string) arrow.Field { return arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64} }
	word := func(name string) arrow.Field { return arrow.Field{Name: name, Type: arrow.BinaryTypes.String} }
	dir := t.TempDir()
	wide := table(t, "wide.arrow", []arrow.Field{number("src"), word("kind"), number("dst"), number("weight"), number("amount"), number("eid")},
		[]string{"1", "x", "2", "3", "4", "70"}, []string{"2", "y", "3", "5", "6", "71"})
	tenants := table(t, "tenants.arrow", []arrow.Field{word("tenant"), number("user"), number("friend")},
		[]string{"acme", "1", "2"}, []string{"acme", "2", "3"}, []string{"b,c", "1", "2"})
	vertices := table(t, "v.arrow", []arrow.Field{number("id"), word("name")}, []string{"1", "a"}, []string{"9", "b"})
	prepared := filepath.Join(dir, "p.foray")
	if err := os.WriteFile(filepath.Join(dir, "x.csv"), []byte("src,dst,weight,note\n1,2,3,x\n2,3,4,y\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, errs string }{
		{"convert WIDE A/a.parquet", "foray: left out of A/a.parquet: kind, weight, amount, eid; --weight COLUMN keeps weights, and --edge-id COLUMN ids of edges\n"},
		{"convert WIDE - --weights --edge-id eid --where amount=4", "foray: left out of standard output: kind, amount; --weight COLUMN keeps weights, and --edge-id COLUMN ids of edges\n"},
		{"convert WIDE A/b.el", "foray: left out of A/b.el: kind, weight, amount, eid; --weight COLUMN keeps weights, and --edge-id COLUMN ids of edges\n"},
		{"convert WIDE A/p.foray --weights --edge-ids --vertices V", "foray: left out of A/p.foray: kind, amount, eid, name; --weight COLUMN keeps weights, --edge-id COLUMN ids of edges, --edge-columns others, and --vertex-columns those of vertices\n"},
		{"convert A/p.foray A/c.wel", "foray: left out of A/c.wel: the edges' ids, the vertex without an edge; the format has no place for them\n"},
		{"convert A/p.foray A/c.el", "foray: left out of A/c.el: the weights, the edges' ids, the vertex without an edge; the format has no place for them\n"},
		{"convert A/p.foray A/c.parquet", "foray: left out of A/c.parquet: the vertex without an edge; the format has no place for them\n"},
		{"convert K A/k.parquet", ""},
		{"convert A/x.csv A/x.parquet", "foray: left out of A/x.parquet: weight, note; --weight COLUMN keeps weights, and --edge-id COLUMN ids of edges\n"},
		{"convert A/x.csv A/x.foray --weights --two-pass", "foray: left out of A/x.foray: note; --weight COLUMN keeps weights, --edge-id COLUMN ids of edges, and --edge-columns others\n"},
		{"convert A/x.csv A/x.sg --vertex-numbers", "foray: left out of A/x.sg: weight, note; --weight COLUMN keeps weights, and --edge-id COLUMN ids of edges\n"},
		{"convert gen:grid2d:3x3,weights=1:9 A/g.parquet", "foray: left out of A/g.parquet: weight; --weight COLUMN keeps weights, and --edge-id COLUMN ids of edges\n"},
		{"convert gen:grid2d:3x3,weights=1:9 A/h.parquet --weights", ""},
		{"convert TENANTS A/t.parquet --src tenant,user --dst tenant,friend", ""},
		{"convert TENANTS A/t.csv --src tenant,user --dst tenant,friend", "foray: A/t.csv: ids of several columns are read again from .parquet and .arrow, not from text\n"},
		{"convert TENANTS A/s.arrow --src user --dst friend --separate-ids --simple", "foray: left out of A/s.arrow: tenant; --weight COLUMN keeps weights, and --edge-id COLUMN ids of edges\nforay: A/s.arrow: --separate-ids reads it again as it was\n"},
	} {
		r := strings.NewReplacer("WIDE", wide, "TENANTS", tenants, "K", karate, "V", vertices, "A/", dir+"/")
		args := strings.Fields(c.args)
		for i := range args {
			args[i] = r.Replace(args[i])
		}
		_, errs := foray(t, 0, args...)
		if want := strings.ReplaceAll(c.errs, "A/", dir+"/"); errs != want {
			t.Errorf("%s: %q, want %q", c.args, errs, want)
		}
	}
	// Ids of several columns are restored automatically, and so are sides.
	out, _ := foray(t, 0, "bfs", filepath.Join(dir, "t.parquet"), "--source", "acme,1", "-o", "-", "--order", "given")
	if want := "vertex_1,vertex_2,depth\nacme,1,0\nacme,2,1\nacme,3,2\n\"b,c\",1,-1\n\"b,c\",2,-1\n"; out != want {
		t.Errorf("%s, want %s", out, want)
	}
	want, _ := foray(t, 0, "convert", tenants, "-", "--src", "user", "--dst", "friend", "--separate-ids", "--simple")
	got, _ := foray(t, 0, "convert", filepath.Join(dir, "s.arrow"), "-", "--separate-ids", "--simple")
	if got != want || strings.Contains(got, "target,1") || !strings.Contains(got, "source,1,target,2\n") {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := os.Stat(prepared); err != nil {
		t.Error(err)
	}
}

// TestEdgeIDFlags: edge ids come along, by row or from a column, and stand along
// paths.
func TestEdgeIDFlags(t *testing.T) {
	number := func(name string) arrow.Field { return arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64} }
	dir := t.TempDir()
	one := table(t, "one.arrow", []arrow.Field{number("src"), number("dst"), number("eid")}, []string{"1", "2", "70"}, []string{"2", "3", "71"})
	two := table(t, "two.arrow", []arrow.Field{number("src"), number("dst"), number("id")}, []string{"3", "4", "80"})
	r := strings.NewReplacer("ONE", one, "TWO", two, "K", karate, "A/", dir+"/")
	run := func(status int, args string) (string, string) {
		t.Helper()
		all := strings.Fields(args)
		for i := range all {
			all[i] = strings.ReplaceAll(r.Replace(all[i]), "~", " ")
		}
		return foray(t, status, all...)
	}
	for args, want := range map[string]string{
		"convert ONE - --edge-ids":                                         "src,dst,edge_id\n1,2,0\n2,3,1\n",
		"convert ONE - --edge-ids --where src=2":                           "src,dst,edge_id\n2,3,1\n",
		"convert ONE - --edge-id eid":                                      "src,dst,edge_id\n1,2,70\n2,3,71\n",
		"convert ONE - --edge-ids --edges TWO":                             "src,dst,edge_id\n1,2,0\n2,3,1\n3,4,2\n",
		"convert ONE - --edge-id eid --edges TWO;edge-id=id;where=src=3":   "src,dst,edge_id\n1,2,70\n2,3,71\n3,4,80\n",
		"convert ONE - --edge-id eid --simple":                             "src,dst,edge_id\n1,2,70\n2,3,71\n",
		"bfs ONE --edge-id eid --source 1 --target 3 --paths -o -":         "target,depth,path,edges\n3,2,1;2;3,70;71\n",
		"bfs ONE TWO --edge-ids --source 4 --target 1 --paths -o -":        "target,depth,path,edges\n1,3,4;3;2;1,2;1;0\n",
		"bfs ONE --source 1 --target 3 --paths -o -":                       "target,depth,path\n3,2,1;2;3\n",
		"bfs ONE --directed --edge-ids --source 3 --target 1 --paths -o -": "target,depth,path,edges\n1,-1,,\n",
	} {
		if got, _ := run(0, args); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	run(0, "convert ONE A/e.foray --edge-id eid")
	run(0, "convert ONE A/n.foray")
	if got, _ := run(0, "bfs A/e.foray --source 1 --target 3 --paths -o - --edge-ids"); got != "target,depth,path,edges\n3,2,1;2;3,70;71\n" {
		t.Error(got)
	}
	if got, _ := run(0, "convert A/e.foray -"); got != "src,dst,edge_id\n1,2,70\n2,3,71\n" {
		t.Error(got)
	}
	out, _ := run(0, "info A/e.foray")
	contains(t, out, "edges          2, undirected, with ids\n")
	for _, c := range [][]string{
		{"convert K A/x.el --edge-ids", "can't store edge ids"},
		{"convert K A/x.sg --edge-id eid", "can't store edge ids"},
		{"convert gen:star:4 A/x.csv --edge-ids", "not for generated graphs"},
		{"convert A/x.el A/x.csv --edge-ids", "x.el is text"},
		{"convert A/n.foray A/x.csv --edge-ids", "the graph in " + dir + "/n.foray has none"},
		{"convert A/e.foray A/x.csv --edge-id eid", "--edge-id names a column of edges"},
		{"bfs ONE --edge-ids", "are for --paths"},
		{"convert ONE A/x.csv --edges TWO;edge-id=id", "--edges", "or leave out edge-id=id"},
	} {
		if strings.Contains(c[0], "A/x.el A") {
			run(0, "convert ONE A/x.el")
		}
		_, errs := run(2, c[0])
		contains(t, errs, c[1:]...)
	}
	_, errs := run(1, "convert ONE A/x.csv --edge-id eid --edges TWO")
	contains(t, errs, "edge ids")
	_, errs = run(1, "convert ONE A/x.csv --edge-id nope")
	contains(t, errs, "--edge-id names it")
}

// TestConvertInside: what is read isn't written to.
func TestConvertInside(t *testing.T) {
	dir := t.TempDir()
	lake := filepath.Join(dir, "lake")
	club, karateData := absolute(karate), []byte(read(t, karate))
	if err := os.MkdirAll(filepath.Join(lake, "year=2025"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.parquet", "year=2025/b.parquet"} {
		if err := os.WriteFile(filepath.Join(lake, name), karateData, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(lake, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	f := tests3.NewFake(t, "lake")
	for k, v := range f.Env() {
		t.Setenv(k, v)
	}
	f.Put("lake", "in/a.parquet", karateData)
	for _, args := range []string{
		"lake lake/out.parquet", "lake/ lake/a.parquet", "lake lake/year=2025/c.arrow", "link lake/c.arrows", "lake link/c.parquet",
		"D/lake lake/c.parquet", "lake D/lake/c.parquet", "lake/*.parquet lake/c.parquet", "D/lake/*.parquet lake/c.parquet",
		"lake/**/*.parquet lake/year=2025/c.parquet", "lake/year=2025/b.parquet lake lake/c.parquet", "lake ./lake/../lake/c.parquet",
		"s3://lake/in/ s3://lake/in/c.parquet", "s3://lake/in s3://lake/in/x/c.parquet", "s3://lake s3://lake/c.parquet", "s3://lake/in/*.parquet s3://lake/in/c.parquet",
		"K lake/c.parquet --edges lake;where=src=1", "K lake/c.parquet --vertices lake",
	} {
		_, errs := foray(t, 2, append([]string{"convert"}, strings.Fields(strings.NewReplacer("D/", dir+"/", "K", club).Replace(args))...)...)
		if !strings.Contains(errs, "which is read: reading that again would read the output too; write it elsewhere") {
			t.Errorf("%s: %s", args, errs)
		}
	}
	if n := len(f.Requests()); n != 0 {
		t.Errorf("the store was asked %d times", n)
	}
	names, err := filepath.Glob("lake/*")
	if err != nil || !slices.Equal(names, []string{"lake/a.parquet", "lake/year=2025"}) {
		t.Errorf("%q, %v", names, err)
	}
	// Outputs that aren't read again are allowed there.
	for _, args := range []string{
		"lake lake/g.foray", "lake lake/_out/../c.csv", "lake lake/.c.parquet", "lake lake2.parquet", "lake/*.parquet lake/year=2025/d.parquet",
		"lake/a.parquet lake/c.parquet", "s3://lake/in/ s3://lake/inner.parquet", "s3://lake/in/a.parquet s3://lake/in/b.parquet", "lake s3://lake/lake/x.parquet",
	} {
		if args == "lake lake/_out/../c.csv" {
			if err := os.Mkdir("lake/_out", 0o777); err != nil {
				t.Fatal(err)
			}
		}
		foray(t, 0, append([]string{"convert"}, strings.Fields(args)...)...)
	}
}
