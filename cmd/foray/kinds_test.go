package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

// TestUnionByName: with the flag, files of a directory may lack a column.
func TestUnionByName(t *testing.T) {
	number := func(name string) arrow.Field { return arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64} }
	a := table(t, "a.arrow", []arrow.Field{number("src"), number("dst"), number("weight")}, []string{"1", "2", "3"})
	b := table(t, "b.arrow", []arrow.Field{number("DST"), number("src")}, []string{"3", "2"})
	_, errs := foray(t, 1, "bfs", a, b, "--where", "weight > 0 or weight is null")
	contains(t, errs, b+`: column "weight": the file lacks it, and `+a+` has it; --union-by-name reads it as null in files that lack it`)
	out, _ := foray(t, 0, "bfs", a, b, "--where", "weight > 0 or weight is null", "--union-by-name", "-s", "1", "-o", "-")
	if want := "vertex,depth\n1,0\n2,1\n3,2\n"; out != want {
		t.Errorf("%s, want %s", out, want)
	}
	_, errs = foray(t, 3, "sssp", a, b, "--weight", "weight", "--union-by-name", "-s", "1")
	contains(t, errs, b+`: record batch 0, column "weight", row 0: null: an edge without weight; --nulls skip leaves such edges out`)
	_, errs = foray(t, 1, "bfs", a, "--src", "scr")
	contains(t, errs, `did you mean "src"?`)
	_, errs = foray(t, 1, "bfs", a, "--vertices", a, "--vertex-id", "scr")
	contains(t, errs, `--vertex-id names it, but the columns are`, `did you mean "src"?`)
	text := write(t, "x.csv", "Src,dst\n1,2\n")
	_, errs = foray(t, 1, "bfs", text, "--src", "srcs")
	contains(t, errs, `did you mean "Src"?`)
	foray(t, 0, "bfs", text, "--src", "src")
	_, errs = foray(t, 2, "bfs", text, "--union-by-name")
	contains(t, errs, "--union-by-name is for Parquet and Arrow files")
}

// TestKinds uses vertices of several kinds in all flags and outputs.
func TestKinds(t *testing.T) {
	number := func(name string) arrow.Field { return arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64} }
	text := func(name string) arrow.Field { return arrow.Field{Name: name, Type: arrow.BinaryTypes.String} }
	likes := table(t, "likes.arrow", []arrow.Field{number("user"), text("item")}, []string{"1", "1"}, []string{"2", "1"}, []string{"2", "a:b"})
	follows := table(t, "follows.arrow", []arrow.Field{number("who"), number("whom")}, []string{"2", "10"})
	people := table(t, "people.arrow", []arrow.Field{number("id"), text("name")}, []string{"1", "Ann"}, []string{"77", "Bob"})
	in := []string{likes, "--src", "user:u", "--dst", "item:i", "--edges", follows + ";src=who:u;dst=whom:u", "--vertices", people, "--vertex-id", "id:u"}
	with := func(command string, more ...string) []string {
		return append(append([]string{command}, in...), more...)
	}

	out, _ := foray(t, 0, with("bfs", "--properties", "name", "-s", "u:1", "--parents", "-o", "-", "--order", "given")...)
	if want := "vertex,kind,depth,parent,parent_kind,name\n1,i,1,1,u,\na:b,i,3,2,u,\n1,u,0,1,u,Ann\n2,u,2,1,i,\n10,u,3,2,u,\n77,u,-1,,,Bob\n"; out != want {
		t.Errorf("%s, want %s", out, want)
	}
	out, _ = foray(t, 0, with("bfs", "-s", "u:1", "-t", "i:a:b", "--paths", "-o", "-")...)
	if want := "target,target_kind,depth,path,path_kind\na:b,i,3,1;1;2;a:b,u;i;u;i\n"; out != want {
		t.Errorf("%s, want %s", out, want)
	}
	out, _ = foray(t, 0, with("info")...)
	contains(t, out, "columns        user to item, of kinds i (string), u (int64)\n", "kinds          i: 2 vertices, u: 4 vertices\n", "ids            of kinds i (string), u (int64), with a map\n")
	out, _ = foray(t, 0, with("cc", "-o", "-")...)
	contains(t, out, "vertex,kind,component,component_kind\n", "77,u,77,u\n")
	for id, want := range map[string]string{
		"1":   "--source: vertex 1 has no kind: write KIND:ID, such as i:1; kinds are i (string), u (int64), ids from i:1 to u:77",
		"x:1": "--source: vertex x:1 is of a kind that the graph doesn't have",
		"u:x": "--source: vertex u:x has an id that is not of its kind's type",
		"u:3": "--source: vertex u:3 is not in the graph",
	} {
		_, errs := foray(t, 1, with("bfs", "-s", id)...)
		contains(t, errs, want)
	}
	// Read again: prepared, its edges, and the parents of a result.
	dir := t.TempDir()
	prepared, edges, parents := filepath.Join(dir, "g.foray"), filepath.Join(dir, "edges.parquet"), filepath.Join(dir, "parents.arrow")
	foray(t, 0, with("convert", prepared)...)
	out, _ = foray(t, 0, "bfs", prepared, "-s", "u:1", "-o", "-", "--reached-only", "--vertices", people, "--vertex-id", "id:u", "--properties", "name")
	contains(t, out, "vertex,kind,depth,name\n", "1,u,0,Ann\n", "10,u,3,\n")
	out, _ = foray(t, 0, "info", prepared)
	contains(t, out, "kinds          i: 2 vertices, u: 4 vertices\n")
	_, errs := foray(t, 0, "convert", likes, edges, "--src", "user:u", "--dst", "item:i")
	contains(t, errs, "--src 'src:{src_kind}' --dst 'dst:{dst_kind}' reads it again as it was")
	_, errs = foray(t, 0, "bfs", edges, "-s", "1", "-o", "-")
	contains(t, errs, edges+": columns src_kind and dst_kind aren't used, so that vertices of different kinds with equal ids are one; --src 'src:{src_kind}' --dst 'dst:{dst_kind}' keeps them apart\n")
	if _, errs = foray(t, 0, "bfs", edges, "--src", "src:{src_kind}", "--dst", "dst:{dst_kind}", "-s", "u:1", "-o", "-"); strings.Contains(errs, "aren't used") {
		t.Error(errs)
	}
	out, _ = foray(t, 0, "bfs", edges, "--src", "src:{src_kind}", "--dst", "dst:{dst_kind}", "-s", "u:1", "-o", "-")
	contains(t, out, "a:b,i,3\n", "2,u,2\n")
	_, errs = foray(t, 0, "convert", edges, filepath.Join(dir, "edges.csv"), "--src", "src:{src_kind}", "--dst", "dst:{dst_kind}")
	contains(t, errs, "kinds are read again from .parquet and .arrow, not from text")
	foray(t, 0, with("bfs", "-s", "u:1", "--parents", "-o", parents)...)
	out, _ = foray(t, 0, "bfs", parents, "--src", "parent:{parent_kind}", "--dst", "vertex:{kind}", "--nulls", "skip", "-s", "u:1", "-o", "-")
	contains(t, out, "a:b,i,3\n", "10,u,3\n")
	foray(t, 0, with("bfs", "-s", "u:1", "-o", filepath.Join(dir, "by"), "--partition-by", "kind")...)
	read(t, filepath.Join(dir, "by", "kind=u", "part-0.parquet"))

	// A table of Delta Lake.
	out, _ = foray(t, 0, "info", deltaOfKarate(t), "--src", "src:a", "--dst", "dst:b")
	contains(t, out, "of kinds a, b (int64)\n", "version 2", "kinds          a: 26 vertices, b: 25 vertices\n")

	plain := write(t, "plain.csv", "user,item\n1,2\n")
	for _, c := range [][]string{
		{"--dst is \"i:item\", but kinds are written COLUMN:KIND: write item:i", "bfs", likes, "--src", "user:u", "--dst", "i:item"},
		{"bad option: --src has a kind, u, and --dst has none; write COLUMN:KIND in both, or in none", "bfs", likes, "--src", "user:u", "--dst", "item"},
		{"have kinds, and those of " + follows + " have none", "bfs", likes, "--src", "user:u", "--dst", "item:i", "--edges", follows + ";src=who;dst=whom"},
		{"--separate-ids with kinds", "bfs", likes, "--src", "user:u", "--dst", "item:i", "--separate-ids"},
		{"dense ids are integers", "bfs", likes, "--src", "user:u", "--dst", "item:i", "--ids", "dense"},
		{"names column \"user\" and a kind, but text has no kinds of vertices; convert it to Parquet first", "bfs", plain, "--src", "user:u", "--dst", "item:i"},
		{"kinds", "bfs", likes, plain, "--src", "user:u", "--dst", "item:i"},
	} {
		_, errs := foray(t, 1, c[1:]...)
		contains(t, errs, c[0])
	}
}
