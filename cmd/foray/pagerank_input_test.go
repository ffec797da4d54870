package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

// TestJumpTo ranks several times at once, each as a separate run does.
func TestJumpTo(t *testing.T) {
	several, _ := foray(t, 0, "pagerank", karateFile, "--jump-to", "1", "--jump-to", "33,34", "--tolerance", "1e-9", "--validate", "--sort", "id", "-o", "-")
	head, rows, _ := strings.Cut(several, "\n")
	if head != "vertex,rank_1,rank_2" {
		t.Fatal(head)
	}
	for i, ids := range []string{"1", "33,34"} {
		alone, _ := foray(t, 0, "pagerank", karateFile, "--jump-to", ids, "--tolerance", "1e-9", "--sort", "id", "-o", "-")
		var want strings.Builder
		for _, row := range strings.Split(strings.TrimSpace(rows), "\n") {
			f := strings.Split(row, ",")
			want.WriteString(f[0] + "," + f[1+i] + "\n")
		}
		if alone != "vertex,rank\n"+want.String() {
			t.Errorf("--jump-to %s: alone\n%s, with others\n%s", ids, alone, want.String())
		}
	}
	field := func(name string, of arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: of, Nullable: true}
	}
	people := table(t, "people.arrow", []arrow.Field{field("id", arrow.PrimitiveTypes.Int64), field("a", arrow.PrimitiveTypes.Float64), field("b", arrow.PrimitiveTypes.Float64)},
		[]string{"1", "1", "(null)"}, []string{"33", "0", "2"}, []string{"34", "(null)", "2"})
	columns, _ := foray(t, 0, "pagerank", karateFile, "--vertices", people, "--personalization", "a,b", "--tolerance", "1e-9", "--sort", "id", "-o", "-")
	if columns != "vertex,rank_a,rank_b\n"+rows {
		t.Errorf("columns: %s", columns)
	}
	stdout, _ := foray(t, 0, "pagerank", karateFile, "--jump-to", "1", "--jump-to", "2", "--validate")
	contains(t, stdout, "rounds     at most ", "rank_1: 1 (", "rank_2: ", "valid ")
	stdout, _ = foray(t, 0, "run", karateFile, "--do", "pagerank --jump-to 1 --jump-to 2", "-o", t.TempDir())
	contains(t, stdout, "rank_2: ")
	for want, args := range map[string]string{
		"--jump-to is empty":                   "--jump-to=",
		"give one of them":                     "--jump-to 1 --personalization a --vertices " + people,
		"there are 65 rankings":                strings.Repeat("--jump-to 1 ", 65),
		`--personalization names "a" twice`:    "--personalization a,a --vertices " + people,
		"--decay and --time go together":       "--decay 3d",
		"--reference is for --decay":           "--reference 3",
		"--start is empty":                     "--start=",
		"--decay 3y: want a half-life above 0": "--decay 3y --time src",
		"--decay -1: want a half-life above 0": "--decay=-1 --time src",
		"--start: r.csv is text":               "--start r.csv",
	} {
		_, stderr := foray(t, 2, append([]string{"pagerank", karateFile}, strings.Fields(args)...)...)
		contains(t, stderr, want)
	}
	_, stderr := foray(t, 1, "pagerank", karateFile, "--jump-to", "99")
	contains(t, stderr, "--jump-to: vertex 99 is not in the graph")
}

// TestStart begins with the ranks that an earlier run wrote, before vertices and edges were added.
func TestStart(t *testing.T) {
	dir := t.TempDir()
	old, grown := filepath.Join(dir, "old.parquet"), filepath.Join(dir, "grown.foray")
	foray(t, 0, "pagerank", karateFile, "--tolerance", "1e-12", "--iterations", "1000", "-o", old)
	more := write(t, "more.csv", "src,dst\n1,99\n99,5\n")
	foray(t, 0, "convert", karateFile, grown)
	foray(t, 0, "append", grown, more)
	cold, _ := foray(t, 0, "pagerank", grown, "--tolerance", "1e-10", "--iterations", "1000", "-o", "-")
	warm, _ := foray(t, 0, "pagerank", grown, "--tolerance", "1e-10", "--iterations", "1000", "--start", old, "--validate", "-o", "-")
	nearly(t, ranksOf(t, warm), ranksOf(t, cold), 1e-8)
	stdout, _ := foray(t, 0, "pagerank", karateFile, "--tolerance", "1e-9", "--start", old)
	contains(t, stdout, "rounds     1, the last changed")
	for name, rows := range map[string][][]string{"has no rank above 0": {{"77", "1"}, {"1", "0"}}, "vertex 1 has -1": {{"1", "-1"}}} {
		bad := table(t, "bad.arrow", []arrow.Field{{Name: "vertex", Type: arrow.PrimitiveTypes.Int64}, {Name: "rank", Type: arrow.PrimitiveTypes.Float64}}, rows...)
		_, stderr := foray(t, 1, "pagerank", karateFile, "--start", bad)
		contains(t, stderr, name)
	}
	_, stderr := foray(t, 1, "pagerank", karateFile, "--start", karateFile)
	contains(t, stderr, "--start: ")
}

// TestDecayOfEdges ranks by the age of edges: in days, in numbers, up to a time.
func TestDecayOfEdges(t *testing.T) {
	edges := table(t, "calls.arrow", []arrow.Field{{Name: "src", Type: arrow.PrimitiveTypes.Int64}, {Name: "dst", Type: arrow.PrimitiveTypes.Int64},
		{Name: "at", Type: arrow.FixedWidthTypes.Date32}, {Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "cost", Type: arrow.PrimitiveTypes.Float64}, {Name: "kind", Type: arrow.BinaryTypes.String}},
		[]string{"1", "2", "2026-01-31", "31", "1", "a"}, []string{"1", "3", "2026-01-01", "1", "2", "a"}, []string{"2", "1", "2025-01-01", "0", "1", "a"}, []string{"3", "1", "2026-03-01", "60", "1", "a"},
		[]string{"1", "3", "2026-01-01", "1", "2", "b"})
	run := func(args string) map[string]float64 {
		out, _ := foray(t, 0, append([]string{"pagerank", edges, "--directed", "--tolerance", "1e-12", "--iterations", "900", "--validate", "-o", "-"}, strings.Fields(args)...)...)
		return ranksOf(t, out)
	}
	// 1 has x = 0.05 + 0.85(1-x); the two edges to 3 are a half-life older than that to 2.
	one := 0.9 / 1.85
	want := map[string]float64{"1": one, "2": 0.05 + 0.85*one/2, "3": 0.05 + 0.85*one/2}
	nearly(t, run("--time at --decay 30d"), want, 1e-9)
	nearly(t, run("--time at --decay 720h --reference 2026-03-05"), want, 1e-9)
	nearly(t, run("--time n --decay 30"), want, 1e-9)
	want["2"], want["3"] = 0.05+0.85*one/3, 0.05+0.85*one*2/3
	nearly(t, run("--time n --decay 30 --weighted --weight cost"), want, 1e-9)
	// On 2 January 1 calls only 3, which doesn't call yet and jumps: 3 has y, its mass goes to all.
	got := run("--time at --decay 1d --reference 2026-01-02")
	if got["2"] >= got["3"] || got["1"] <= got["2"] {
		t.Errorf("on 2 January: %v", got)
	}
	prepared := filepath.Join(t.TempDir(), "calls.foray")
	foray(t, 0, "convert", edges, prepared, "--directed", "--reverse", "--edge-columns", "at,n,cost,kind", "--merge", "keep")
	out, _ := foray(t, 0, "pagerank", prepared, "--time", "at", "--decay", "30d", "--tolerance", "1e-12", "--iterations", "900", "-o", "-")
	nearly(t, ranksOf(t, out), run("--time at --decay 30d"), 1e-9)
	for want, args := range map[string]string{
		"--decay 30d: the column n has numbers without a unit": "--time n --decay 30d",
		"--time kind: the column has strings":                  "--time kind --decay 30",
		"--reference x: the column n has numbers":              "--time n --decay 30 --reference x",
		"--reference x: the column at has values of type":      "--time at --decay 30d --reference x",
	} {
		_, stderr := foray(t, 2, append([]string{"pagerank", edges, "--directed"}, strings.Fields(args)...)...)
		contains(t, stderr, want)
	}
}
