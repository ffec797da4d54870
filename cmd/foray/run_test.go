package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/bench"
)

const karateFile = "../../testdata/karate.parquet"

// TestRun runs several algorithms over one graph.
func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "results")
	stdout, _ := foray(t, 0, "run", karateFile, "--do", "cc,bfs:1", "--do", "bfs --source 34 --parents", "--validate", "-o", dir, "--format", "csv")
	contains(t, stdout, "graph ", "\ncc\n", "components 1", "valid ", dir+"/cc.csv, 34 rows", "\nbfs\n", "source     1\n", dir+"/bfs.csv", "source     34\n", dir+"/bfs-2.csv")
	for name, head := range map[string]string{"cc.csv": "vertex,component\n1,1\n", "bfs.csv": "vertex,depth\n1,0\n2,1\n", "bfs-2.csv": "vertex,depth,parent\n"} {
		if s := read(t, filepath.Join(dir, name)); !strings.HasPrefix(s, head) || strings.Count(s, "\n") != 35 {
			t.Errorf("%s: %s", name, s)
		}
	}
	// The same tables as the commands alone.
	one := filepath.Join(t.TempDir(), "one.csv")
	foray(t, 0, "bfs", karateFile, "--source", "34", "--parents", "-o", one)
	if read(t, one) != read(t, filepath.Join(dir, "bfs-2.csv")) {
		t.Error("run and bfs write other tables")
	}
	foray(t, 0, "run", karateFile, "--do", "cc", "-o", dir)
	inner := filepath.Join(t.TempDir(), "made")
	foray(t, 0, "run", karateFile, "--do", "kcore --k 3 --graph-out "+inner+"/core.el", "-o", inner)
	for _, name := range []string{"core.el", "kcore.parquet"} {
		if _, err := os.Stat(filepath.Join(inner, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "cc.parquet")); err != nil {
		t.Error(err)
	}
}

// TestRunErrors are command lines of run that are wrong, and sources that aren't in the graph,
// before anything has run.
func TestRunErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		status int
		args   []string
		want   string
	}{
		{2, nil, "run needs --do: the algorithms to run, as in --do cc,bfs:1"},
		{2, []string{"--do", "nope"}, `--do nope: there is no algorithm "nope"; there are bfs`},
		{2, []string{"--do", "cc,"}, "--do: the name of an algorithm is empty"},
		{2, []string{"--do", "cc:1"}, "--do cc:1: cc has no source"},
		{2, []string{"--do", "cc --nope"}, "--do cc --nope: unknown flag: --nope (see foray cc --help)"},
		{2, []string{"--do", "sssp:1 --weight w"}, "--do sssp:1 --weight w: --weight applies to all algorithms, not to one: write it outside the quotes"},
		{2, []string{"--do", "cc --device host"}, "--device applies to all algorithms"},
		{2, []string{"--do", "cc -o x"}, "--output applies to all algorithms"},
		{2, []string{"--do", "sssp:1,pagerank --weighted,bc"}, "an algorithm with flags needs its own --do"},
		{2, []string{"--do", "cc x"}, `--do cc x: "x" isn't a flag of cc`},
		{2, []string{"--do", "cc", "-o", "-"}, "run writes a directory, not to standard output"},
		{2, []string{"--do", "cc", "-o", ""}, "the name of a directory to write is empty"},
		{2, []string{"--do", "cc", "-o", dir, "--format", "xls"}, "--format xls: there are parquet,"},
		{2, []string{"--do", "cc", "--reached-only"}, "--properties and --reached-only need -o"},
		{1, []string{"--do", "cc,bfs:99", "-o", dir}, "--do bfs:99: --source: vertex 99 is not in the graph"},
		{1, []string{"--do", "cc", "-o", karateFile}, "-o " + karateFile + ": run writes a directory, and that path or one of its parents is a file: name another directory"},
		{1, []string{"--do", "cc", "-o", karateFile + "/x"}, "/x: run writes a directory, and that path or one of its parents is a file"},
		{1, []string{"--do", "kcore --k 1 --graph-out " + dir + "/none/x.el", "-o", dir + "/new"}, "make the directory " + dir + "/none first"},
		{2, []string{"--do", "sssp --sources-from x.csv"}, "--do sssp --sources-from x.csv: --do takes no --sources-from; the command foray sssp does"},
		{2, []string{"--do", "bfs:1 --plot x.svg"}, "--do takes no --plot; the command foray bfs does"},
		{2, []string{"--do", "cc --sources-from x.csv"}, "unknown flag: --sources-from"},
		{2, []string{"--do", "closeness --samples 2", "--directed"}, "--samples and --directed don't go together"},
	} {
		stdout, stderr := foray(t, c.status, append([]string{"run", karateFile}, c.args...)...)
		if !strings.Contains(stderr, c.want) || strings.Contains(stdout, "components") {
			t.Errorf("%v: %s%s, want %s", c.args, stdout, stderr, c.want)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("%v were written, %v", list, err)
	}
}

// TestBenchCalculations times algorithms other than searches.
func TestBenchCalculations(t *testing.T) {
	stdout, _ := foray(t, 0, "bench", karateFile, "--algo", "cc,cc --strong", "--device", "host", "--trials", "2")
	contains(t, stdout, "34 vertices", "algorithm", "cc ", "1 x 2", "yes", "cc --strong", "1 x 2", "yes")
	stdout, _ = foray(t, 0, "bench", karateFile, "--algo", "cc", "--device", "host", "--trials", "1", "--workers", "1")
	contains(t, stdout, "; host, 1 worker; ")
	stdout, _ = foray(t, 0, "bench", karateFile, "--algo", "cc", "--json", "--no-check")
	var reports []bench.Report
	if err := json.Unmarshal([]byte(stdout), &reports); err != nil || len(reports) != 1 || len(reports[0].Results) != 1 {
		t.Fatal(err, stdout)
	}
	if x := reports[0].Results[0]; x.Checked || x.CheckedBy != "" || len(x.Sources) != 1 || len(x.Sources[0].MS) != 3 || !(0 < x.MinMS && x.MinMS <= x.Q1MS && x.Q1MS <= x.MedianMS && x.MedianMS <= x.Q3MS && x.Q3MS <= x.MaxMS) {
		t.Errorf("%+v", x)
	}
	for want, args := range map[string][]string{
		"--algo cc,bfs: searches (auto, bfs, dobfs, seq) are measured apart from other algorithms": {"--algo", "cc,bfs"},
		"--alpha is for searches":                                {"--algo", "cc", "--alpha", "2"},
		"--algo cc:1: cc has no source":                          {"--algo", "cc:1"},
		"--algo cc --nope: unknown flag":                         {"--algo", "cc --nope"},
		"--algo: want auto, bfs, dobfs or seq, or else sssp, cc": {"--algo", "nope"},
	} {
		if _, stderr := foray(t, 2, append([]string{"bench", karateFile}, args...)...); !strings.Contains(stderr, want) {
			t.Errorf("%v: %s", args, stderr)
		}
	}
}

// TestInputsStay names inputs as outputs in every way.
func TestInputsStay(t *testing.T) {
	dir := t.TempDir()
	edges := "src,dst,weight\na,b,1\nb,c,2\nc,a,3\n"
	in, lake := write(t, "e.csv", edges), filepath.Join(dir, "cc.parquet")
	foray(t, 0, "convert", in, lake, "--weights")
	before := read(t, lake)
	other, new := filepath.Join(dir, "x.csv"), filepath.Join(dir, "new")
	for want, args := range map[string][]string{
		"is an input, which is read":          {"kcore", in, "--k", "1", "--graph-out", in},
		"is an input, which is read: ":        {"run", in, "--do", "kcore --k 1 --graph-out " + in},
		"is an input, which is read: reading": {"run", lake, "--do", "cc", "-o", dir},
		"are the same file; name two":         {"kcore", in, "--k", "1", "--graph-out", other, "-o", other},
		" are the same file; name two":        {"run", in, "--do", "kcore --k 1 --graph-out " + other, "--do", "kcore --k 2 --graph-out " + other},
		"same file; name two":                 {"run", in, "--do", "kcore --k 1 --graph-out " + new + "/kcore.parquet", "-o", new},
		"same file; name two ":                {"run", in, "--do", "kcore --k 1 --graph-out " + new + "/kcore-2.parquet", "--do", "kcore", "-o", new},
		" same file; name two ":               {"run", in, "--do", "kcore --k 1 --graph-out " + new + "/cc.parquet", "--do", "cc", "-o", new},
		"s3://b/kcore.parquet are the":        {"run", in, "--do", "kcore --k 1 --graph-out s3://b/kcore.parquet", "-o", "s3://b"},
		"bench writes no files":               {"bench", in, "--algo", "kcore --k 1 --graph-out " + other},
	} {
		if _, stderr := foray(t, 2, args...); !strings.Contains(stderr, strings.TrimSpace(want)) {
			t.Errorf("%v: %s, want %s", args, stderr, want)
		}
	}
	if _, err := os.Stat(new); err == nil {
		t.Error("a directory was made")
	}
	if read(t, in) != edges || read(t, lake) != before {
		t.Error("an input was overwritten")
	}
}

// TestRunWeights runs algorithms with and without weights in either order.
func TestRunWeights(t *testing.T) {
	in := write(t, "e.csv", "src,dst,weight\na,b,1\na,b,5\nb,c,2\nc,c,3\n")
	for _, do := range []string{"sssp:a,pagerank", "pagerank,sssp:a"} {
		stdout, _ := foray(t, 0, "run", in, "--do", do)
		contains(t, stdout, "graph ", "dropped    0 self-loops, 1 repeated edge of 4 edges given; the smallest weight stays\n")
	}
	stdout, _ := foray(t, 0, "bench", in, "--algo", "sssp,pagerank,bc,bc --samples 2,closeness --samples 2", "--trials", "1")
	contains(t, stdout, "sssp ", "pagerank", "bc ", "bc --samples 2", "closeness --samples 2")
	dir := filepath.Join(t.TempDir(), "r")
	foray(t, 0, "run", in, "--do", "bc,sssp:c", "--reached-only", "-o", dir, "--directed", "--format", "csv")
	if a, b := read(t, filepath.Join(dir, "bc.csv")), read(t, filepath.Join(dir, "sssp.csv")); strings.Count(a, "\n") != 4 || strings.Count(b, "\n") != 2 {
		t.Error(a, b)
	}
	for want, args := range map[string][]string{
		"--sources and --trials must be at least 1":                                   {"--algo", "bc", "--sources", "0"},
		"--sources and --trials must be at least 1 ":                                  {"--algo", "cc", "--trials", "0"},
		"--sources and --seed are for algorithms that begin at a vertex: bfs, dobfs,": {"--algo", "cc", "--seed", "4"},
	} {
		if _, stderr := foray(t, 2, append([]string{"bench", in}, args...)...); !strings.Contains(stderr, strings.TrimSpace(want)) {
			t.Errorf("%v: %s, want %s", args, stderr, want)
		}
	}
	loop := write(t, "loop.csv", "src,dst\na,a\n")
	_, stderr := foray(t, 1, "bench", loop, "--algo", "bc")
	contains(t, stderr, "no vertex has an out-edge")
}

// TestNoVertices runs commands on a graph without any.
func TestNoVertices(t *testing.T) {
	in, none := write(t, "e.csv", "src,dst,weight\na,b,1\n"), filepath.Join(t.TempDir(), "none.foray")
	foray(t, 0, "kcore", in, "--k", "9", "--graph-out", none)
	stdout, _ := foray(t, 0, "info", none)
	contains(t, stdout, "none: the graph has no vertices")
	_, stderr := foray(t, 1, "bfs", none)
	contains(t, stderr, "the graph has no vertices")
	for _, name := range []string{"cc", "kcore", "triangles", "pagerank", "bc", "closeness", "lpa", "louvain", "leiden", "mis", "color", "spanning", "bridges", "ktruss", "kclique", "degree", "eigenvector", "hits", "katz"} {
		foray(t, 0, name, none, "--validate")
	}
}
