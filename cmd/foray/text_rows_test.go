// This file tests what the commands make of rows of text: line breaks in quotes, empty cells, comments, files
// without rows, compressions, long ids; and that all commands write missing values in one form.

package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// TestOneForm: a result is written in one form, whichever command writes it.
func TestOneForm(t *testing.T) {
	testlong.Project(t)
	in := write(t, "w.csv", "src,dst,weight\n1,2,1\n3,4,2\n4,5,1\n")
	dir := t.TempDir()
	for _, do := range []string{"bfs --source 1", "bfs --source 1 --parents", "sssp --source 1", "sssp --source 1 --parents", "cc", "kcore", "lpa", "louvain", "leiden --levels", "mis", "color", "msf", "spanning", "bridges", "bridges --points", "ktruss", "kclique --k 3", "pagerank",
		"closeness", "closeness --samples 2", "bc", "triangles", "degree", "degree --weighted", "eigenvector", "hits", "katz"} {
		for _, format := range []string{"csv", "jsonl", "arrow"} {
			one, several := filepath.Join(dir, "one."+format), filepath.Join(dir, "several")
			words := strings.Fields(do)
			foray(t, 0, append([]string{words[0], in, "-o", one}, words[1:]...)...)
			foray(t, 0, "run", in, "--do", do, "-o", several, "--format", format)
			a, b := rowsOf(t, one), rowsOf(t, filepath.Join(several, words[0]+"."+format))
			if a != b {
				t.Errorf("%s, %s: alone\n%s\nby run\n%s", do, format, a, b)
			}
			if words[0] == "bfs" && format == "csv" && !strings.Contains(b, "\n3,-1") {
				t.Errorf("%s: %s", do, b)
			}
			if words[0] == "bfs" && format == "jsonl" && !strings.Contains(b, `"depth":null`) {
				t.Errorf("%s: %s", do, b)
			}
			if err := os.RemoveAll(several); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// rowsOf is what a table has, as text: of Arrow the columns with their types, then the rows.
func rowsOf(t *testing.T, path string) string {
	t.Helper()
	if filepath.Ext(path) != ".arrow" {
		return read(t, path)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b := &strings.Builder{}
	for _, f := range r.Schema().Fields() {
		fmt.Fprintln(b, f)
	}
	for i := range r.NumRecords() {
		rec, err := r.Record(i)
		if err == nil {
			err = array.RecordToJSON(rec, b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestDepthNullOfColumns: CSV has -1 for a missing depth of a search, and nothing for other missing values.
func TestDepthNullOfColumns(t *testing.T) {
	var out bytes.Buffer
	a := &app{stdout: &out, stderr: &out}
	g, err := a.load(t.Context(), []string{write(t, "a.csv", "1,2\n")}, quietInput(), quietInput().options())
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for want, columns := range map[string][]arrow.Column{
		"vertex,depth\n1,-1\n2,3\n": arrow.ResultColumns(depths{-1, 3}),
		"vertex,depth\n1,\n2,3\n":   {arrow.NewColumn("depth", []int32{-1, 3}, -1)},
	} {
		path := filepath.Join(t.TempDir(), "x.csv")
		err := arrow.Write(t.Context(), path, g.Graph, columns, arrow.WriteOptions{})
		if got := read(t, path); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}

func quietInput() *inputFlags {
	f := &inputFlags{}
	f.group()
	return f
}

func TestRowsOfText(t *testing.T) {
	for _, c := range []struct{ name, text, flags, want string }{
		{"q.csv", "src,dst,note\n1,2,\"first\n3,4,second\"\n5,6,ok\n", "", "4 vertices, 2 edges"},
		{"h.csv", "src,\"no\nte\",dst\n1,x,2\n", "", "2 vertices, 1 edge"},
		{"a.txt", "# x\n1\t2\n#\n2\t3\n", "", "0 self-loops, 0 repeated edges of 2 edges given, 2 comment lines\n"},
		{"a.csv", "src,dst\n#1,2\n2,3\n", "", "3 vertices, 2 edges, undirected, ids string"},
		{"a.csv", "src,dst\n#1,2\n2,3\n", "--comment #", "of 1 edge given, 1 comment line\n"},
		{"a.el", "#a b\nc d\n", "--comment none", "4 vertices, 2 edges, undirected, ids string"},
		{"a", "#a,b\nc,d\n", "--comment none --input-format csv", "4 vertices, 2 edges, undirected, ids string"},
		{"a", "#a,b\nc,d\n", "--input-format csv", "4 vertices, 2 edges, undirected, ids string"},
		{"a.csv", ";1,2\n2,3\n", "--comment ;", "1 comment line\n"},
		{"a.tsv", "a b\tc\nd\te f\n", "", "4 vertices, 2 edges"},
	} {
		out, _ := foray(t, 0, append([]string{"bfs", write(t, c.name, c.text)}, strings.Fields(c.flags)...)...)
		contains(t, out, c.want)
	}
	for _, c := range []struct {
		status                  int
		name, text, flags, want string
	}{
		{3, "t.tsv", "src\tdst\tw\n1\t\t5\n2\t\t6\n", "", `t.tsv:2: column 2 is empty: "1\t\t5"; an id that is empty stands in quotes; give --separator ' ' if runs of blanks separate the columns`},
		{3, "t.txt", "1 2\n3\t4\n", "", `t.txt:2: the line holds a tab, but the first one has none: "3\t4"; give --separator ' ' if runs of blanks and tabs separate the columns, or tab if a tab does`},
		{3, "a.csv", "src,dst\n1,2\n# x\n", "", `a.csv:3: want two ids, found "# x"; give --comment '#' if such lines are comments`},
		{1, "a.csv", "alpha,beta\n", "", `a.csv:1: the only line may be a header: "alpha,beta"; pass --header true if it is one, --header false if it is an edge`},
		{1, "a.csv", "alpha,beta,gamma\n1,2,3\n", "", `a.csv:1: the names in the header don't tell which columns are source and target`},
		{1, "a.csv.xz", "\xfd7zXZ\x00", "", "a.csv.xz: unknown compression: it is compressed by xz, which isn't read; unpack it, or compress it by gzip or zstd"},
		{1, "a.tsv.lz4", "", "", "by lz4"},
		{1, "a.el.zip", "PK", "", "by zip"},
		{1, "a.mtx.Z", "", "", "by compress"},
		{1, "a.csv", "PK\x03\x04 and more", "", "a.csv: unknown compression: it is compressed by zip"},
		{1, "a.csv.bz2", "src,dst\n", "", "a.csv.bz2: wrong format: the name says bzip2, but the content doesn't begin like it"},
	} {
		_, errs := foray(t, c.status, append([]string{"bfs", write(t, c.name, c.text)}, strings.Fields(c.flags)...)...)
		contains(t, errs, c.want)
	}
	for _, c := range []struct{ args, want string }{
		{"bfs K --comment #", "--comment is for text"},
		{"bfs K --comment ##", "want one character"},
		{"bfs K --comment 1", "want one character"},
	} {
		_, errs := foray(t, 2, strings.Fields(strings.ReplaceAll(c.args, "K", karate))...)
		contains(t, errs, c.want)
	}
	out, _ := foray(t, 0, "convert", write(t, "c.el", "# x\n1 2\n"), filepath.Join(t.TempDir(), "x.parquet"))
	contains(t, out, "x.parquet: 1 edge, ", ", 1 comment line left out, in ")
}

// TestFaultsText reads the texts that were read wrongly once.
func TestFaultsText(t *testing.T) {
	data := os.Getenv("FORAY_DATA")
	if data == "" || data == "none" {
		testlong.Missing(t, "data", "needs test data: set FORAY_DATA to the folder with faults (CONTRIBUTING.md)")
	}
	out, _ := foray(t, 0, "bfs", filepath.Join(data, "faults", "quoted-newline", "q3.csv"))
	contains(t, out, "4 vertices, 2 edges")
	_, errs := foray(t, exitData, "bfs", filepath.Join(data, "faults", "empty-cell", "t1.tsv"))
	contains(t, errs, "t1.tsv:2: column 2 is empty")
	dir := filepath.Join(t.TempDir(), "o")
	foray(t, 0, "run", filepath.Join(data, "faults", "run-bfs-csv-depth", "u.csv"), "--do", "bfs:1", "-o", dir, "--format", "csv")
	if got, want := read(t, filepath.Join(dir, "bfs.csv")), "vertex,depth\n1,0\n2,1\n3,-1\n4,-1\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWithoutRows: convert and info take an input without rows, and what searches refuses it.
func TestWithoutRows(t *testing.T) {
	testlong.Project(t)
	for name, content := range map[string]string{"a.csv": "src,dst\n", "b.csv": "", "c.el": "# x\n", "d.jsonl": "\n", "e.tsv": "src\tdst\n"} {
		in := write(t, name, content)
		files := []string{in}
		for _, ext := range []string{"parquet", "arrow", "arrows", "csv", "jsonl", "el", "tsv", "wel", "sg", "foray"} {
			path := filepath.Join(t.TempDir(), "x."+ext)
			out, _ := foray(t, 0, "convert", in, path)
			contains(t, out, ": 0 edges")
			if ext != "sg" {
				files = append(files, path)
			}
		}
		for _, path := range files {
			for _, flags := range []string{"", "--directed", "--two-pass", "--ids dense"} {
				if flags != "" && strings.HasSuffix(path, ".foray") {
					continue
				}
				out, _ := foray(t, 0, append([]string{"info", path}, strings.Fields(flags)...)...)
				contains(t, out, "vertices       0\n", "edges          0, ")
				_, errs := foray(t, 1, append([]string{"bfs", path}, strings.Fields(flags)...)...)
				if !strings.HasSuffix(path, ".foray") {
					contains(t, errs, "empty input")
				}
			}
		}
	}
}

// TestLongIDs: what is printed is cut, and files have all of an id.
func TestLongIDs(t *testing.T) {
	long := strings.Repeat("ä", 1<<15)
	in := write(t, "l.csv", "src,dst,weight\n"+long+",b,1\n"+long+",c,2\nb,c,1\n")
	result := filepath.Join(t.TempDir(), "r.csv")
	for _, args := range []string{"info", "bfs", "bfs --target b", "sssp", "cc", "kcore", "lpa", "louvain", "leiden", "mis", "color", "spanning", "bridges", "ktruss", "kclique", "degree", "eigenvector", "hits", "katz", "pagerank", "bc", "closeness", "triangles", "run --do bfs,cc", "bench --sources 1 --trials 1", "bench --algo sssp --sources 1 --trials 1"} {
		words := strings.Fields(args)
		out, errs := foray(t, 0, append([]string{words[0], in}, words[1:]...)...)
		if len(out)+len(errs) > 8000 {
			t.Errorf("%s prints %d bytes", args, len(out)+len(errs))
		}
	}
	out, _ := foray(t, 0, "bfs", in, "--source", long, "-o", result)
	contains(t, out, "ääääää...ääääää", "(65,536 bytes)")
	contains(t, read(t, result), "\n"+long+",0\n")
	for _, args := range [][]string{{"bfs", in, "--source", "q"}, {"bfs", in, "--source", long + "x"}, {"bfs", in, "--source", "b", "--target", long + "y"}} {
		if _, errs := foray(t, 1, args...); len(errs) > 3000 {
			t.Errorf("%d bytes of error: %.500s", len(errs), errs)
		}
	}
}

func TestSeedComments(t *testing.T) {
	table := write(t, "e.csv", "src,dst\n#1,2\n2,3\n")
	for _, c := range []struct{ name, text, flags, want, note string }{ // want are the sources
		{"s.csv", "id\n#1\n2\n", "", "#1 2", ""},
		{"s.csv", "id\n#1\n2\n", "--comment #", "2", "left out 1 comment line of "},
		{"s.txt", "#1\n2\n", "", "2", "left out 1 comment line of "},
		{"s.txt", "#1\n2\n", "--comment none", "#1 2", ""},
		{"s.txt", "\ufeff3\n2\n;x\n", "--comment ;", "3 2", "left out 1 comment line of "},
	} {
		args := append([]string{"bfs", table, "--sources-from", write(t, c.name, c.text), "-o", "-"}, strings.Fields(c.flags)...)
		if strings.Contains(c.flags, "#") { // which is for the edges too
			args[1] = write(t, "f.csv", "src,dst\n1,2\n2,3\n")
		}
		out, errs := foray(t, 0, args...)
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var sources []string
		for _, row := range rows[1:] {
			if len(sources) == 0 || sources[len(sources)-1] != row[0] {
				sources = append(sources, row[0])
			}
		}
		if strings.Join(sources, " ") != c.want {
			t.Errorf("%q %s: %q, want %q", c.text, c.flags, sources, c.want)
		}
		contains(t, errs, c.note)
	}
	line := strings.Repeat("x", maxSeedLine+1)
	_, errs := foray(t, 1, "bfs", table, "--sources-from", write(t, "s.txt", "2\n"+line+"\n"), "-o", "-")
	contains(t, errs, "s.txt:2: the line is longer than 1.05 MB; write an id a line")
	line = strings.Repeat("y", 100_000) // longer than a bufio.Scanner takes
	out, _ := foray(t, 0, "bfs", write(t, "g.csv", "src,dst\n"+line+",2\n3,4\n"), "--sources-from", write(t, "s.txt", line+"\r\n3"), "-o", "-")
	contains(t, out, line+",2,1\n", "3,4,1\n")
}
