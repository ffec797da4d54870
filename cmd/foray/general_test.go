// This file tests the flags of all commands: --quiet, --verbose, and what commands say about defaults and at their end.

package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/text"
)

// spoken runs a command line and returns its output.
func spoken(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if status := run(args, &out, &errs); status != 0 {
		t.Fatalf("foray %v: status %d\n%s", args, status, errs.String())
	}
	return out.String(), errs.String()
}

// TestSaysDefaults: each default that a command chose is a line, and so is its end.
func TestSaysDefaults(t *testing.T) {
	out, errs := spoken(t, "bfs", karate)
	contains(t, out, "source     34 (the largest degree, 17; --source takes another)")
	contains(t, errs, "foray: default: edges from column src to dst, by their names; --src and --dst take others\n",
		"foray: default: edges are undirected; --directed keeps their direction\n", "foray: default: device ", "; --device takes another\n",
		"foray: done: no file was written; next: -o FILE writes the depths of all vertices\n")
	if strings.Count(errs, "\n") != 4 {
		t.Errorf("bfs says %s", errs)
	}
	_, errs = spoken(t, "cc", karate, "--src", "src", "--dst", "dst", "--directed=false", "--device", "host")
	if strings.Contains(errs, "default: ") {
		t.Errorf("nothing was chosen, and cc says %s", errs)
	}
}

// TestSaysEnd: every command says at its end where results are, in one line.
func TestSaysEnd(t *testing.T) {
	dir := t.TempDir()
	for line, want := range map[string]string{
		"bfs K -o D/a.csv": "the result is in D/a.csv; next: ", "bfs K -o -": "the result is on standard output; next: ",
		"bfs K --sources-from LIST -o D/e.csv": "the result is in D/e.csv; next: ", "pagerank K": "no file was written; next: -o FILE",
		"run K --do cc -o D/r": "results are in D/r; next: ", "info K": "nothing was written; next: foray bfs ", "info K --column src": "a column was described; next: ",
		"convert K D/k.el": "edges are in D/k.el; next: foray bfs D/k.el", "gen star:5 -o D/s.foray": "edges are in D/s.foray; next: ",
		"append D/s.foray --vertices LIST -o D/t.foray": "the graph is in D/t.foray; next: ", "devices": "these are all devices; next: --device NAME",
		"report K -o D/r.html --sources 1 --trials 1": "the report is in D/r.html; next: ", "bench K --sources 1 --trials 1": "nothing was written; next: --json",
	} {
		if strings.HasPrefix(line, "append") {
			spoken(t, "gen", "star:5", "-o", filepath.Join(dir, "s.foray"))
		}
		args := replaced(line, map[string]string{"K": karate, "LIST": write(t, "v.txt", "1\n")}, dir)
		_, errs := spoken(t, args...)
		want = "foray: done: " + strings.ReplaceAll(want, "D/", dir+"/")
		if last := errs[strings.LastIndex(strings.TrimSuffix(errs, "\n"), "\n")+1:]; !strings.HasPrefix(last, want) {
			t.Errorf("foray %s ends with %q, want %q", line, last, want)
		}
		for _, flag := range []string{"-q", "--quiet"} {
			if _, errs := spoken(t, append(args, flag)...); errs != "" {
				t.Errorf("foray %s %s says %s", line, flag, errs)
			}
		}
	}
}

// TestQuiet: summaries are left out, results aren't.
func TestQuiet(t *testing.T) {
	if out, _ := spoken(t, "bfs", karate, "-q"); out != "" {
		t.Errorf("bfs -q prints %s", out)
	}
	for _, args := range [][]string{{"bfs", karate, "-o", "-"}, {"info", karate}, {"devices"}, {"version"}} {
		if out, _ := spoken(t, append(args, "-q")...); out == "" {
			t.Errorf("%v -q prints nothing", args)
		}
	}
	_, errs := foray(t, 1, "bfs", "/no/such.parquet", "-q")
	contains(t, errs, "foray: /no/such.parquet: no such file")
	_, errs = foray(t, 2, "bfs", karate, "-q", "-v")
	contains(t, errs, "--quiet and --verbose don't go together")
}

// TestVerbose: steps are logged to standard error.
func TestVerbose(t *testing.T) {
	out, errs := spoken(t, "bfs", karate, "-o", "-", "-v")
	contains(t, errs, "level=DEBUG msg=command", "msg=loaded", "vertices=34", "msg=prepared device=host", "level=INFO msg=search")
	if n := strings.Count(errs, "reached=34"); n != 1 {
		t.Errorf("the search is logged %d times:\n%s", n, errs)
	}
	if strings.Contains(out, "level=") {
		t.Errorf("the log is on standard output:\n%s", out)
	}
	for _, command := range []string{"bc", "bridges", "cc", "closeness", "color", "degree", "eigenvector", "hits", "katz", "kclique", "kcore", "ktruss", "leiden", "louvain", "lpa", "mis", "pagerank", "spanning", "triangles"} {
		_, errs := spoken(t, command, karate, "--verbose")
		contains(t, errs, "msg=command", "msg=loaded", "msg=prepared device=host", "level=INFO msg=traversal")
	}
}

// TestColors: headings are bold on terminals that have colors, unless NO_COLOR has a value.
func TestColors(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	if colored(false) || !colored(true) {
		t.Error("only terminals have colors")
	}
	t.Setenv("NO_COLOR", "0")
	if colored(true) {
		t.Error("NO_COLOR has a value")
	}
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	if colored(true) {
		t.Error("TERM=dumb has no colors")
	}
	table := text.Table{Align: "lr"}
	table.Row("name", "size")
	table.Row("a\x1b", "7")
	for bold, want := range map[bool]string{false: "name  size\n", true: "\x1b[1mname  size\x1b[0m\n"} {
		var b bytes.Buffer
		w := text.NewEscaper(&b)
		w.Bold = bold
		if err := table.Write(w, ""); err != nil {
			t.Fatal(err)
		}
		if rest, ok := strings.CutPrefix(b.String(), want); !ok || rest != "a\\x1b       7\n" {
			t.Errorf("bold %v: %q", bold, b.String())
		}
	}
}

// TestExitCodes: the table in help, in docs/json.md and what happens are the same.
func TestExitCodes(t *testing.T) {
	for code, args := range [][]string{
		exitError: {"bfs", "/no/such.parquet"}, exitUsage: {"bfs"}, exitData: {"bfs", write(t, "a.parquet", "PAR1PAR1")}, 0: {"version"},
	} {
		foray(t, code, args...)
	}
	for _, c := range []struct{ name, content, flags string }{
		{"null.jsonl", "{\"src\":1,\"dst\":null}\n", ""}, {"cut.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n", ""}, {"line.el", "1 2\n3\n", ""},
	} {
		foray(t, exitData, "bfs", write(t, c.name, c.content))
	}
	doc := read(t, filepath.Join("..", "..", "docs", "json.md"))
	for _, code := range []string{"0", "1", "2", "3", "130"} {
		_, row, ok := strings.Cut(doc, "\n| "+code+" | ")
		row, _, _ = strings.Cut(row, " |\n")
		help := strings.Join(strings.Fields(exitHelp), " ")
		if want := strings.ReplaceAll(row, "`", ""); code != "130" && (!ok || !strings.Contains(help, code+" "+want)) || !strings.Contains(help, code+" ") {
			t.Errorf("docs/json.md has %q for %s, and help has\n%s", want, code, help)
		}
	}
}
