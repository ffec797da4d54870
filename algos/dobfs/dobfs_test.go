package dobfs_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// factors has the factors of the switch: the defaults, and the ends of their range
// in all combinations, with which it turns as early or as late as it can.
var factors = map[string]dobfs.Options{
	"default":       {},
	"eager":         {Tuning: bfs.Tuning{Alpha: 1e9, Beta: 1e9}},
	"never":         {Tuning: bfs.Tuning{Alpha: 1e-9, Beta: 1e-9}},
	"to and fro":    {Tuning: bfs.Tuning{Alpha: 1e9, Beta: 1e-9}},
	"late for good": {Tuning: bfs.Tuning{Alpha: 1e-9, Beta: 1e9}},
}

func search(f dobfs.Options) testsearch.Search {
	return testsearch.Search{
		Run: func(ctx context.Context, p *graph.Placed, sources []uint32, o bfs.Options) (*bfs.Result, error) {
			f := f // searches run side by side
			f.Outputs, f.DepthLimit, f.Targets = o.Outputs, o.DepthLimit, o.Targets
			f.Stats, f.EachLevel = o.Stats, o.EachLevel
			if len(sources) == 1 {
				return dobfs.Run(ctx, p, sources[0], f)
			}
			return dobfs.RunMultiSource(ctx, p, sources, f)
		},
		Algorithm: "dobfs",
		Reverse:   true,
		Brief:     f.Tuning.Alpha != 0,
	}
}

// TestFactors runs the suite with each pair of factors.
func TestFactors(t *testing.T) {
	testlong.Project(t)
	for name, f := range factors {
		t.Run(name, func(t *testing.T) { search(f).Test(t) })
	}
}

// directions searches and returns the directions of the levels, runs of the
// same one merged.
func directions(t *testing.T, p *graph.Placed, source uint32, f dobfs.Options) string {
	t.Helper()
	f.Stats, f.Outputs = true, bfs.Depths|bfs.Parents
	r, err := dobfs.Run(context.Background(), p, source, f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := testsearch.Check(p.Graph(), []uint32{source}, bfs.Options{Outputs: bfs.Depths | bfs.Parents, Stats: true}, r); err != nil {
		t.Fatal(err)
	}
	var seq []string
	for _, l := range r.Stats {
		if d := l.Direction; len(seq) == 0 || seq[len(seq)-1] != d {
			seq = append(seq, d)
		}
	}
	return strings.Join(seq, " ")
}

// TestDirections keeps the suite from being one of pushes only: on the graphs
// that the search is for it pulls, and with the factors at their ends it turns
// where it must and doesn't where it must not.
func TestDirections(t *testing.T) {
	g := testgraph.Uniform(50_000, 8, testgraph.Undirected).Graph(1)
	p := testgraph.Place(g, 2)
	for name, wants := range map[string][]string{
		"default":       {"push pull", "push pull push"},
		"never":         {"push"},
		"late for good": {"push"},
	} {
		got := directions(t, p, 1, factors[name])
		ok := false
		for _, want := range wants {
			ok = ok || got == want
		}
		if !ok {
			t.Errorf("%s: %s, want one of %q", name, got, wants)
		}
	}
	if got := directions(t, p, 1, factors["eager"]); !strings.Contains(got, "pull") {
		t.Errorf("eager: %s", got)
	}
	// A path has nothing to pull for.
	long := testgraph.Place(testgraph.Path(20_000).Graph(1), 2)
	if got := directions(t, long, 0, dobfs.Options{}); got != "push" {
		t.Errorf("a path: %s", got)
	}
}

// TestThereAndBackAgain has two dense parts joined by a long path: the search
// pulls in each and pushes between, starting with either.
func TestThereAndBackAgain(t *testing.T) {
	const part, bridge = 20_000, 300
	dense := testgraph.Uniform(part, 10, testgraph.Directed).Graph(3).Out()
	var es []testgraph.Edge
	for v := range uint32(part) {
		for _, u := range dense.Neighbors(v) {
			es = append(es, testgraph.Edge{From: v, To: u}, testgraph.Edge{From: part + v, To: part + u})
		}
	}
	last := uint32(0)
	for i := range uint32(bridge) {
		es = append(es, testgraph.Edge{From: last, To: 2*part + i})
		last = 2*part + i
	}
	es = append(es, testgraph.Edge{From: last, To: part})
	for _, kind := range []testgraph.Kind{testgraph.Undirected, testgraph.WithReverse} {
		g := testgraph.Build(2*part+bridge, es, kind)
		for _, workers := range []int{1, 3} {
			p := testgraph.Place(g, workers)
			if got := directions(t, p, 5, dobfs.Options{}); got != "push pull push pull push" && got != "push pull push pull" {
				t.Errorf("%s, %d workers: %s", kind, workers, got)
			}
		}
	}
}

func TestFactorsRefused(t *testing.T) {
	p := testgraph.Place(testgraph.ByName("path").Graph(1), 2)
	for _, o := range []dobfs.Options{
		{Tuning: bfs.Tuning{Alpha: -1}}, {Tuning: bfs.Tuning{Strategy: "hybrid"}}, {Tuning: bfs.Tuning{CountCulls: true}}, {Tuning: bfs.Tuning{Beta: -0.001}}, {Tuning: bfs.Tuning{Alpha: math.Inf(-1)}},
		{Tuning: bfs.Tuning{Alpha: math.NaN()}}, {Tuning: bfs.Tuning{Beta: math.NaN()}},
	} {
		if r, err := dobfs.Run(context.Background(), p, 0, o); !errors.Is(err, graph.ErrOptions) || r != nil {
			t.Errorf("alpha %g, beta %g: %v", o.Tuning.Alpha, o.Tuning.Beta, err)
		}
	}
	for _, o := range []dobfs.Options{{Tuning: bfs.Tuning{Alpha: math.Inf(1)}}, {Tuning: bfs.Tuning{Beta: math.Inf(1)}}, {Tuning: bfs.Tuning{Alpha: 1e-300, Beta: 1e300}}} {
		directions(t, p, 0, o)
	}
}
