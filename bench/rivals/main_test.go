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
`)
	script(t, at("gap/bfs"), `[ -f "$2" ] || exit 1
echo "threads $OMP_NUM_THREADS"
printf 'Read Time:           0.9\nTrial Time:          0.00200\nTrial Time:          0.00400\nAverage Time:        0.003\n'`)
	script(t, at("gap/sssp"), `case "$*" in *-v*) echo 'Verification:           FAIL';; esac; echo 'Trial Time: 1'`)
	script(t, at("gap/cc"), `echo broken; exit 3`)
	script(t, at("pasgal/BFS/bfs"), `printf 'source 5\nWarmup Round: 9.0\nRound 1: 0.001\nRound 2: 0.003\nAverage time: 0.002\n'`)
	script(t, at("toggle/KCore/ToT+VGC/test"), `echo "    Warmup: 9"; echo "    Round 1 time = 0.005 sec"; echo x > ../result.csv`)
	script(t, at("gunrock/bfs"), `echo "Source : 3"; echo "GPU Elapsed Time : 0.75 (ms)"`)
	script(t, at("wasp"), `case "$*" in *"-d 30 "*) echo 'Trial Time: 0.004';; *) echo 'Trial Time: 0.02';; esac`)
	script(t, at("igraph-bench"), `[ -f "$2" ] && [ $1 != cc ] && printf "Time: 7 ms, result 1e-09\nTime: 6 ms, result $1\nTime: 9.5e+1 ms, result 1\n"`)
	script(t, at("other"), `echo "Source: 4 - Total visited: 90 - Time took: 12.5 ms."`)
	o, err := parse([]string{"-foray", at("foray"), "-gap", at("gap"), "-pasgal", at("pasgal"), "-toggle-tree", at("toggle"), "-gunrock", at("gunrock"), "-wasp", at("wasp"), "-deltas", "1,30", "-igraph", at("igraph-bench"), "-algorithms", "bfs,sssp,cc,kcore,tc,msf",
		"-other", "Other,bfs," + at("other") + " {mtx} {threads}", "-dir", at("graphs"), "-machine", "a machine", "-threads", "3", "-rounds", "2", "gen:road:40x40"}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	var out, said bytes.Buffer
	if err := o.run(t.Context(), &out, &said); err != nil {
		t.Fatal(err, said.String())
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
	want := []string{"Foray bfs 1.5", "Foray cc 1.5", "Foray kcore 1.5", "Foray msf 1.5", "Foray sssp --prepare=never 1.5 --prepare=never", "Foray sssp 1.5", "Foray triangles 1.5", "GAP bfs 3", "Gunrock bfs 0.75", "Other bfs 12.5", "PASGAL bfs 2", "Toggle Tree kcore 5", "Wasp sssp 20 delta 1", "Wasp sssp 4 delta 30", "igraph kcore 7", "igraph msf 7", "igraph triangles 7"}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q\nwant %q\n%s", got, want, said.String())
	}
	for _, part := range []string{"GAP delta 30, sssp: its check failed", "GAP, cc: its check failed", "broken"} {
		if !strings.Contains(said.String(), part) {
			t.Errorf("%q isn't in:\n%s", part, said.String())
		}
	}
	if made, err := os.ReadFile(at("graphs/road-40x40.wsg")); err != nil || !strings.HasPrefix(string(made), "convert gen:road:40x40,weights=1:255 ") || !strings.Contains(string(made), "--weights") {
		t.Errorf("%s %v", made, err)
	}
	if left, _ := filepath.Glob(at("graphs/run*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	o.graphs, o.dir = []string{"gen:none"}, at("more")
	if err := o.run(t.Context(), &out, &said); err == nil || !strings.Contains(err.Error(), "no such graph") {
		t.Error(err)
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
