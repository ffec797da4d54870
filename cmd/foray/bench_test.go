// This file holds the tests of the bench command.

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/foray-graph/foray/bench"
)

func TestBenchPrints(t *testing.T) {
	out, _ := foray(t, 0, "bench", karate, "--algo", "bfs,dobfs", "--algo", "seq", "--strategy", "queue,hybrid", "--workers", "2")
	want := `../../testdata/karate.parquet: 34 vertices, 78 edges, undirected, order given; loaded in #
host (#), 16 sources (seed 1), 3 trials each; depths, every source checked
prepared once: placing #; what pulls need: #, 152 B; rows of fixed width: none
 algorithm min ms median ms max ms GTEPS levels
 bfs/queue # # # R 4 to 6
 bfs/hybrid # # # R 4 to 6
 dobfs # # # R 4 to 6
 seq # # # R 4 to 6
`
	got := masked(out)
	lines := strings.Split(got, "\n")
	for i, l := range lines {
		if f := strings.Fields(l); len(f) == 8 && f[1] == "#" {
			f[4] = "R"
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
		"K":                                      {"dobfs"},
		"K --directed":                           {"directed", "bfs "},
		"K --directed --algo dobfs":              {"directed", "dobfs"},
		"K --algo bfs --strategy read":           {"bfs/read"},
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
		"gen:grid2d:30x30":                       {"gen:grid2d:30x30: 900 vertices", "rows of fixed width: ", " 14.4 kB\n"},
		"gen:star:9 T --memory-limit 1GB":        {"gen:star:9: 9 vertices, 8 edges", "\n\n", "t.el: 3 vertices, 2 edges"},
		"T --ids string --sources 1 --trials 2 ": {"1 source "},
	} {
		out, _ := foray(t, 0, append([]string{"bench"}, arguments(t, args, "")...)...)
		contains(t, out, want...)
	}
}

// TestBenchAlgorithms: couplings that dobfs lacks go to bfs only.
func TestBenchAlgorithms(t *testing.T) {
	auto := []string{"auto"}
	f := benchFlags{algos: []string{"dobfs", "bfs"}, strategies: auto, balances: auto, culls: auto,
		couplings: []string{"auto", "two-phase", "expand-contract", "fused", "quadratic"}}
	list, gpu, err := f.algorithms()
	if err != nil || !gpu {
		t.Fatalf("for a GPU: %v, %v", gpu, err)
	}
	got := fmt.Sprint(list)
	want := "[dobfs dobfs/expand-contract dobfs/fused bfs bfs/two-phase bfs/expand-contract bfs/fused bfs/quadratic]"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}

	f.algos, f.couplings, f.balances, f.culls = []string{"bfs"}, auto, []string{"twc", "merge"}, []string{"auto", "label+exact"}
	list, gpu, err = f.algorithms()
	want = "[bfs/twc bfs/twc/label+exact bfs/merge bfs/merge/label+exact]"
	if got = fmt.Sprint(list); got != want || !gpu || err != nil {
		t.Errorf("got %s (for a GPU: %v, %v), want %s", got, gpu, err, want)
	}

	f.balances, f.culls = auto, auto
	if list, gpu, err = f.algorithms(); fmt.Sprint(list) != "[bfs]" || gpu || err != nil {
		t.Errorf("got %v (for a GPU: %v, %v), want bfs", list, gpu, err)
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
	for i, r := range rs {
		for j, s := range r.Results[0].Sources {
			o := orders[1][i].Results[0].Sources[j]
			if s.ID != o.ID || s.Reached != o.Reached || s.Levels != o.Levels || s.Edges != o.Edges {
				t.Errorf("%s: source %+v in the given order, %+v by degree", r.Graph.Name, s, o)
			}
		}
	}
}
