// This file holds the tests of degrees and of centralities that are powers of the adjacency matrix.

package conformance

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/degree"
	"github.com/foray-graph/foray/algos/eigenvector"
	"github.com/foray-graph/foray/algos/hits"
	"github.com/foray-graph/foray/algos/katz"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// Centralities compares degrees and centralities with their definitions, with and without weights, in both engines.
func (s Suite) Centralities(t *testing.T) {
	defer func(usual bool) { tuning.LevelByLevel = usual }(tuning.LevelByLevel)
	for _, byLevel := range []bool{false, true} {
		if byLevel && !s.GPU {
			continue // the host has one
		}
		tuning.LevelByLevel = byLevel
		t.Run(fmt.Sprintf("level by level %v", byLevel), s.centralities)
	}
}

func (s Suite) centralities(t *testing.T) {
	s.some(t, 83, []string{"one", "isolated", "hubs", "line", "skewed-reverse", "skewed-undirected"}, func(t *testing.T, p *graph.Placed, _ *rand.Rand) {
		if p.Graph().In() == nil {
			_, err := degree.Run(t.Context(), p, degree.Options{})
			_, err2 := hits.Run(t.Context(), p, hits.Options{})
			if !errors.Is(err, graph.ErrNoReverse) || !errors.Is(err2, graph.ErrNoReverse) {
				t.Fatal("without the reverse:", err, err2)
			}
			return
		}
		for _, g := range []*graph.Placed{turned(t, p, 1), wide(t, p)} {
			for _, weighted := range []bool{false, true} {
				if !weighted && !g.Graph().State().ExactWeights() {
					continue
				}
				if err := s.central(t, g, weighted); err != nil {
					t.Fatalf("weighted %v, weights of 32 bits %v: %v", weighted, g.Graph().State().ExactWeights(), err)
				}
			}
		}
	})
}

// central runs them on one graph.
func (s Suite) central(t *testing.T, p *graph.Placed, weighted bool) error {
	g := p.Graph()
	check := func(name string, r io.Closer, err error, validate func() error) error {
		if err == nil {
			err = errors.Join(validate(), r.Close())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	for _, o := range []degree.Options{{Weighted: weighted}, {In: true, Weighted: weighted}, {Out: true, Weighted: weighted}} {
		r, err := degree.Run(t.Context(), p, o)
		if err := check(fmt.Sprintf("%+v", o), r, err, func() error { return degree.Validate(g, r, o) }); err != nil {
			return err
		}
	}
	e := eigenvector.Options{Iterations: 7, Tolerance: 1e-4, Weighted: weighted}
	central, err := eigenvector.Run(t.Context(), p, e)
	if err := check("eigenvector", central, err, func() error { return eigenvector.Validate(g, central, e) }); err != nil {
		return err
	}
	h := hits.Options{Iterations: 6, Tolerance: 1e-3, Weighted: weighted}
	both, err := hits.Run(t.Context(), p, h)
	if err := check("hits", both, err, func() error { return hits.Validate(g, both, h) }); err != nil {
		return err
	}
	k := katz.Options{Alpha: 1e-6, Iterations: 6, Tolerance: 1e-9, Weighted: weighted}
	walks, err := katz.Run(t.Context(), p, k)
	if err := check("katz", walks, err, func() error { return katz.Validate(g, walks, k) }); err != nil {
		return err
	}
	if k.Alpha, k.Iterations = 1e3, 2000; !weighted && !g.Directed() && g.NumEdges() > 0 {
		if _, err := katz.Run(t.Context(), p, k); !errors.Is(err, graph.ErrOptions) {
			return fmt.Errorf("katz with a large Alpha: %w", err)
		}
	}
	return nil
}

// wide returns the graph with weights that float32 doesn't hold.
func wide(t *testing.T, p *graph.Placed) *graph.Placed {
	t.Helper()
	g := p.Graph()
	b := graph.NewBuilder(graph.Options{Directed: g.Directed(), Reverse: true, KeepSelfLoops: true, KeepDuplicates: true, Weights: true,
		DenseIDs: true, Vertices: uint64(g.NumVertices()), Order: graph.OrderGiven})
	batch := graph.Batch{Type: graph.Int64}
	for v := range uint32(g.NumVertices()) {
		for _, u := range g.Out().Neighbors(v) {
			if g.Directed() || u <= v {
				batch.Src, batch.Dst, batch.FloatWeights = append(batch.Src, int64(v)), append(batch.Dst, int64(u)), append(batch.FloatWeights, float64(v^u)/3)
			}
		}
	}
	if err := b.Add(batch); err != nil {
		t.Fatal(err)
	}
	h, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q, err := h.On(p.Device())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close() })
	return q
}
