// This file holds the tests of errors that have exit status 1: every message.

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		args string
		want string
	}{
		{"bfs D/no.parquet", "no.parquet: no such file or directory"},
		{"info D/no.el", "no.el: no such file or directory"},
		{"bench D/no.sg", "no.sg: no such file or directory"},
		{"convert D/no.csv D/x.parquet", "no.csv: no such file or directory"},
		{"bfs D/*.parquet", `*.parquet"`},
		{"bfs D/x**.parquet", `x**.parquet": ** stands for directories of any depth, and has to be a whole name, as in dir/**/*.parquet`},
		{"bfs D/**/*.parquet", `no file matches`},
		{"bfs D/[", `[": syntax error in pattern`},
		{"bfs D/", "no data: the directory has no files that end in .parquet"},
		{"bfs ../../testdata/README.md", `unknown format: neither Parquet nor Arrow IPC; it begins with "# Test d"; set --input-format to one of text, csv, tsv, jsonl, mtx, gr, metis, sg or wsg`},
		{"bfs K --source 99", "--source: vertex 99 is not in the graph; its ids are of type int64, from 1 to 34"},
		{"bfs K --source 1 --source x", `--source: "x" is no int64; ids of the graph are of type int64, from 1 to 34`},
		{"bfs K --target 0", "--target: vertex 0 is not in the graph; its ids are of type int64, from 1 to 34"},
		{"bfs K --order degree --source 35", "--source: vertex 35 is not in the graph; its ids are of type int64, from 1 to 34"},
		{"bfs T --ids string --source 3", "--source: vertex 3 is not in the graph; its ids are of type string, from 0 to 2"},
		{"bfs gen:star:4 --source 4", "vertex 4 is not in the graph; its ids are of type uint32, from 0 to 3"},
		{"bfs K --where src>5 --source 1", "--source: vertex 1 is not in the graph; its ids are of type int64, from 6 to 34; edges that --where leaves out bring no vertices, so it may be one of those"},
		{"bfs K --where src>5 --source x", "from 6 to 34\n"},
		{"bfs K --source 6 --target 1 --edges ../../testdata/karate.parquet;where=src>5 --where src>5", "--target: vertex 1 is not in the graph; its ids are of type int64, from 6 to 34; edges that --where"},
		{"bfs kron20", "kron20: no such file or directory; gen:kron20 is the graph of that name that is generated"},
		{"bench K path:5", "path:5: no such file or directory; gen:path:5 is the graph of that name that is generated"},
		{"bfs K --src follower", `column "follower": --src names it, but the columns are "src" (int64), "dst" (int64)`},
		{"bfs K --dst followee", `column "followee": --dst names it, but the columns are`},
		{"bfs K --src src --dst src", `column "src": it can't be both ends of an edge; --src and --dst have to differ; the columns are "src" (int64), "dst" (int64)`},
		{"bfs K --device cuda:99", `device "cuda:99": `},
		{"bfs gen:kron31", "not enough memory: building gen:kron31 takes "},
		{"bfs gen:kron14 --memory-limit 1MB", "more than the 1.00 MB; --memory-limit sets another limit"},
		{"bfs gen:kron14 --memory-limit 13MB --workers 2", "more than the 13.0 MB; --two-pass takes "},
		{"bfs K --device cuda:98", `device "cuda:98": `},
		{"bfs gen:kron14 --memory-limit 1MB --two-pass", "more than the 1.00 MB; --memory-limit sets another limit"},
		{"bfs K --memory-limit 1kB --workers 2", "takes 1.44 MB, more than the 1.00 kB; --memory-limit sets another limit"},
		{"bfs T --memory-limit 1kB", "not enough memory: "},
		{"bfs K -o D/no/x.csv", "make the directory "},
		{"bfs K --plot D/no/x.svg", "make the directory "},
		{"gen star:4 -o D/no/x.el", "make the directory "},
		{"gen star:4 -o D/no/x.parquet", "make the directory "},
		{"convert K D/x.sg", "out of range: id 34; the ids of a serialized graph are 0 to 33, each once; --vertex-numbers writes the graph's own numbers"},
		{"convert T D/x.wel", "t.el:1: want two ids and a weight"},
		{"bfs T --src a", `t.el:1: --src names column "a", but the columns are "`},
		{"convert T D/x.parquet --weights --weight w", `t.el:1: --weight names column "w", but`},
		{"convert T D/x.parquet --weights", "t.el:1: want two ids and a weight"},
		{"convert K D/x.parquet --weights", `no column is named "weight"; name it in --weight`},
		{"convert K D/x.parquet --weight w", `column "w": --weight names it, but`},
		{"bfs T K --ids string", "string"},
		{"bfs K --where weight=1", `column "weight": --where names it, but the columns are`},
		{"bfs K --where src='x'", `bad condition: --where: wrong type: column "src" (int64) =: 'x' is no number`},
		{"convert D/a.jsonl D/x.parquet", "no such file"},
	} {
		dir := t.TempDir()
		out, errs := foray(t, 1, arguments(t, c.args, dir)...)
		if out != "" || !strings.HasPrefix(errs, "foray: ") || strings.Count(errs, "\n") != 1 || strings.Contains(errs, "Options") {
			t.Errorf("foray %s:\n%s%s", c.args, out, errs)
		}
		contains(t, errs, c.want)
		empty(t, dir)
	}
}

// TestMemoryRemedies: what is said to help does.
func TestMemoryRemedies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.el")
	foray(t, 0, "gen", "kron14", "-o", path)
	for limit, want := range map[string]string{ // with two workers, whose scratch memory is the same everywhere
		"100kB": "(--memory-limit); even --two-pass with --order given takes ",
		"20MB":  "(--memory-limit); --two-pass takes ",
	} {
		_, errs := foray(t, 1, "bfs", path, "--memory-limit", limit, "--workers", "2")
		contains(t, errs, "not enough memory: ", "need", want)
	}
	foray(t, 0, "bfs", path, "--memory-limit", "24MB", "--two-pass")
	_, errs := foray(t, 1, "bfs", write(t, "a.el", "-1 2\n"), "--ids", "dense")
	contains(t, errs, "-1 is not a dense id", "leave out --ids dense")
}

// TestOtherFormat: a file that lacks the head of the format that a flag names is refused.
func TestOtherFormat(t *testing.T) {
	_, errs := foray(t, 3, "bfs", write(t, "t.el", "0 1\n"), "--input-format", "mtx")
	contains(t, errs, `t.el:1: want a banner %%MatrixMarket matrix coordinate FIELD SYMMETRY, found "0 1"`)
}

// TestErrorsInFiles has inputs that are no graphs.
func TestErrorsInFiles(t *testing.T) {
	for _, c := range []struct {
		status              int
		name, content, want string
	}{
		{1, "a.el", "", "a.el: empty input: it holds no edge; check what wrote it"},
		{1, "b.el", "# nothing\n", "b.el: empty input: it holds no edge; check what wrote it"},
		{3, "b.mtx", "", "b.mtx: truncated input: there is no banner %%MatrixMarket matrix coordinate FIELD SYMMETRY; check what wrote it"},
		{3, "b.mtx", "1 2\n", `b.mtx:1: want a banner %%MatrixMarket matrix coordinate FIELD SYMMETRY, found "1 2"`},
		{3, "b.gr", "c nothing\n", "b.gr: truncated input: there is no line p sp VERTICES ARCS; check what wrote it"},
		{3, "b.metis", "", "b.metis: truncated input: there is no line VERTICES EDGES; check what wrote it"},
		{3, "b.sg", "", "b.sg: truncated input: the file is empty; check what wrote it"},
		{3, "b.arrow", "", "b.arrow: unknown format: the file is empty; check what wrote it"},
		{3, "m.arrow", "\xff\x00\x01", "m.arrow: unknown format: neither Parquet nor Arrow IPC"},
		{3, "m.parquet", "PAR", "m.parquet: unknown format: neither Parquet nor Arrow IPC"},
		{3, "m.foray", "\x00\x01", "m.foray: unknown format: no prepared graph"},
		{1, "m.parquet", "\x1f\x8b\x08\x00", "m.parquet: unknown format: neither Parquet nor Arrow IPC"},
		{3, "b.graph.yml", "", "b.graph.yml: malformed information file"},
		{3, "b.jsonl", "{\"src\":1,\"dst\":null}\n", `b.jsonl:1: "dst", the edge's target, is null`},
		{1, "j.parquet", "{\"src\":1,\"dst\":2}\n", `j.parquet: unknown format: it begins with "{\"src\":1" like JSON; --input-format jsonl reads JSON lines, an object per edge`},
		{1, "b.txt", "{\"src\":1,\"dst\":2}\n", "b.txt:1: the line looks like JSON; --input-format jsonl reads it"},
		{1, "b.foo", "1 2\n", `b.foo: unknown format: neither Parquet nor Arrow IPC; it begins with "1 2\n"; set --input-format to one of text, csv, tsv, jsonl, mtx, gr, metis, sg or wsg`},
		{1, "h.csv", "vertex,depth,parent\n0,0,0\n", `h.csv:1: the names in the header don't tell which columns are source and target; name them in --src and --dst, or, if the line is an edge, set --header false; --skip-lines leaves out what stands before; the columns are "vertex", "depth", "parent"`},
		{1, "i.csv", "user,follows\nann,bob\n", `i.csv:1: the line looks like a header: "user,follows"; pass --header true if it is one, --header false if it is an edge`},
		{3, "c.el", "1 2\n3 4\n5 6 7 8\n", `c.el:3: found 4 columns, but the first edge has 2: "5 6 7 8"; --ragged ignores columns that aren't needed`},
		{3, "c.el", "1 2\n3\n", "c.el:2: want two ids, found"},
		{3, "d.el", "1 2\nx y\n", "d.el:2: want an integer id, found \"x\"; for other ids set --ids to string"},
		{1, "e.el", "1 99999999999999999999\n", "e.el:1: "},
		{3, "f.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n", "f.mtx"},
		{1, "g.el.gz", "1 2\n", "the name says gzip"},
		{3, "h.parquet", "", "the file is empty"},
		{3, "i.parquet", "PAR1PAR1", "i.parquet: "},
		{3, "j.arrow", "ARROW1\x00\x00\x00\x00", "j.arrow: "},
		{3, "k.sg", "xx", "k.sg: "},
	} {
		path := write(t, c.name, c.content)
		for _, args := range [][]string{{"bfs", path}, {"info", path}, {"bench", path}} {
			if args[0] == "info" && strings.Contains(c.want, "it holds no edge") {
				continue // which says that there are none
			}
			out, errs := foray(t, c.status, args...)
			if out != "" || !strings.HasPrefix(errs, "foray: ") || strings.Count(errs, "\n") != 1 {
				t.Errorf("foray %s:\n%s%s", args, out, errs)
			}
			contains(t, errs, c.want)
		}
	}
}

// TestDamagedFiles reads files of fuzzers: an error in one line, never a panic.
func TestDamagedFiles(t *testing.T) {
	data := os.Getenv("FORAY_DATA")
	if data == "" || data == "none" {
		testlong.Missing(t, "data", "needs test data: set FORAY_DATA to the folder with damaged files (CONTRIBUTING.md)")
	}
	for _, dir := range []string{"parquet", "parquet-fuzz", "ipc-file"} {
		files, err := filepath.Glob(filepath.Join(data, "bad", dir, "*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", dir, err)
		}
		for _, path := range files {
			var out, errs bytes.Buffer
			if status := run([]string{"info", path}, &out, &errs); status == 0 {
				continue // some can be read
			} else if status != exitError && status != exitData || out.Len() > 0 { // not supported, or damaged
				t.Errorf("%s: status %d\n%s", path, status, out.String())
			}
			if errs := errs.String(); !strings.HasPrefix(errs, "foray: ") || strings.Count(errs, "\n") != 1 || strings.Contains(errs, "goroutine") {
				t.Errorf("%s:\n%s", path, errs)
			}
		}
	}
}

func TestUnreadable(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("needs a user other than root, who may read every file")
	}
	path := write(t, "a.el", "1 2\n")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	_, errs := foray(t, 1, "bfs", path)
	contains(t, errs, "a.el: permission denied")
}

// TestOneLine: errors of several lines come out as one.
func TestOneLine(t *testing.T) {
	err := usagef("graph: a\n  b\r\nc: gen: d; set Options.SkipNulls to leave such edges out")
	if got, want := oneLine(err), "a;   b; c: d; --nulls skip leaves such edges out"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPlainMessages: errors of flags say what is wanted, and lead on to flags that help.
func TestPlainMessages(t *testing.T) {
	dir := t.TempDir()
	foray(t, 0, "convert", write(t, "a.csv", "src,dst\n1,2\n"), filepath.Join(dir, "a.parquet"))
	foray(t, 0, "convert", write(t, "b.csv", "src,dst,weight\n3,4,2\n"), filepath.Join(dir, "b.parquet"), "--weights")
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{2, `invalid argument "yes" for "--union-by-name" flag: want true or false`, []string{"info", dir, "--union-by-name=yes"}},
		{2, `there is no limit "foo"; limits are expansion, footer, metadata, objects, pipe, rate, vertices`, []string{"info", dir, "--limits", "foo=1"}},
		{2, `"footer" has no value; write footer=VALUE`, []string{"info", dir, "--limits", "footer"}},
		{2, "rate: want a whole number of bytes a second, 0 for any rate", []string{"info", dir, "--limits", "rate=x"}},
		{1, `the columns are "src" (int64), "dst" (int64); if other files have it, --union-by-name reads it as null in those that lack it`, []string{"sssp", dir}},
		{1, `if other files have it, --union-by-name reads it as null in those that lack it; did you mean "src"?`, []string{"info", dir, "--src", "scr", "--dst", "dst"}},
	} {
		_, errs := foray(t, c.status, c.args...)
		contains(t, errs, c.says)
	}
}
