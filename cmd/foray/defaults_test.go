package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/algos/lpa"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// TestDefaultsOfPackages: flags and packages have the same defaults and bounds.
func TestDefaultsOfPackages(t *testing.T) {
	p := testgraph.Place(testgraph.ByName("skewed-undirected").Graph(1), 1)
	_, few := lpa.Run(t.Context(), p, lpa.Options{Iterations: -1})
	_, rounds := pagerank.Run(t.Context(), p, pagerank.Options{Iterations: -1})
	_, lanes := closeness.Run(t.Context(), p, closeness.Options{Lanes: -1})
	group := newGroup("lpa")
	new(lpaCalculation).addFlags(group)
	for _, c := range []struct {
		err  error
		want string
	}{
		{few, "or 0 for " + group.flags.Lookup("iterations").DefValue},
		{rounds, fmt.Sprintf("or 0 for %d", defaultIterations)},
		{lanes, fmt.Sprintf("1 to %d,", mostLanes)},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("package: %v, command: %q", c.err, c.want)
		}
	}

	ranks := func(o pagerank.Options) []float64 {
		r, err := pagerank.Run(t.Context(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Clone(testgraph.Array(r.Ranks.Slice()))
	}
	if !slices.Equal(ranks(pagerank.Options{}), ranks(pagerank.Options{Damping: defaultDamping, Tolerance: defaultTolerance})) {
		t.Error("damping and tolerance aren't those of package pagerank")
	}

	r, err := dobfs.Run(t.Context(), p, 0, dobfs.Options{Tuning: bfs.Tuning{Alpha: defaultAlpha, Beta: defaultBeta}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Tuning) > 0 {
		t.Errorf("%v aren't the defaults of dobfs", r.Tuning)
	}
}
