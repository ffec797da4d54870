// This file holds the tests of the bfs command: what it prints, every flag,
// and the files that it writes.

package main

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
)

func TestBFSPrints(t *testing.T) {
	out, _ := foray(t, 0, "bfs", karate, "--source", "1", "--algo", "bfs", "--device", "host")
	want := `graph ../../testdata/karate.parquet: 34 vertices, 78 edges, undirected, ids int64, order given
loaded in #
prepared in #, once per graph
source 1
search bfs on host, #

 depth vertices edges direction µs
 0 1 16 push #
 1 16 69 push #
 2 9 50 push #
 3 8 21 push #

reached 34 of 34 vertices (100 %) in 4 levels
setup #
levels #
time # in all
rate # (78 edges)
`
	if got := masked(out); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestBFSFlags has a line of the output for every flag of the search.
func TestBFSFlags(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
	}{
		{"", []string{"source 34 (the largest degree, 17; --source takes another)\n", "search dobfs on host", "in 5 levels"}},
		{"--source 1 --source 34", []string{"sources 1, 34\n", "0 2 ", "reached 34 of 34"}},
		{"-s 1 -s 1", []string{"source 1\n"}},
		{"-s 1 --target 34", []string{"2 9 not expanded", "reached 26 of 34 vertices (76.5 %) in 3 levels; ended with vertices still to expand", "targets 34 at depth 2\n"}},
		{"-s 1 -t 34 -t 2", []string{"targets 34 at depth 2, 2 at depth 1\n"}},
		{"-s 1 --depth-limit 1", []string{"1 16 not expanded", "reached 17 of 34 vertices (50.0 %) in 2 levels; ended"}},
		{"-s 17 -t 16 --depth-limit 1", []string{"targets 16 not reached\n"}},
		{"--algo bfs", []string{"search bfs on"}},
		{"--algo dobfs", []string{"search dobfs on"}},
		{"--strategy queue", []string{"search bfs on", "push"}},
		{"--strategy read", []string{"search bfs on", "push"}},
		{"--strategy hybrid", []string{"search bfs on", "push"}},
		{"--device host --workers 3", []string{"on host, 3 workers"}},
		{"--device host --workers 1", []string{"on host, 1 worker\n"}},
		{"--alpha 1e-9 --algo dobfs", []string{"0 1 17 push", "4 1 2 push"}},
		{"--alpha 1000 --beta 1000", []string{"1 17 54 pull", "2 6 11 pull"}},
		{"--validate", []string{"valid depths obey Graph500's five rules\n"}},
		{"--validate --parents", []string{"valid depths and parents obey Graph500's five rules\n"}},
		{"--validate --parents --depth-limit 1", []string{"valid depths and parents"}},
		{"--directed -s 34", []string{"78 edges, directed", "source 34 (no edge leads out of it)\n", "search bfs on", "0 1 0 push", "reached 1 of 34 vertices (2.9 %) in 1 level\n"}},
		{"--directed -s 1 --algo dobfs", []string{"directed", "search dobfs on"}},
		{"--order degree", []string{"order degree\n"}},
		{"--order given", []string{"order given\n"}},
		{"--src dst --dst src --directed -s 34", []string{"reached 24 of 34"}},
		{"--ids dense -s 1", []string{"35 vertices", "reached 34 of 35 vertices (97.1 %)"}},
		{"--two-pass", []string{"34 vertices, 78 edges"}},
		{"--memory-limit 100MB", []string{"34 vertices, 78 edges"}},
		{"--input-format arrow", []string{"34 vertices, 78 edges"}},
		{"--all-levels", []string{"in 5 levels"}},
	} {
		args := strings.Fields(c.args)
		if !slices.Contains(args, "--device") { // there may be a GPU
			args = append(args, "--device", "host")
		}
		out, _ := foray(t, 0, append([]string{"bfs", karate}, args...)...)
		contains(t, regexp.MustCompile(` +`).ReplaceAllString(out, " "), c.want...)
	}
}

// TestBFSStrategyOnGPU: auto is the host where a strategy is named, and a GPU that is
// named refuses it before anything is loaded.
func TestBFSStrategyOnGPU(t *testing.T) {
	for args, want := range map[string]string{
		"":                                 "auto",
		"--strategy auto":                  "auto",
		"--strategy queue":                 "host",
		"--device auto --strategy hybrid":  "host",
		"--device cuda:7 --strategy queue": "cuda:7",
	} {
		f := &bfsFlags{strategy: newEnum("NAME", "auto", "queue", "read", "hybrid")}
		g := newGroup("")
		g.flags.Var(f.strategy, "strategy", "")
		f.searchFlags.add(g)
		if err := g.flags.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		if got := f.deviceName(); got != want {
			t.Errorf("%q: device %s, want %s", args, got, want)
		}
		err := f.checkOn(someGPU{})
		var usage *usageError
		if errors.As(err, &usage) != (f.strategy.value != "auto") {
			t.Errorf("%q: on a GPU: %v", args, err)
		}
		if err != nil {
			contains(t, oneLine(err), "--strategy is for the host; the device is cuda:7; --device host takes it")
		}
	}
}

// TestGPUTakesNoStrategy is the same by the whole command, and that of bench for the
// sequential search, which runs on the host wherever it is asked for.
func TestGPUTakesNoStrategy(t *testing.T) {
	dev, err := device.Open("cuda")
	if errors.Is(err, device.ErrNotSupported) {
		t.Skip("needs a GPU, or the emulated one (scripts/gpu-test emulate):", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dev.Close()
	out, _ := foray(t, 0, "bfs", karate, "--strategy", "queue")
	contains(t, out, "bfs on host")
	_, errs := foray(t, 2, "bfs", "no.parquet", "--strategy", "queue", "--device", "cuda")
	contains(t, errs, "--device host takes it")
	out, _ = foray(t, 0, "bench", karate, "--algo", "seq")
	contains(t, out, "\nhost (")
	out, _ = foray(t, 0, "bench", karate, "--algo", "seq", "--device", "cuda", "--sources", "1")
	contains(t, out, "\ncuda:0", "seq, on the host")
}

func TestBFSLevels(t *testing.T) {
	out, _ := foray(t, 0, "bfs", "gen:grid2d:100x60", "--source", "0")
	contains(t, masked(out), " 9 10 ", "\n ... 46 levels left out (--all-levels prints them) ...\n 56 57 ", " 62 60 ",
		"\n ... 86 levels left out (--all-levels prints them) ...\n 149 10 ", " 158 1 ", "in 159 levels")
	if n := strings.Count(out, "push"); n != 27 {
		t.Errorf("%d levels, want 27\n%s", n, out)
	}
	out, _ = foray(t, 0, "bfs", "gen:grid2d:100x60", "--source", "0", "--all-levels")
	if n := strings.Count(out, "push"); n != 159 || strings.Contains(out, "left out") {
		t.Errorf("%d levels, want 159", n)
	}
	out, _ = foray(t, 0, "bfs", "gen:path:40", "--source", "0")
	if n := strings.Count(out, "push"); n != 40 || strings.Contains(out, "left out") {
		t.Errorf("%d levels, want 40", n)
	}
}
