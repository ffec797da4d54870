package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// script writes a program.
func script(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o777); err != nil {
		t.Fatal(err)
	}
}

// TestRivals runs programs that print what the systems do, and reads the rows.
func TestRivals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh, to stand for the programs of other systems")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	script(t, at("foray"), `case $1 in
convert) [ "$2" = gen:none ] && { echo "no such graph" >&2; exit 1; }; echo "$@" > "$3";;
bench) printf '[\n  {\n    "results": [\n      {\n        "median_ms": 1.5,\n        "sources": [\n          {\n            "median_ms": 7\n';;
esac
case "$1 $*" in bench*mis*) exit 5;; esac
`)
	script(t, at("gap/bfs"), `[ -f "$2" ] || exit 1
echo "threads $OMP_NUM_THREADS"
printf 'Read Time:           0.9\nTrial Time:          0.00200\nTrial Time:          0.00400\nAverage Time:        0.003\n'`)
	script(t, at("gap/sssp"), `case "$*" in *-v*) echo 'Verification:           FAIL';; esac; echo 'Trial Time: 1'`)
	script(t, at("gap/cc"), `echo broken; exit 3`)
	script(t, at("pasgal/BFS/bfs"), `printf 'source 5\nWarmup Round: 9.0\nRound 1: 0.001\nRound 2: 0.003\nAverage time: 0.002\n'`)
	script(t, at("toggle/KCore/ToT+VGC/test"), `echo "    Warmup: 9"; echo "    Round 1 time = 0.005 sec"; echo x > ../result.csv`)
	script(t, at("gunrock/bfs"), `echo "Source : 3"; echo "GPU Elapsed Time : 0.75 (ms)"`)
	script(t, at("wasp"), `case "$*" in *"-d 7 "*) exit 4;; *"-d 30 -S 4 -n 1"*) echo 'Trial Time: 0.004';; *"-S 16 -n 1") echo 'Trial Time: 0.006';; *) echo 'Trial Time: 0.02';; esac`)
	script(t, at("igraph-bench"), `[ -f "$2" ] && [ $1 != cc ] && printf "Time: 7 ms, result 1e-09\nTime: 6 ms, result $1\nTime: 9.5e+1 ms, result 1\n"`)
	script(t, at("other"), `echo "Source: 4 - Total visited: 90 - Time took: 12.5 ms."`)
	o, err := parse([]string{"-foray", at("foray"), "-gap", at("gap"), "-pasgal", at("pasgal"), "-toggle-tree", at("toggle"), "-gunrock", at("gunrock"), "-wasp", at("wasp"), "-deltas", "1,7,30", "-igraph", at("igraph-bench"), "-algorithms", "bfs,sssp,cc,kcore,tc,msf,mis",
		"-other", "Other,bfs," + at("other") + " {mtx} {threads}", "-dir", at("graphs"), "-machine", "a machine", "-threads", "3", "-rounds", "2", "gen:road:40x40"}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	var out, said bytes.Buffer
	failed := o.run(t.Context(), &out, &said)
	if failed == nil || !strings.HasPrefix(failed.Error(), "failed: 7\n") {
		t.Fatal(failed, said.String())
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows[1:] {
		_, note, _ := strings.Cut(r[9], "own; ")
		got = append(got, strings.TrimSpace(r[0]+" "+r[3]+" "+r[6]+" "+note))
		if r[2] != "road-40x40" || r[4] != "a machine" || !strings.Contains(r[9], "3 threads") {
			t.Errorf("row %q", r)
		}
	}
	slices.Sort(got)
	want := []string{"Foray bfs 1.5", "Foray cc 1.5", "Foray kcore 1.5", "Foray msf 1.5", "Foray sssp --prepare=never 1.5 --prepare=never", "Foray sssp 1.5", "Foray triangles 1.5", "GAP bfs 3", "Gunrock bfs 0.75", "Other bfs 12.5", "PASGAL bfs 2", "Toggle Tree kcore 5", "Wasp sssp 6 delta 30, the fastest of 1, 7, 30", "igraph kcore 7", "igraph msf 7", "igraph triangles 7"}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q\nwant %q\n%s", got, want, said.String())
	}
	for _, part := range []string{
		"road-40x40, Foray, mis: its check failed: exit status 5",
		"road-40x40, GAP delta 1, sssp: its check failed",
		"road-40x40, GAP delta 30, sssp: its check failed",
		"road-40x40, GAP, cc: its check failed: exit status 3",
		"road-40x40, Wasp delta 7, sssp: its check failed: exit status 4",
		"road-40x40, igraph, cc: exit status 1",
	} {
		if !strings.Contains(failed.Error(), part) || !strings.Contains(said.String(), part) {
			t.Errorf("%q isn't in: %v\n%s", part, failed, said.String())
		}
	}
	if !strings.Contains(said.String(), "Wasp delta 1, sssp, a trial: 20 ms") || !strings.Contains(said.String(), "broken") {
		t.Error(said.String())
	}
	if made, err := os.ReadFile(at("graphs/road-40x40.wsg")); err != nil || !strings.HasPrefix(string(made), "convert gen:road:40x40,weights=1:255 ") || !strings.Contains(string(made), "--weights") {
		t.Errorf("%s %v", made, err)
	}
	if left, _ := filepath.Glob(at("graphs/run*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	for file, want := range map[string]string{
		"graphs/road-40x40.graph.foray":    "convert gen:road:40x40 ",
		"graphs/road-40x40.weighted.foray": "convert gen:road:40x40,weights=1:255 ",
	} {
		if made, err := os.ReadFile(at(file)); err != nil || !strings.HasPrefix(string(made), want) || strings.Contains(string(made), "--order") {
			t.Errorf("%s %v", made, err)
		}
	}
	o.graphs, o.dir = []string{"gen:none"}, at("more")
	if err := o.run(t.Context(), &out, &said); err == nil || !strings.Contains(err.Error(), "no such graph") {
		t.Error(err)
	}
}

// TestLimit stops a program that doesn't end, with what it started.
func TestLimit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh, to stand for the programs of other systems")
	}
	dir := t.TempDir()
	script(t, filepath.Join(dir, "foray"), `case $1 in convert) echo > "$3";; bench) sleep 1000; echo '"median_ms": 1';; esac`)
	o, err := parse([]string{"-foray", filepath.Join(dir, "foray"), "-check=false", "-algorithms", "bfs", "-dir", filepath.Join(dir, "graphs"), "-machine", "m", "gen:road:40x40"}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	o.files(t.Context(), o.graphs[0], o.programs[0], &bytes.Buffer{}) // without a limit
	o.limit = 10 * time.Millisecond
	var out, said bytes.Buffer
	if err := o.run(t.Context(), &out, &said); err == nil || !strings.Contains(err.Error(), "road-40x40, Foray, bfs: it ran longer than 10ms") {
		t.Errorf("%v\n%s", err, said.String())
	}
	if rows := strings.Count(out.String(), "\n"); rows != 1 {
		t.Errorf("rows: %s", out.String())
	}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-dir", "d", "-machine", "m"}, "name a graph"},
		{[]string{"-machine", "m", "gen:kron4"}, "-dir is missing"},
		{[]string{"-dir", "d", "gen:kron4"}, "-machine is missing"},
		{[]string{"-dir", "d", "-machine", "m", "-rounds", "0", "gen:kron4"}, "-rounds"},
		{[]string{"-dir", "d", "-machine", "m", "-algorithms", "bfs,zzz", "gen:kron4"}, "there are bfs, sssp"},
		{[]string{"-dir", "d", "-machine", "m", "-gap", t.TempDir(), "gen:kron4"}, "none of its programs is there"},
		{[]string{"-dir", "d", "-machine", "m", "-other", "x", "gen:kron4"}, "NAME,ALGORITHM,COMMAND"},
		{[]string{"-dir", "d", "-machine", "m", "-other", "x,zzz,true", "gen:kron4"}, "there are bfs, sssp"},
		{[]string{"-dir", "d", "-machine", "m", "-deltas", "8,", "gen:kron4"}, "positive integers"},
	} {
		if _, err := parse(c.args, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
}
