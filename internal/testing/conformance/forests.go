// This file holds the tests of algorithms that grow spanning forests, and of those that look for dense parts.

package conformance

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/bridges"
	"github.com/foray-graph/foray/algos/kclique"
	"github.com/foray-graph/foray/algos/ktruss"
	"github.com/foray-graph/foray/algos/msf"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/traverse"
)

// AlgorithmMSF compares spanning forests with Kruskal's, by each engine.
func (s Suite) AlgorithmMSF(t *testing.T) {
	test := func(t *testing.T, p *graph.Placed, o msf.Options) {
		r, err := msf.Run(t.Context(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(msf.Validate(p.Graph(), r, o), r.Close()); err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
	}
	s.greedily(t, func(t *testing.T, p *graph.Placed, _ uint64, e traverse.Engine) {
		test(t, p, msf.Options{Unweighted: true, Engine: e})
	})
	r := rand.New(rand.NewPCG(6, 7))
	for i := range s.times(80, 16) { // directed and not, with weights of each type
		g, _ := testgraph.Loaded(r, 300)
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		test(t, p, msf.Options{Maximum: i%2 == 0, Unweighted: g.WeightType() == graph.WeightsAuto})
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// AlgorithmBridges compares biconnected components with those of a depth-first search, by each engine.
func (s Suite) AlgorithmBridges(t *testing.T) {
	s.greedily(t, func(t *testing.T, p *graph.Placed, _ uint64, e traverse.Engine) {
		r, err := bridges.Run(t.Context(), p, bridges.Options{Engine: e})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(bridges.Validate(p.Graph(), r), r.Close()); err != nil {
			t.Fatal(err)
		}
	})
}

// AlgorithmTrusses compares the trussness of edges with removing them one by one, by each engine.
func (s Suite) AlgorithmTrusses(t *testing.T) {
	s.greedily(t, func(t *testing.T, p *graph.Placed, _ uint64, e traverse.Engine) {
		r, err := ktruss.Run(t.Context(), p, ktruss.Options{Engine: e})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(ktruss.Validate(p.Graph(), r), r.Close()); err != nil {
			t.Fatal(err)
		}
	})
}

// AlgorithmCliques compares numbers of cliques with an enumeration.
func (s Suite) AlgorithmCliques(t *testing.T) {
	s.greedily(t, func(t *testing.T, p *graph.Placed, _ uint64, _ traverse.Engine) {
		for _, o := range []kclique.Options{{}, {K: 4}} {
			r, err := kclique.Run(t.Context(), p, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(kclique.Validate(p.Graph(), r, o), r.Close()); err != nil {
				t.Fatal(err)
			}
		}
	})
}
