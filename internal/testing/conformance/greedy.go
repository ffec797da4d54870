// This file holds the tests of algorithms that take vertices by random priorities.

package conformance

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/color"
	"github.com/foray-graph/foray/algos/mis"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/traverse"
)

// greedily calls test for graphs of all kinds, with each engine.
func (s Suite) greedily(t *testing.T, test func(t *testing.T, p *graph.Placed, seed uint64, e traverse.Engine)) {
	s.some(t, 83, []string{"one", "isolated", "hubs", "line", "skewed-reverse", "skewed-undirected"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		test(t, p, r.Uint64N(3), []traverse.Engine{traverse.LevelByLevel, traverse.Persistent}[r.IntN(2)])
	})
	r := rand.New(rand.NewPCG(5, 7))
	for i := range s.times(60, 16) { // in all orders, by degree among them
		p, err := testgraph.Random(r, 4+r.IntN(300), 1+r.IntN(12), true).On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		test(t, p, r.Uint64(), []traverse.Engine{traverse.LevelByLevel, traverse.Persistent}[i%2])
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// AlgorithmMIS compares maximal independent sets with the oracle's, by each engine.
func (s Suite) AlgorithmMIS(t *testing.T) {
	s.greedily(t, func(t *testing.T, p *graph.Placed, seed uint64, e traverse.Engine) {
		r, err := mis.Run(t.Context(), p, mis.Options{Seed: seed, Engine: e})
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Member.Slice()
		if err != nil || !slices.Equal(got, oracle.Independent(p.Graph(), seed)) {
			t.Fatalf("%v: the set differs from the oracle's, %v", e, err)
		}
		if err := errors.Join(mis.Validate(p.Graph(), r), r.Close()); err != nil {
			t.Fatal(err)
		}
	})
}

// AlgorithmColor compares colors with the oracle's, by each engine. A clique takes more colors than a vertex looks at at once.
func (s Suite) AlgorithmColor(t *testing.T) {
	test := func(t *testing.T, p *graph.Placed, seed uint64, e traverse.Engine) {
		o := color.Options{Seed: seed, LargestFirst: seed%2 == 0, Engine: e}
		r, err := color.Run(t.Context(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Color.Slice()
		if err != nil || !slices.Equal(got, oracle.Colors(p.Graph(), seed, o.LargestFirst)) {
			t.Fatalf("%+v: colors differ from the oracle's, %v", o, err)
		}
		if err := errors.Join(color.Validate(p.Graph(), r), r.Close()); err != nil {
			t.Fatal(err)
		}
	}
	s.greedily(t, test)
	var es []testgraph.Edge
	for v := range uint32(140) {
		for w := range v {
			es = append(es, testgraph.Edge{From: v, To: w})
		}
	}
	p, err := testgraph.Build(140, es, testgraph.Undirected).On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	test(t, p, 1, traverse.AutoEngine)
	test(t, p, 2, traverse.LevelByLevel)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}
