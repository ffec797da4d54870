// This file holds the tests of bench paper.

package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/paper"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestBenchPaper: a report has all of its files, of the graphs that were named; a second one takes its place.
func TestBenchPaper(t *testing.T) {
	testlong.Project(t)
	dir := filepath.Join(t.TempDir(), "report")
	for _, graphs := range [][]string{{"--graph", "kkt_power"}, {"--graph", "club=" + karate, "--graph", "cage15=gen:banded:n=3000,band=50"}} {
		out, _ := foray(t, 0, append([]string{"bench", "paper", "-o", dir, "--sources", "2", "--trials", "1", "--device", "host"}, graphs...)...)
		if !strings.HasPrefix(out, "wrote      "+filepath.Join(dir, "report.html")) {
			t.Errorf("%q", out)
		}
		for _, name := range []string{"report.html", "report.json", "graphs.csv", "frontiers.csv", "searches.csv", "gathering.csv", "choices.csv"} {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			for i := 1; i < len(graphs); i += 2 {
				if graph, _, _ := strings.Cut(graphs[i], "="); !strings.Contains(string(data), graph) {
					t.Errorf("%s lacks %s", name, graph)
				}
			}
		}
		if data, err := os.ReadFile(filepath.Join(dir, "cluster.csv")); err != nil || strings.Count(string(data), "\n") != 1 {
			t.Errorf("cluster.csv of graphs that were named: %v\n%s", err, data)
		}
	}
}

// TestBenchPaperRanks: --only-ranks measures searches over ranks, and nothing else.
func TestBenchPaperRanks(t *testing.T) {
	testlong.Project(t)
	dir := filepath.Join(t.TempDir(), "report")
	out, _ := foray(t, 0, strings.Fields("bench paper --sources 1 --trials 1 --device host --only-ranks -o "+dir)...)
	if !strings.Contains(out, "report.html: searches over ranks") {
		t.Errorf("%q", out)
	}
	rows, page := read(t, filepath.Join(dir, "cluster.csv")), read(t, filepath.Join(dir, "report.html"))
	for _, figure := range []string{"threshold", "option", "strong scaling", "weak scaling"} {
		contains(t, rows, "\n"+figure+",gen:kron1")
	}
	contains(t, page, "Pan, Pearce and Owens", "pulls, local all-to-all", "--only-ranks")
	lacks(t, page, "table 1)")
	lacks(t, page, "figure 3)")
}

// TestBenchPaperDirected: a file is as directed as it says, or as --directed does, and so its rates are counted.
func TestBenchPaperDirected(t *testing.T) {
	testlong.Project(t)
	at := t.TempDir()
	edges, prepared, dir := filepath.Join(at, "calls.csv"), filepath.Join(at, "calls.foray"), filepath.Join(at, "report")
	if err := os.WriteFile(edges, []byte("caller,callee\n1,2\n2,3\n3,4\n2,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	foray(t, 0, "convert", edges, prepared, "--src", "caller", "--dst", "callee", "--directed", "--reverse")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--graph", "mine=" + prepared}, "true,4,4"},
		{[]string{"--graph", "mine=" + edges, "--src", "caller", "--dst", "callee"}, "false,4,8"},
		{[]string{"--graph", "mine=" + edges, "--src", "caller", "--dst", "callee", "--directed"}, "true,4,4"},
	} {
		foray(t, 0, append([]string{"bench", "paper", "-o", dir, "--sources", "1", "--trials", "1", "--device", "host"}, c.args...)...)
		if got := read(t, filepath.Join(dir, "graphs.csv")); !strings.Contains(got, ","+c.want+",") {
			t.Errorf("%q: want %s in\n%s", c.args, c.want, got)
		}
	}
}

// TestGPUPaper: on a GPU a report has the couplings of the paper, and ways of culling.
func TestGPUPaper(t *testing.T) {
	dev, err := device.Open("cuda")
	if errors.Is(err, device.ErrNotSupported) {
		t.Skip("needs a GPU, or the emulated one (scripts/gpu-test emulate):", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dev.Close()
	dir := filepath.Join(t.TempDir(), "report")
	foray(t, 0, "bench", "paper", "-o", dir, "--sources", "1", "--trials", "1", "--device", "cuda:0", "--graph", "small=gen:kron6")
	files := map[string]string{}
	for _, f := range (&paper.Report{}).Files() {
		files[f.Name] = read(t, filepath.Join(dir, f.Name))
	}
	contains(t, files["report.html"], "figures 7 and 8", "redundant expansion", "cuda:0")
	lacks(t, files["report.html"], "Ways of culling are a GPU's")
	if n := strings.Count(files["culling.csv"], "\nsmall,"); n != 5 {
		t.Errorf("%d ways of culling\n%s", n, files["culling.csv"])
	}
	for _, coupling := range []string{"expand-contract", "contract-expand", "two-phase", "hybrid", "fused"} {
		contains(t, files["searches.csv"], "small,bfs/"+coupling+",true,")
	}
	for _, balance := range []string{"thread", "warp", "scan", "twc", "merge"} {
		contains(t, files["gathering.csv"], "small,gather,"+balance+",")
	}
	contains(t, files["report.json"], `"driver": "CUDA`, `"gb_per_s": `)
}

// TestBenchPaperRefused: each wrong argument is one line, and leaves no report.
func TestBenchPaperRefused(t *testing.T) {
	dir := t.TempDir()
	report := filepath.Join(dir, "report")
	other := filepath.Join(dir, "other")
	if err := os.MkdirAll(filepath.Join(other, "mine"), 0o777); err != nil {
		t.Fatal(err)
	}
	thesis := filepath.Join(dir, "thesis")
	if err := os.Mkdir(thesis, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(thesis, "report.html"), []byte("my thesis"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		status int
		args   string
		says   string
	}{
		{2, "", "needs -o DIR"},
		{2, "-o R --graph nope", "no such graph; want europe.osm"},
		{2, "-o R --graph =x", "want NAME or NAME=PATH"},
		{2, "-o R --graph cage15=", "want NAME or NAME=PATH"},
		{2, "-o R --graph cage15 --graph cage15=x.el", "cage15 is given twice"},
		{1, "-o R --graph mine=/no/such.parquet", "no such file"},
		{2, "-o R --graph mine=gen:nope", "no graph"},
		{1, "-o O --graph kkt_power", "mine, which is no part of a report"},
		{1, "-o O/none/report --graph kkt_power", "make the directory"},
		{1, "-o T --graph kkt_power", "it has no report.json of foray bench paper"},
		{2, "-o R --graph a\x01b=gen:path:9", "bytes that are no text"},
		{2, "-o s3://bucket/report", "local directories"},
		{2, "-o R --scale huge", "want small, medium or paper"},
		{2, "-o R --sources 0", "must be at least 1"},
		{2, "-o R here", "name graphs by --graph"},
		{2, "-o R --device nope", "nope"},
		{2, "-o R --only-ranks --graph cage15", "--only-ranks measures no graphs of --graph and --real"},
	} {
		args := []string{"bench", "paper"}
		for _, a := range strings.Fields(tc.args) {
			a = strings.Replace(a, "O", other, 1)
			switch a {
			case "R":
				a = report
			case "T":
				a = thesis
			}
			args = append(args, a)
		}
		_, err := foray(t, tc.status, args...)
		if !strings.Contains(err, tc.says) || strings.Count(err, "\n") != 1 {
			t.Errorf("%s: %q, want %q in one line", tc.args, err, tc.says)
		}
		if _, err := os.Stat(report); err == nil {
			t.Fatalf("%s: a report was written", tc.args)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("%d entries are left", len(entries))
	}
}

// TestBenchPaperResumes: an interrupted run continues with the graphs that it had; another run's file is refused.
func TestBenchPaperResumes(t *testing.T) {
	testlong.Project(t)
	real := t.TempDir()
	for name, text := range map[string]string{"README.md": "not a graph", "tri.el": "1 2\n2 3\n3 1\n", "pa=th.csv": "src,dst\n1,2\n2,3\n"} {
		if err := os.WriteFile(filepath.Join(real, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "report")
	args := []string{"bench", "paper", "-o", dir, "--sources", "1", "--trials", "1", "--device", "host", "--graph", "club=" + karate, "--graph", "bad=" + write(t, "bad.csv", "src,dst\n1\n"), "--real", real}
	_, errs := foray(t, 3, args...)
	contains(t, errs, "bad.csv", "--resume continues")
	partial := dir + ".partial.json"
	data, err := os.ReadFile(partial)
	if err != nil || !strings.Contains(string(data), karate) {
		t.Fatalf("%v: %.200s", err, data)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("there is a report of an interrupted run")
	}
	_, errs = foray(t, 2, append(args, "--resume", "--seed", "9")...)
	contains(t, errs, "is of another run")
	// The graph that was measured isn't any more: it is taken as it was.
	_, body, _ := strings.Cut(string(data), "\n")
	marked := strings.Replace(body, `"mean_degree":`, `"mean_degree":1e3,"was":`, 1)
	for _, c := range []struct {
		content, says string
	}{
		{partialMark + "x\n" + marked, "is damaged; remove it"},
		{string(data[:len(data)-9]), "is damaged; remove it"},
		{partialMark, "is damaged; remove it"},
		{"precious", "isn't what an interrupted run leaves"},
		{"", "isn't what an interrupted run leaves"},
		{partialMark + fmt.Sprintf("%x", sha256.Sum256([]byte(marked))) + "\n" + marked, "bad.csv"},
	} {
		if err := os.WriteFile(partial, []byte(c.content), 0o666); err != nil {
			t.Fatal(err)
		}
		status := exitError
		if c.says == "bad.csv" {
			status = exitData
		}
		_, errs = foray(t, status, append(args, "--resume")...)
		contains(t, errs, c.says)
		if got, err := os.ReadFile(partial); err != nil || string(got) != c.content {
			t.Errorf("%s: the file was changed", c.says)
		}
	}
	if err := os.WriteFile(strings.TrimPrefix(args[13], "bad="), []byte("src,dst\n1,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	foray(t, 0, append(args, "--resume")...)
	report, err := os.ReadFile(filepath.Join(dir, "graphs.csv"))
	if err != nil || strings.Count(string(report), "\n") != 5 || !strings.Contains(string(report), ",1000,") || !strings.Contains(string(report), "tri,real,") || !strings.Contains(string(report), "pa_th,real,") {
		t.Errorf("%v\n%s", err, report)
	}
	if _, err := os.Stat(partial); err == nil {
		t.Error("what an interrupted run had is still there")
	}
	_, errs = foray(t, 1, "bench", "paper", "-o", dir, "--real", filepath.Join(real, "none"))
	contains(t, errs, "no such file")
	_, errs = foray(t, 1, "bench", "paper", "-o", dir, "--real", t.TempDir())
	contains(t, errs, "no graphs are there")
}

// TestReportPath: all names of a directory have one lock, whether it exists yet or not.
func TestReportPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	real, other := filepath.Join(dir, "real"), filepath.Join(dir, "other")
	if err := os.MkdirAll(filepath.Join(real, "report"), 0o777); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{other: real, filepath.Join(dir, "link"): filepath.Join(real, "report")} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		filepath.Join(other, "report"): filepath.Join(real, "report"), filepath.Join(dir, "link"): filepath.Join(real, "report"),
		filepath.Join(other, "new") + "/": filepath.Join(real, "new"), filepath.Join(dir, "none", "new"): filepath.Join(dir, "none", "new"),
	} {
		if got := reportPath(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	release, err := holdReport(filepath.Join(other, "report"))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := holdReport(filepath.Join(dir, "link")); err == nil || !strings.Contains(err.Error(), "another run writes this report") {
		t.Errorf("another name of the directory: %v", err)
	}
}
