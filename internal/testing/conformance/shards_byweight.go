// This file holds the tests of shortest paths over rows by weight on several devices.

package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// ShardsByWeight finds shortest paths over rows by weight of graphs that are divided into shards on several devices.
// Distances and parents match Dijkstra's algorithm.
func (s Suite) ShardsByWeight(t *testing.T) {
	degree, edges := tuning.ByWeightDegree, tuning.ByWeightEdges
	tuning.ByWeightDegree, tuning.ByWeightEdges = 0, 0
	defer func() { tuning.ByWeightDegree, tuning.ByWeightEdges = degree, edges }()
	t.Run("random", func(t *testing.T) {
		s.shardsInputs(t, 150, testlong.Rounds(s.times(100, 10), s.times(4000, 100)), s.pathsOnce)
	})
	specs := []string{"kron11:weights=1:255", "kron12:edgefactor=40,weights=0:3", "urand10:weights=1:255", "star:3000,weights=1:9"}
	if !s.Small {
		specs = append(specs, "kron16:weights=1:255", "urand16:weights=1:255", "kron14:edgefactor=200,weights=1:9")
	}
	for i, spec := range specs {
		t.Run(spec, func(t *testing.T) {
			maker, err := gen.Parse(spec)
			if err != nil {
				t.Fatal(err)
			}
			g, err := gen.Build(t.Context(), maker, graph.Options{Order: graph.OrderDegree, Weights: true})
			if err != nil {
				t.Fatal(err)
			}
			s.byWeightOf(t, g, uint64(i))
		})
	}
	t.Run("tail", func(t *testing.T) { s.byWeightOf(t, tail(t), 7) })
}

// tail has a star of many edges, and a path behind one of its leaves: after some sweeps its end is pushed.
func tail(t *testing.T) *graph.Graph {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var e graph.Batch
	e.Type = graph.Int64
	add := func(a, b int, w float32) {
		e.Src, e.Dst, e.Weights = append(e.Src, int64(a)), append(e.Dst, int64(b)), append(e.Weights, w)
	}
	for v := 1; v < 2000; v++ {
		add(0, v, float32(1+r.IntN(3)))
	}
	for v := 1999; v < 2030; v++ { // near first, far later
		add(v, v+1, float32(50+r.IntN(3)))
		add(v, 1+r.IntN(1998), float32(6000+r.IntN(3)))
	}
	b := graph.NewBuilder(graph.Options{Weights: true, Order: graph.OrderDegree})
	if err := b.Add(e); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// byWeightOf searches a graph from several vertices, until searches go over rows by weight, and then.
func (s Suite) byWeightOf(t *testing.T, g *graph.Graph, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 5))
	used := s.used()
	before := used()
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	search, err := sssp.NewSearcher(p, sssp.Options{Parents: true, Float32: seed%3 == 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, byWeight := 0, false; i < 8; i++ {
		q := sssp.Query{Sources: []uint32{uint32(g.DegreeHistogram().MaxVertex)}}
		for i > 0 && len(q.Sources) < 1+r.IntN(3) {
			q.Sources = append(q.Sources, r.Uint32N(uint32(g.NumVertices())))
		}
		if i > 4 {
			q.Limit = float64(10 * i)
		}
		res, err := search.Run(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if byWeight = byWeight || i > 0; res.ByWeight != byWeight {
			t.Errorf("search %d: by weight %v", i, res.ByWeight)
		}
		if err := s.foundPaths(g, q, res); err != nil {
			t.Errorf("search %d from %v, %d rounds: %v", i, q.Sources, res.Stats.Rounds, err)
		}
	}
	res, err := sssp.Run(t.Context(), p, 0, sssp.Options{Prepare: sssp.PrepareNever})
	if err == nil && res.ByWeight {
		err = fmt.Errorf("by weight, although it may not prepare")
	}
	if err := errors.Join(err, res.Close(), search.Close(), p.Close(), g.Close()); err != nil {
		t.Error(err)
	}
	if left := used(); left != before {
		t.Errorf("%d bytes are left", left-before)
	}
}
