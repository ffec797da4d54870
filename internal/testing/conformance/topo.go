// This file holds the tests of topological levels.

package conformance

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/topo"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/traverse"
)

// acyclic returns a random graph with weights and without cycles; one in ten has a cycle all the same.
func acyclic(r *rand.Rand, n int) *graph.Graph {
	order, es := r.Perm(n), []testgraph.Edge{}
	for range r.IntN(6 * n) {
		a, b := r.IntN(n), r.IntN(1+r.IntN(n))
		if a != b {
			es = append(es, testgraph.Edge{From: uint32(order[min(a, b)]), To: uint32(order[max(a, b)])})
		}
	}
	if len(es) > 0 && r.IntN(10) == 0 {
		e := es[r.IntN(len(es))]
		es = append(es, testgraph.Edge{From: e.To, To: e.From})
	}
	return testgraph.BuildWeighted(n, es, []testgraph.Kind{testgraph.Directed, testgraph.WithReverse}[r.IntN(2)], r.Uint64())
}

// AlgorithmTopo compares levels and lengths with the oracle's, by each engine, and finds cycles.
func (s Suite) AlgorithmTopo(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for i := range s.times(60, 16) {
		g := acyclic(r, 1+r.IntN(300))
		if i == 0 {
			g = testgraph.BuildWeighted(3, nil, testgraph.Directed, 1)
		}
		if i%3 == 1 {
			g = inDoubles(t, g)
		}
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		level, length := oracle.Levels(g)
		got, err := topo.Run(t.Context(), p, topo.Options{Weighted: i%4 > 0, Engine: []traverse.Engine{traverse.LevelByLevel, traverse.Persistent}[i/2%2]})
		switch cycle := (*topo.CycleError)(nil); {
		case level == nil && !errors.As(err, &cycle):
			t.Fatalf("graph %d has a cycle, but got %v", i, err)
		case level == nil:
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			continue
		case err != nil:
			t.Fatal(i, err)
		}
		levels, err := got.Level.Slice()
		if err != nil || !slices.Equal(levels, level) {
			t.Fatalf("graph %d: levels differ from the oracle's, %v", i, err)
		}
		if got.Length != nil {
			if lengths, err := got.Length.Slice(); err != nil || !slices.Equal(lengths, length) {
				t.Fatalf("graph %d: lengths differ from the oracle's, %v", i, err)
			}
		}
		if err := errors.Join(topo.Validate(g, got), got.Close(), p.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// inDoubles returns the graph with weights that float32 doesn't hold.
func inDoubles(t *testing.T, g *graph.Graph) *graph.Graph {
	t.Helper()
	with := func(c graph.CSR) graph.CSR {
		c.FloatWeights = make([]float64, len(c.Weights))
		for e, w := range c.Weights {
			c.FloatWeights[e] = float64(w) + 0.1
		}
		return c
	}
	o := graph.CSROptions{Directed: true}
	if in := g.In(); in != nil {
		turned := with(*in)
		o.In = &turned
	}
	h, err := graph.FromCSR(with(*g.Out()), o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
