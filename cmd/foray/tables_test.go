package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	mem "github.com/apache/arrow/go/v15/arrow/memory"
)

// table writes an Arrow file of columns; a value is what the column's builder
// reads as text.
func table(t *testing.T, name string, columns []arrow.Field, rows ...[]string) string {
	t.Helper()
	schema := arrow.NewSchema(columns, nil)
	b := array.NewRecordBuilder(mem.DefaultAllocator, schema)
	for _, row := range rows {
		for i, x := range row {
			if err := b.Field(i).AppendValueFromString(x); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(b.NewRecord()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTableFlags has ids of several columns, separate sides, several tables, and
// vertices with properties.
func TestTableFlags(t *testing.T) {
	text := func(name string) arrow.Field {
		return arrow.Field{Name: name, Type: arrow.BinaryTypes.String, Nullable: true}
	}
	number := func(name string) arrow.Field {
		return arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64, Nullable: true}
	}
	tenants := table(t, "tenants.arrow", []arrow.Field{text("tenant"), number("user"), number("friend")},
		[]string{"acme", "1", "2"}, []string{"acme", "2", "3"}, []string{"b,c", "1", "2"})
	out, _ := foray(t, 0, "bfs", tenants, "--src", "tenant,user", "--dst", "tenant,friend", "--source", "acme,1", "-o", "-", "--format", "csv", "--order", "given")
	if want := "vertex_1,vertex_2,depth\nacme,1,0\nacme,2,1\nacme,3,2\n\"b,c\",1,-1\n\"b,c\",2,-1\n"; out != want {
		t.Errorf("%s, want %s", out, want)
	}
	out, _ = foray(t, 0, "info", tenants, "--src", "tenant,user", "--dst", "tenant,friend")
	contains(t, out, "tenant,user to tenant,friend, of type tuple(string,int64)", "ids            tuple(string,int64), with a map")
	out, _ = foray(t, 0, "bfs", tenants, "--src", "tenant,user", "--dst", "tenant,friend")
	contains(t, out, "directed, ids tenant, user (string, int64), order")
	whole := filepath.Join(t.TempDir(), "g.foray")
	foray(t, 0, "convert", tenants, whole, "--src", "tenant,user", "--dst", "tenant,friend")
	out, _ = foray(t, 0, "bfs", whole)
	contains(t, out, "directed, ids of 2 columns (string, int64), order")
	_, errs := foray(t, 1, "bfs", tenants, "--src", "tenant,user", "--dst", "tenant,friend", "--source", "acme,9")
	contains(t, errs, "--source: vertex acme,9 is not in the graph", "tuple(string,int64), from acme,1 to \"b,c\",2")

	likes := table(t, "likes.arrow", []arrow.Field{number("user"), number("item")}, []string{"1", "1"}, []string{"2", "1"})
	out, _ = foray(t, 0, "bfs", likes, "--src", "user", "--dst", "item", "--separate-ids", "-s", "source:1", "-o", "-", "--order", "given")
	if want := "vertex_side,vertex,depth\nsource,1,0\nsource,2,2\ntarget,1,1\n"; out != want {
		t.Errorf("%s, want %s", out, want)
	}
	_, errs = foray(t, 1, "bfs", likes, "--src", "user", "--dst", "item", "--separate-ids", "-s", "1")
	contains(t, errs, "--source: 1 is a source and a target", "source:1 or target:1")

	follows := table(t, "follows.arrow", []arrow.Field{number("who"), number("whom"), text("kind")},
		[]string{"2", "7", "real;ly"}, []string{"2", "8", "no"})
	people := table(t, "people.arrow", []arrow.Field{number("key"), text("name"), number("age")},
		[]string{"1", "Ann", "30"}, []string{"9", "Bob", "31"}, []string{"7", "(null)", "32"})
	out, _ = foray(t, 0, "bfs", likes, "--src", "user", "--dst", "item", "--edges", follows+";src=who;dst=whom;where=kind = 'real;ly'",
		"--vertices", people, "--vertex-id", "key", "--properties", "name,age", "-s", "1", "-o", "-", "--order", "given")
	if want := "vertex,depth,name,age\n1,0,Ann,30\n2,1,,\n7,2,,32\n9,-1,Bob,31\n"; out != want {
		t.Errorf("%s, want %s", out, want)
	}
	prepared := filepath.Join(t.TempDir(), "g.foray")
	foray(t, 0, "convert", likes, prepared, "--src", "user", "--dst", "item", "--separate-ids", "--vertices", people, "--vertex-id", "key", "--vertex-side", "target")
	out, _ = foray(t, 0, "bfs", prepared, "-s", "target:9", "-o", "-", "--reached-only")
	if want := "vertex_side,vertex,depth\ntarget,9,0\n"; out != want {
		t.Errorf("%s, want %s", out, want)
	}

	// A prepared graph's vertices have properties too.
	foray(t, 0, "convert", likes, prepared, "--src", "user", "--dst", "item", "--edges", follows+";src=who;dst=whom", "--vertices", people, "--vertex-id", "key")
	out, _ = foray(t, 0, "bfs", prepared, "--vertices", people, "--vertex-id", "key", "--properties", "age,name", "-s", "1", "-o", "-", "--order", "given")
	if want := "vertex,depth,age,name\n1,0,30,Ann\n2,1,,\n7,2,32,\n8,2,,\n9,-1,31,Bob\n"; out != want {
		t.Errorf("%s, want %s", out, want)
	}
	foray(t, 0, "convert", likes, prepared, "--src", "user", "--dst", "item")
	_, errs = foray(t, 1, "bfs", prepared, "--vertices", people, "--vertex-id", "key", "--properties", "age", "-o", "-")
	contains(t, errs, "is in the table; --unknown-vertices skip leaves such rows out; or convert its edges with --vertices, which adds all of the table, to prepare another graph")
	out, errs = foray(t, 0, "bfs", prepared, "--vertices", people, "--vertex-id", "key", "--properties", "age,name", "--unknown-vertices", "skip", "-s", "1", "-o", "-", "--order", "given")
	if want := "vertex,depth,age,name\n1,0,30,Ann\n2,1,,\n"; out != want {
		t.Errorf("%s, want %s", out, want)
	}
	contains(t, errs, "foray: 2 of 3 rows of "+people+" are left out, whose vertices the graph lacks\n")
	_, errs = foray(t, 0, "bfs", prepared, "--vertices", people, "--vertex-id", "age", "--properties", "name", "--unknown-vertices", "skip", "-o", "-")
	contains(t, errs, "foray: 3 of 3 rows of "+people+" are left out, whose vertices the graph lacks; is --vertex-id right?\n")

	plain := write(t, "plain.csv", "1,2\n")
	for _, c := range [][]string{
		{"which has the vertices that it has, so that --vertices is for --properties here", "bfs", prepared, "--vertices", people, "--vertex-id", "key"},
		{"to which nothing is added; convert its edges with --edges", "bfs", prepared, "--edges", follows},
		{"--properties needs --vertices", "bfs", likes, "--properties", "a", "-o", "-"},
		{"--unknown-vertices skip is for --vertices of a prepared graph", "bfs", likes, "--vertices", people, "--vertex-id", "key", "--src", "user", "--dst", "item", "--unknown-vertices", "skip"},
		{"--unknown-vertices skip is for --vertices of a prepared graph", "bfs", prepared, "--unknown-vertices", "skip"},
		{"--unknown-vertices skip is for --vertices of a prepared graph", "bfs", karateGraphAr, "--properties", "name", "-o", "-", "--unknown-vertices", "skip"},
		{"--properties needs -o", "bfs", likes, "--properties", "a"},
		{"--vertex-id needs --vertices", "bfs", likes, "--vertex-id", "a"},
		{"--vertex-side is for --vertices with --separate-ids", "bfs", likes, "--vertices", people, "--vertex-side", "target"},
		{"it begins with a PATH", "bfs", likes, "--src", "user", "--dst", "item", "--edges", ";src=a"},
		{`"a" isn't src=, dst=, weight=, edge-id=, snapshot=, as-of= or where=`, "bfs", likes, "--src", "user", "--dst", "item", "--edges", follows + ";a"},
		{"but not to", "bfs", likes, "--src", "user", "--dst", "item", "--edges", follows + ";to=a"},
		{"weights are not used here", "bfs", likes, "--src", "user", "--dst", "item", "--edges", follows + ";weight=a"},
		{"--vertices adds to a PATH that is Parquet, Arrow or text, but gen:path:5 is a generated graph: convert that first, foray convert gen:path:5 edges.parquet", "bfs", "gen:path:5", "--vertices", people},
		{"--edges adds to a PATH that is Parquet or Arrow, but " + plain + " is text: pass the other table as a PATH, with --src and --dst", "bfs", plain, "--edges", follows},
		{"--edges: " + plain + " is text, and further tables are Parquet or Arrow: name it as a PATH itself, or convert it first, foray convert " + plain, "bfs", likes, "--src", "user", "--dst", "item", "--edges", plain + ";src=a"},
		{"--vertices: " + plain + " is text, of which results have the ids alone", "bfs", likes, "--src", "user", "--dst", "item", "--vertices", plain, "--properties", "a", "-o", "-"},
		{"--vertices: " + plain + " is text, and further tables are Parquet or Arrow: convert it first", "bfs", prepared, "--vertices", plain, "--properties", "a", "-o", "-"},
		{"--vertices: a.mtx is a graph (mtx), and vertices are listed by Parquet, Arrow, text and JSON lines", "bfs", likes, "--src", "user", "--dst", "item", "--vertices", "a.mtx"},
		{"--separate-ids is for edges", "bfs", prepared, "--separate-ids"},
		{"a table of edges can't store that", "convert", likes, "--separate-ids", filepath.Join(t.TempDir(), "x.parquet")},
	} {
		_, errs := foray(t, 2, c[1:]...)
		contains(t, errs, c[0])
	}
}

// TestPatternPartitions: the directories that a pattern matches are columns,
// whatever stands between them and the files.
func TestPatternPartitions(t *testing.T) {
	dir := t.TempDir()
	data := read(t, karate)
	for _, year := range []string{"year=1977", "year=1978"} {
		if err := os.MkdirAll(filepath.Join(dir, year, "in"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, year, "in", "k.parquet"), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, _ := foray(t, 0, "info", filepath.Join(dir, "year=*", "in", "*.parquet"), "--where", "year = 1977")
	contains(t, out, "leaves out 1 file unopened", "78, undirected")
	_, errs := foray(t, 1, "info", filepath.Join(dir, "year=1977", "in"), "--where", "year = 1977")
	contains(t, errs, `column "year"`, "--where names it")
}
