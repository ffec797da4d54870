package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/apache/arrow/go/v15/arrow"
)

// TestSourcesFrom: a search from each id of a table or text is what searches one by one find.
func TestSourcesFrom(t *testing.T) {
	single := func(source string, more ...string) (rows []string) {
		args := append([]string{"bfs", karate, "-s", source, "-o", "-", "--reached-only", "--sort", "id"}, more...)
		out, _ := foray(t, 0, args...)
		for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
			rows = append(rows, source+","+line)
		}
		return rows
	}
	var want, all []string
	for v := range 34 {
		all = append(all, fmt.Sprint(v+1))
		want = append(want, single(all[v], "--depth-limit", "2")...)
	}
	seeds := write(t, "seeds.txt", "# members\n34\n\n"+strings.Join(all, "\n")+"\n1\n")
	out, _ := foray(t, 0, "bfs", karate, "--sources-from", seeds, "--hops", "2", "-o", "-", "--sort", "id", "--order", "degree")
	if got := strings.TrimSpace(out); got != "source,vertex,depth\n"+strings.Join(want, "\n") {
		t.Errorf("%s", got)
	}
	// Sources are in the order of the text, and parents are one level nearer.
	two := write(t, "two.csv", "name,Vertex\na,34\nb,5\n")
	out, errs := foray(t, 0, "bfs", karate, "--sources-from", two, "--parents", "-o", "-", "--vertex-column", "member")
	contains(t, out, "source,member,depth,parent\n34,34,0,34\n", "\n5,1,1,5\n")
	contains(t, errs, "sources    2 of "+two+"; a search from each reaches 34 vertices\n")
	depth := map[string]string{}
	lines := strings.Split(strings.TrimSpace(out), "\n")[1:]
	for _, l := range lines {
		f := strings.Split(l, ",")
		depth[f[0]+","+f[1]] = f[2]
	}
	for _, l := range lines {
		f := strings.Split(l, ",")
		if nearer := depth[f[0]+","+f[3]]; f[2] != "0" && f[2] <= nearer {
			t.Errorf("%s: the parent is at depth %s", l, nearer)
		}
	}
	// Targets alone, of a result, whose column of vertices has the ids.
	result := filepath.Join(t.TempDir(), "r.parquet")
	foray(t, 0, "bfs", karate, "-s", "17", "--depth-limit", "1", "--reached-only", "-o", result)
	out, _ = foray(t, 0, "bfs", karate, "--sources-from", two, "--targets-from", result, "-t", "34", "-o", "-", "--sort", "id")
	if want := "source,vertex,depth\n5,6,2\n5,7,1\n5,17,2\n5,34,3\n34,6,3\n34,7,3\n34,17,4\n34,34,0\n"; !strings.HasPrefix(out, "source") || strings.Count(out, "\n") != strings.Count(want, "\n") {
		t.Errorf("%s", out)
	}
	out, _ = foray(t, 0, "bfs", karate, "-s", "34", "--targets-from", result, "--paths", "-o", "-")
	contains(t, out, "target,depth,path\n", "17,4,34;")

	// Shortest paths.
	weighted := write(t, "w.csv", "src,dst,weight\n1,2,2\n2,3,0.5\n1,3,9\n")
	ends := write(t, "ends.tsv", "1\n3\n")
	out, _ = foray(t, 0, "sssp", weighted, "--sources-from", ends, "--parents", "-o", "-", "--sort", "id")
	if want := "source,vertex,distance,parent\n1,1,0,1\n1,2,2,1\n1,3,2.5,2\n3,1,2.5,2\n3,2,0.5,3\n3,3,0,3\n"; out != want {
		t.Errorf("%s, want %s", out, want)
	}
	out, _ = foray(t, 0, "sssp", weighted, "--sources-from", ends, "--limit", "1", "-t", "2", "-o", "-")
	if want := "source,vertex,distance\n3,2,0.5\n"; out != want {
		t.Errorf("%s, want %s", out, want)
	}

	// By its address, and lines without an end.
	out, _ = foray(t, 0, "sssp", weighted, "--sources-from", "file://"+ends, "--targets-from", "file://"+ends, "-o", "-")
	if want := "source,vertex,distance\n1,1,0\n1,3,2.5\n3,1,2.5\n3,3,0\n"; out != want {
		t.Errorf("%s, want %s", out, want)
	}
	_, errs = foray(t, 2, "sssp", weighted, "--sources-from", "https://x.org/a.csv", "-o", "-")
	contains(t, errs, "--sources-from: https://x.org/a.csv: addresses of https:// aren't read")
	_, errs = foray(t, 1, "sssp", weighted, "--sources-from", write(t, "open.csv", "id\n\"1\n"+strings.Repeat("2\n", 1<<20)), "-o", "-")
	contains(t, errs, "a line of more than 1.05 MB; is a quote left open?")

	// Ids that the graph lacks.
	odd := write(t, "odd.csv", "vertex\n1\n77\nx\n")
	_, errs = foray(t, 1, "bfs", karate, "--sources-from", odd, "-o", "-")
	contains(t, errs, "--sources-from "+odd+": the graph lacks 2 of 3 ids: 77, x; ids of the graph are of type int64, from 1 to 34; --unknown-vertices skip leaves them out")
	out, errs = foray(t, 0, "bfs", karate, "--sources-from", odd, "--unknown-vertices", "skip", "--hops", "1", "-t", "2", "-o", "-")
	contains(t, errs, "foray: left out 2 of 3 ids in "+odd+", which the graph lacks\n")
	if out != "source,vertex,depth\n1,2,1\n" {
		t.Errorf("%s", out)
	}
	_, errs = foray(t, 1, "bfs", karate, "--sources-from", write(t, "none.txt", "9999\n"), "--unknown-vertices", "skip", "-o", "-")
	contains(t, errs, "the graph lacks 1 of 1 id: 9999")
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{1, "has no id", []string{"--sources-from", write(t, "empty.txt", "#\n"), "-o", "-"}},
		{1, `the header has no column "nam"; the columns are "`, []string{"--sources-from", two + ";column=nam", "-o", "-"}},
		{2, "column=name is for tables with names", []string{"--sources-from", seeds + ";column=name", "-o", "-"}},
		{2, `"colum=a" isn't column=NAME`, []string{"--sources-from", seeds + ";colum=a", "-o", "-"}},
		{1, "no such file", []string{"--sources-from", "nope.txt", "-o", "-"}},
		{2, "--sources-from: gs://b/ids.txt: addresses of gs:// aren't read", []string{"--sources-from", "gs://b/ids.txt", "-o", "-"}},
		{2, "ids can't be read from compressed text", []string{"--sources-from", write(t, "x.csv.gz", "1"), "-o", "-"}},
		{2, "--sources-from needs -o", []string{"--sources-from", seeds}},
		{2, "--depth-limit and --hops are the same", []string{"--hops", "1", "--depth-limit", "2"}},
		{2, "--sort and --vertex-column need -o", []string{"--sort", "id"}},
		{2, "not for --paths", []string{"--vertex-column", "a", "-o", "-", "--paths", "-t", "1"}},
	} {
		_, errs := foray(t, c.status, append([]string{"bfs", karate}, c.args...)...)
		contains(t, errs, c.says)
	}
	for _, flag := range []string{"--source 1", "--paths", "--algo bfs", "--strategy queue", "--alpha 2", "--beta 2", "--validate", "--plot x.svg", "--all-levels", "--partition-by depth", "--properties a", "--reached-only"} {
		args := append([]string{"bfs", karate, "--sources-from", seeds, "-t", "1", "-o", "x.csv"}, strings.Fields(flag)...)
		_, errs := foray(t, 2, args...)
		contains(t, errs, strings.Fields(flag)[0]+" doesn't go with --sources-from")
	}
	out, _ = foray(t, 0, "sssp", weighted, "-s", "1", "--targets-from", ends, "--paths", "-o", "-")
	if want := "target,depth,distance,path\n1,0,0,1\n3,2,2.5,1;2;3\n"; out != want {
		t.Errorf("%s, want %s", out, want)
	}
}

// TestSourcesFromKinds: seeds of several kinds, in all ways that they are written.
func TestSourcesFromKinds(t *testing.T) {
	number := func(name string) arrow.Field { return arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64} }
	text := func(name string) arrow.Field { return arrow.Field{Name: name, Type: arrow.BinaryTypes.String} }
	likes := table(t, "likes.arrow", []arrow.Field{number("user"), number("item")}, []string{"1", "1"}, []string{"2", "1"})
	users := table(t, "users.arrow", []arrow.Field{text("name"), number("user")}, []string{"x", "2"})
	both := table(t, "both.arrow", []arrow.Field{number("vertex"), text("kind")}, []string{"2", "u"}, []string{"1", "i"})
	named := table(t, "named.arrow", []arrow.Field{text("seed")}, []string{"u:2"})
	const of2 = "source,source_kind,vertex,kind,depth\n2,u,2,u,0\n2,u,1,i,1\n"
	for spec, want := range map[string]string{
		users + ";column=user:u":                of2,
		both:                                    of2 + "1,i,1,i,0\n1,i,1,u,1\n1,i,2,u,1\n",
		both + ";column=vertex:{kind}":          of2 + "1,i,1,i,0\n1,i,1,u,1\n1,i,2,u,1\n",
		named:                                   of2,
		write(t, "a.txt", "u:2\n"):              of2,
		write(t, "b.txt", "2\n") + ";column=:u": of2,
		write(t, "c.csv", "kind,vertex\nu,2\n"): of2,
		write(t, "d.csv", "who,k\n2,u\n") + ";column=who:u": of2,
	} {
		out, _ := foray(t, 0, "bfs", likes, "--src", "user:u", "--dst", "item:i", "--sources-from", spec, "--hops", "1", "-o", "-", "--order", "given")
		if out != want {
			t.Errorf("%s: %s, want %s", spec, out, want)
		}
	}
}

// TestSortByID: rows come by id, whatever the order of the vertices inside is.
func TestSortByID(t *testing.T) {
	for _, command := range []string{"bfs", "cc"} {
		sorted, _ := foray(t, 0, command, karate, "-o", "-", "--sort", "id", "--order", "degree", "--vertex-column", "src")
		given, _ := foray(t, 0, command, karate, "-o", "-", "--order", "given")
		if first, _, _ := strings.Cut(sorted, ","); first != "src" {
			t.Errorf("%s: %s", command, sorted)
		}
		for i, want := range strings.Split(strings.TrimSpace(given), "\n")[1:] {
			if got := strings.Split(sorted, "\n")[i+1]; strings.Split(got, ",")[0] != strings.Split(want, ",")[0] || command == "cc" && got != want {
				t.Errorf("%s: row %d: %s, want %s", command, i, got, want)
			}
		}
	}
	dir := t.TempDir()
	foray(t, 0, "bfs", karate, "-o", filepath.Join(dir, "by"), "--partition-by", "depth", "--format", "csv", "--sort", "id", "--order", "degree", "-s", "34")
	if got := read(t, filepath.Join(dir, "by", "depth=1", "part-0.csv")); !strings.HasPrefix(got, "vertex\n9\n10\n14\n15\n") {
		t.Errorf("%s", got)
	}
	foray(t, 0, "run", karate, "--do", "cc", "--do", "sssp --source 1 --target 3 --paths", "--weight", "src", "-o", dir, "--format", "csv", "--sort", "id", "--vertex-column", "v", "--order", "degree")
	contains(t, read(t, filepath.Join(dir, "cc.csv")), "v,component\n1,1\n2,1\n")
	_, errs := foray(t, 1, "bfs", karate, "-o", "-", "--vertex-column", "depth")
	contains(t, errs, `two columns are named "depth", one of them that of the vertices' ids; give --vertex-column another name`)
}

// TestSeedsHeader: a first line that can't be an id is a header, whatever its name. If it could be
// an id, the error names a remedy. file:// addresses are paths here too.
func TestSeedsHeader(t *testing.T) {
	members := write(t, "members.csv", "member,name\n17,a\n34,b\n")
	out, errs := foray(t, 0, "bfs", karate, "--source", "1", "--targets-from", "file://"+filepath.ToSlash(members), "--paths", "-o", "-")
	if want := "target,depth,path\n17,2,1;6;17\n34,2,1;9;34\n"; out != want || strings.Contains(errs, "left out") {
		t.Errorf("%s, want %s; %s", out, want, errs)
	}
	named := write(t, "named.csv", "src,dst\na,b\nb,c\n")
	_, errs = foray(t, 1, "bfs", named, "--sources-from", write(t, "people.csv", "person\na\n"), "-o", "-")
	contains(t, errs, "the graph lacks 1 of 2 ids: person;", "if the first line is a header, name the column: ;column=person")

	likes := write(t, "likes.csv", "src,dst\n1,2\n")
	table := filepath.Join(t.TempDir(), "likes.parquet")
	foray(t, 0, "convert", likes, table)
	_, errs = foray(t, 1, "bfs", table, "--src", "src:u", "--dst", "dst:i", "--sources-from", write(t, "plain.txt", "1\n"), "-o", "-")
	contains(t, errs, "ids of the graph are of kinds i, u (int64), from i:2 to u:1; write ids as KIND:ID, or say which kind a table's column has: ;column=COLUMN:KIND")
}

// TestQuotedBreaks: rows are read as they were written, whatever line ends and quotes they have.
func TestQuotedBreaks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	parts := []string{"\r", "\n", "\r\n", `"`, "#", "a", ",", " "}
	for range 2000 {
		var b bytes.Buffer
		var want [][]string
		w := csv.NewWriter(&b)
		for range 1 + r.IntN(4) {
			row := []string{"x"}
			for range r.IntN(6) {
				row[0] += parts[r.IntN(len(parts))]
			}
			row = append(row, "y")
			if r.IntN(3) == 0 {
				w.Flush()
				b.WriteString("# a comment with a \" quote\r\n")
			}
			want = append(want, row)
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		in := csv.NewReader(&quotedBreaks{commentByte: '#', in: iotest.HalfReader(iotest.DataErrReader(bytes.NewReader(b.Bytes())))})
		in.Comment = '#'
		got, err := in.ReadAll()
		if err != nil || !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Fatalf("%q: %q, %v; want %q", b.Bytes(), got, err, want)
		}
	}
}

func TestSeedsWithLineBreaks(t *testing.T) {
	table := write(t, "e.jsonl", `{"src":"a\r\nb","dst":"c"}`+"\n"+`{"src":"a\nb","dst":"d"}`+"\n")
	seeds := write(t, "s.csv", "id\r\n\"a\r\nb\"\r\n")
	got, _ := foray(t, 0, "bfs", table, "--sources-from", seeds, "-o", "-", "--directed", "--sort", "id")
	if want := "source,vertex,depth\n\"a\r\nb\",\"a\r\nb\",0\n\"a\r\nb\",c,1\n"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
