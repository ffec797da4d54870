// This file holds the tests of the bench command.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/discrete"
)

func TestBenchPrints(t *testing.T) {
	out, _ := foray(t, 0, "bench", karate, "--algo", "bfs,dobfs", "--algo", "seq", "--strategy", "queue,hybrid", "--workers", "2", "--device", "host")
	want := `../../testdata/karate.parquet: 34 vertices, 78 edges, undirected, order given; loaded in #
host (#), 16 sources (seed 1), 3 trials each; depths, every source checked
prepared once: placing #; what pulls need: #, 152 B; ELL4 rows: none
 algorithm min ms q1 median q3 max rate levels
 bfs/queue # # # # # R 4 to 6
 bfs/hybrid # # # # # R 4 to 6
 dobfs # # # # # R 4 to 6
 seq # # # # # R 4 to 6
`
	got := masked(out)
	lines := strings.Split(got, "\n")
	for i, l := range lines {
		if f := strings.Fields(l); len(f) == 10 && f[1] == "#" {
			f[6] = "R"
			lines[i] = " " + strings.Join(f, " ")
		}
	}
	if got = strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestBenchFlags has a part of the output for every flag.
func TestBenchFlags(t *testing.T) {
	for args, want := range map[string][]string{
		"K":                            {"dobfs"},
		"K --directed":                 {"directed", "bfs "},
		"K --directed --algo dobfs":    {"directed", "dobfs"},
		"K --algo bfs --strategy read": {"bfs/read"},
		"K --strategy read,queue":      {"bfs/read", "bfs/queue"},
		"K --given-order --order degree --batch 3 --parents --device host": {"depths and parents in the given order, every", "x single"},
		"K --sources 2 --trials 1":               {"2 sources", "1 trial each"},
		"K --sources 100":                        {"34 sources"},
		"K --seed 7":                             {"(seed 7)"},
		"K --parents":                            {"depths and parents, every source checked"},
		"K --parents --depths=false":             {"; parents, every source checked"},
		"K --depths=false":                       {"counts only, every source checked"},
		"K --no-check":                           {"depths, NOT CHECKED"},
		"K --batch 40 --algo bfs,seq":            {"ms in a batch", "x single"},
		"K --batch 3 --json":                     {`"searches": 3`},
		"K --given-order --order degree":         {"order degree", "depths in the given order, every"},
		"K --parents --given-order":              {"depths and parents in the given order"},
		"K --alpha 4 --beta 5":                   {"dobfs/alpha=4/beta=5"},
		"K --device host --workers 1":            {"host (1 worker)"},
		"gen:grid2d:30x30":                       {"gen:grid2d:30x30: 900 vertices", "ELL4 rows: ", " 14.4 kB\n"},
		"gen:star:9 T --memory-limit 1GB":        {"gen:star:9: 9 vertices, 8 edges", "\n\n", "t.el: 3 vertices, 2 edges"},
		"T --ids string --sources 1 --trials 2 ": {"1 source "},
	} {
		out, _ := foray(t, 0, append([]string{"bench"}, arguments(t, args, "")...)...)
		contains(t, out, want...)
	}
}

// TestBenchAlgorithms: couplings that dobfs lacks go to bfs only, and what only bfs
// has makes auto bfs.
func TestBenchAlgorithms(t *testing.T) {
	reverse, oneWay := pathGraph(t, true), pathGraph(t, false)
	for _, c := range []struct {
		args, want, oneWay string // oneWay where the graph has no reverse, if that differs
	}{
		{"--algo dobfs,bfs --coupling auto,two-phase,expand-contract,fused,quadratic",
			"[dobfs dobfs/expand-contract dobfs/fused bfs bfs/two-phase bfs/expand-contract bfs/fused bfs/quadratic]", ""},
		{"--algo bfs --balance twc,merge --culls auto,label+exact", "[bfs/twc bfs/twc/label+exact bfs/merge bfs/merge/label+exact]", ""},
		{"--algo bfs", "[bfs]", ""},
		{"--algo seq,dobfs --alpha 4", "[seq dobfs/alpha=4]", ""},
		{"--algo seq", "[seq]", ""},
		{"", "[dobfs]", "[bfs]"},
		{"--alpha 4 --beta 5", "[dobfs/alpha=4/beta=5]", "[bfs]"},
		{"--coupling fused,auto,expand-contract", "[dobfs/fused dobfs dobfs/expand-contract]", "[bfs/fused bfs bfs/expand-contract]"},
		{"--strategy read,auto", "[bfs/read bfs]", ""},
		{"--strategy auto", "[dobfs]", "[bfs]"},
		{"--balance twc", "[bfs/twc]", ""},
		{"--culls exact", "[bfs/exact]", ""},
		{"--coupling fused,two-phase", "[bfs/fused bfs/two-phase]", ""},
		{"--coupling quadratic-pull,fused", "[bfs/quadratic-pull bfs/fused]", ""},
	} {
		m, err := benchArguments(t, c.args).measured()
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
			continue
		}
		if got := fmt.Sprint(m.of(reverse)); got != c.want {
			t.Errorf("%q: %s, want %s", c.args, got, c.want)
		}
		if c.oneWay == "" {
			c.oneWay = c.want
		}
		if got := fmt.Sprint(m.of(oneWay)); got != c.oneWay {
			t.Errorf("%q without a reverse: %s, want %s", c.args, got, c.oneWay)
		}
		if got, want := m.onlySequential(), c.args == "--algo seq"; got != want {
			t.Errorf("%q: only the sequential search: %v", c.args, got)
		}
		if got, want := m.reverse(), strings.Contains(c.args, "dobfs") || strings.Contains(c.args, "pull"); got != want {
			t.Errorf("%q: asks for a reverse: %v", c.args, got)
		}
	}
}

// benchArguments are flags of bench as the command line has them.
func benchArguments(t *testing.T, args string) *benchFlags {
	t.Helper()
	f := benchFlags{algos: []string{"auto"}, strategies: []string{"auto"}, couplings: []string{"auto"}, balances: []string{"auto"}, culls: []string{"auto"}}
	for a := strings.Fields(args); len(a) > 1; a = a[2:] {
		lists := map[string]*[]string{"--algo": &f.algos, "--strategy": &f.strategies, "--coupling": &f.couplings, "--balance": &f.balances, "--culls": &f.culls}
		if list := lists[a[0]]; list != nil {
			*list = strings.Split(a[1], ",")
			continue
		}
		x, err := strconv.ParseFloat(a[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		*map[string]*float64{"--alpha": &f.alpha, "--beta": &f.beta}[a[0]] = x
	}
	return &f
}

// pathGraph is a directed path, with its reverse or without.
func pathGraph(t *testing.T, reverse bool) *graph.Graph {
	t.Helper()
	spec, err := gen.Parse("path:9")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.Build(t.Context(), spec, graph.Options{Directed: true, Reverse: reverse})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// someGPU is one that can't be used for anything.
type someGPU struct{ discrete.Device }

func (someGPU) Info() device.Info { return device.Info{Kind: "cuda", Name: "cuda:7"} }

// TestBenchOnGPU: what a GPU doesn't do is said with the device's name, and nothing
// was loaded by then.
func TestBenchOnGPU(t *testing.T) {
	for args, want := range map[string]string{
		"":                                   "",
		"--coupling fused":                   "",
		"--coupling two-phase --culls label": "",
		"--strategy read":                    "--strategy is for the host; the device is cuda:7",
		"--algo bfs,dobfs --strategy queue,hybrid":    "--strategy is for the host; the device is cuda:7",
		"--coupling fused --alpha 4":                  "",
		"--coupling contract-expand --culls label":    "coupling contract-expand needs exact culling",
		"--algo bfs --coupling fused --balance merge": "and neither Balance",
		"--culls bitmask":                             "bad option: culls bitmask would let a vertex through for ever",
	} {
		f := benchArguments(t, args)
		m, err := f.measured()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		err = m.checkOn(someGPU{}, bench.Options{Algorithms: m.algorithms})
		var usage *usageError
		if (err != nil) != (want != "") || err != nil && !errors.As(err, &usage) {
			t.Errorf("%q: %v", args, err)
		}
		if err != nil {
			contains(t, oneLine(err), want)
		}
	}
}

func TestBenchJSON(t *testing.T) {
	var orders [2][]*bench.Report
	for i, order := range []string{"given", "degree"} {
		out, _ := foray(t, 0, "bench", karate, "gen:kron8", "--json", "--sources", "5", "--trials", "2", "--order", order, "--algo", "bfs,dobfs")
		if err := json.Unmarshal([]byte(out), &orders[i]); err != nil {
			t.Fatal(err)
		}
	}
	rs := orders[0]
	if len(rs) != 2 || rs[0].Graph.Name != karate || rs[1].Graph.Name != "gen:kron8" {
		t.Fatalf("reports of %d graphs", len(rs))
	}
	k := rs[0]
	if k.Graph.Vertices != 34 || k.Graph.Edges != 78 || k.Graph.DirectedEdges != 156 || k.Graph.LoadMS <= 0 || k.Graph.PlaceMS < 0 ||
		len(k.Results) != 2 || len(k.Results[0].Sources) != 5 || len(k.Results[0].Sources[0].MS) != 2 || !k.Results[1].Checked {
		t.Errorf("%+v", k)
	}
	for _, r := range rs { // what they were measured on
		x := r.Results[0]
		if r.Device == "" || r.Units == 0 || r.CPUs == 0 || r.Version == "" || r.GoVersion == "" || r.Time == "" || runtime.GOOS+"/"+runtime.GOARCH != r.Platform || !(x.MinMS <= x.Q1MS && x.Q1MS <= x.MedianMS && x.MedianMS <= x.Q3MS && x.Q3MS <= x.MaxMS) {
			t.Errorf("%+v", r)
		}
	}
	for i, r := range rs {
		for j, s := range r.Results[0].Sources {
			o := orders[1][i].Results[0].Sources[j]
			if s.ID != o.ID || s.Reached != o.Reached || s.Levels != o.Levels || s.Edges != o.Edges {
				t.Errorf("%s: source %+v in the given order, %+v by degree", r.Graph.Name, s, o)
			}
		}
	}
}
