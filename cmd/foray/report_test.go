// This file holds the tests of the report command.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/graphreport"
)

// checkReport: the page refers to nothing outside, and every figure has a picture, a caption, a table and a command.
func checkReport(t *testing.T, page string, figures int) {
	t.Helper()
	if at := regexp.MustCompile(`(?i)https?:|\bsrc=|href=|url\(|@import|<script|<link|<img|<iframe`).FindString(page); at != "" {
		t.Errorf("the page has %q", at)
	}
	if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") || !strings.HasPrefix(page, "<!doctype html>\n") || !strings.HasSuffix(page, "</body></html>\n") {
		t.Error("the page isn't whole, or has a number that is none")
	}
	found := strings.Split(page, "<figure>")[1:]
	if len(found) != figures {
		t.Errorf("%d figures, want %d", len(found), figures)
	}
	for i, f := range found {
		f, _, _ = strings.Cut(f, "</figure>")
		for _, part := range []string{"<svg", "aria-label=", "<figcaption>", "<table", "<code>foray report "} {
			if !strings.Contains(f, part) {
				t.Errorf("figure %d has no %s", i, part)
			}
		}
	}
}

// TestReport: the values of the karate club, and its page.
func TestReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "karate.html")
	out, _ := foray(t, 0, "report", karate, "-o", file, "--source", "1", "--source", "34", "--device", "host", "--workers", "2")
	contains(t, out, "34 vertices, 78 edges, undirected", "report     "+file+", 2 searches\n")
	page := read(t, file)
	checkReport(t, page, 6)
	contains(t, page, "34 vertices and 78 edges, undirected. 1 component; the largest has 100 % of the vertices. The largest degree is 17, the mean 4.59.", "<code>foray report "+karate+" -o "+file+" --source 1 ",
		"The largest degree, 17, is that of vertex 34; the mean is 4.59, the median 3,", "<td>2–3</td><td>17</td>", "Directions, and why", "Pushes: the frontier", "--device names it")

	out, _ = foray(t, 0, "report", karate, "--json", "--source", "1", "--trials", "2", "--device", "host")
	var r graphreport.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	levels := [][2]uint64{}
	for _, l := range r.Searches[0].ByDepth {
		levels = append(levels, [2]uint64{l.Vertices, l.Edges})
	}
	// The degrees of the club sum up to 156: 16 of member 1, and those of its 16 friends, 9 and 8 others.
	if len(levels) != 4 || levels[0] != [2]uint64{1, 16} || levels[1][0] != 16 || levels[2][0] != 9 || levels[3][0] != 8 || levels[1][1]+levels[2][1]+levels[3][1] != 140 {
		t.Errorf("levels %v", levels)
	}
	if s := r.Searches[0]; s.Reached != 34 || s.Edges != 78 || len(s.MS) != 2 || s.GTEPS <= 0 || r.Command != "foray report "+karate+" --json --source 1 --trials 2 --device host" || r.Drawn || !r.Checked {
		t.Errorf("%+v", r)
	}
	if g := r.Graph; g.Vertices != 34 || g.Edges != 78 || g.DirectedEdges != 156 || g.InputEdges != 78 || len(g.Facts) < 8 || r.Memory[0].Host == 0 || r.Memory[0].GPU == 0 {
		t.Errorf("%+v %+v", g, r.Memory)
	}
}

// TestReportGraphs: empty, tiny, deep, directed and skewed graphs, and strange ids, have sensible pages.
func TestReportGraphs(t *testing.T) {
	const script = "<script>alert('1&2')</script>"
	for _, c := range []struct {
		graph string
		flags string
		want  []string // on the page
		six   bool     // figures; else 3
	}{
		{write(t, "empty.csv", "src,dst\n"), "", []string{"0 vertices and 0 edges", "The graph has no vertices.", "The graph has no components.", "nothing to search from"}, false},
		{write(t, "loop.el", "1 1\n"), "", []string{"1 vertex and 0 edges", "1 self-loop", "No vertex has an edge out of it"}, true},
		{write(t, "names.csv", "src,dst\n"+script+",b\nb,c\n"), "--source b", []string{"&lt;script&gt;alert(&#39;1&amp;2&#39;)&lt;/script&gt;"}, true},
		{write(t, "arrows.el", "1 2\n1 3\n1 4\n2 3\n9 9\n8 9\n"), "--directed", []string{"weakly connected components", "The largest out-degree, 3, is that of vertex 1;", "The largest in-degree, 2, is that of vertex 3;", "foray convert prepares a graph with its reverse", "bfs only pushes."}, true},
		{"gen:path:12000", "--source 0 --no-check", []string{"<td>12,000</td>", "Results were not checked (--no-check)", "11,800 more"}, true},
		{"gen:kron10", "--seed 3 --sources 4", []string{"by seed 3", "Pulls: the frontier", "pulled</text>"}, true},
		{"gen:star:70000", "", []string{"The largest degree, 69,999, is that of vertex 0"}, true},
	} {
		file := filepath.Join(t.TempDir(), "r.html")
		foray(t, 0, append([]string{"report", c.graph, "-o", file, "--device", "host", "--trials", "1"}, strings.Fields(c.flags)...)...)
		page := read(t, file)
		figures := 3
		if c.six {
			figures = 6
		}
		checkReport(t, page, figures)
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q in\n%.4000s", c.graph, want, page)
			}
		}
	}
	// A directed graph with its reverse is searched both ways.
	dir := t.TempDir()
	prepared, file := filepath.Join(dir, "g.foray"), filepath.Join(dir, "g.html")
	foray(t, 0, "convert", write(t, "a.el", "1 2\n2 3\n"), prepared, "--directed")
	foray(t, 0, "report", prepared, "-o", file)
	contains(t, read(t, file), "a prepared graph", "the file has its vertices in this order", "the directed graph has its reverse")
	page, _ := foray(t, 0, "report", prepared, "-o", "-")
	checkReport(t, page, 6)
}

// TestReportRefused: each wrong argument is one line, and leaves no report, or the one that was there.
func TestReportRefused(t *testing.T) {
	dir := t.TempDir()
	bad := write(t, "bad.csv", "src,dst\n1,2\n3\n")
	old := filepath.Join(dir, "old.html")
	if err := os.WriteFile(old, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		status int
		args   string
		want   string
	}{
		{2, "", "report needs a PATH"},
		{2, "K", "report needs -o FILE.html, or --json"},
		{2, "K -o E", "report needs -o FILE.html, or --json"},
		{2, "K -o E --json", "report needs -o FILE.html, or --json"},
		{2, "K -o - --json", "both print to standard output"},
		{2, "K -o D/r.parquet", "the name must end in .html"},
		{2, "K -o s3://bucket/r.html", "reports are local files"},
		{2, "K -o D/r.html --sources 0", "must be at least 1"},
		{2, "K -o D/r.html --source 1 --sources 2", "give one of them"},
		{2, "K -o D/r.html --device tpu", "unknown device"},
		{1, "K -o D/r.html --device cuda:99", "cuda:99"},
		{2, "gen:nope -o D/r.html", `no graph "nope"`},
		{1, "/no/such/graph/ -o D/r.html", "/no/such/graph/: no such file or directory"},
		{1, "/no/such.parquet -o D/r.html", "no such file or directory"},
		{1, "K -o D/none/r.html", "make the directory"},
		{1, "K -o D/r.html --source 99", "--source: vertex 99 is not in the graph"},
		{3, bad + " -o D/r.html", "bad.csv"},
		{3, bad + " -o D/old.html", "bad.csv"},
		{1, "gen:kron16 -o D/r.html --memory-limit 1MB", "--memory-limit"},
		{2, "gen:path:9 -o D/r.html --src a", "--src and --dst are for files"},
	} {
		out, errs := foray(t, c.status, append([]string{"report"}, arguments(t, c.args, dir)...)...)
		if out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: %q %q, want %q in one line", c.args, out, errs, c.want)
		}
	}
	page := write(t, "edges.html", "src,dst\n1,2\n")
	_, errs := foray(t, 2, "report", page, "--input-format", "csv", "-o", page)
	contains(t, errs, "edges.html")
	if got := read(t, page); got != "src,dst\n1,2\n" {
		t.Errorf("the input became %q", got)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(&interrupted{os.Interrupt})
	var stdout, stderr bytes.Buffer
	if status := runContext(ctx, []string{"report", "gen:kron12", "-o", filepath.Join(dir, "r.html")}, &stdout, &stderr); status != exitSignal+2 || stderr.String() != "foray: interrupted\n" || stdout.Len() > 0 {
		t.Errorf("an interrupted run: status %d, %q %q", status, &stdout, &stderr)
	}
	if got := read(t, old); got != "old" {
		t.Errorf("the old report became %q", got)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%d entries are left: %v", len(entries), err)
	}
}
