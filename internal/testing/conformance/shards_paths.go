// This file holds the tests of shortest paths over several devices.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/traverse"
)

// shardsWeights are ways to draw weights.
var shardsWeights = []func(r *rand.Rand) float32{
	func(r *rand.Rand) float32 { return float32(1 + r.IntN(255)) },
	func(r *rand.Rand) float32 { return r.Float32() },
	func(r *rand.Rand) float32 { return float32(r.IntN(3) / 2) },
	func(*rand.Rand) float32 { return 0 },
	func(r *rand.Rand) float32 {
		return float32(math.Ldexp(r.Float64(), []int{-149, -130, -20, 0, 20, 100, 127}[r.IntN(7)]))
	},
	func(r *rand.Rand) float32 { return []float32{float32(math.Inf(1)), 1, 2.5, math.MaxFloat32}[r.IntN(4)] },
	func(r *rand.Rand) float32 { return float32(math.Copysign(0, -1)) * float32(r.IntN(2)) },
}

// ShardsPaths finds shortest paths in graphs that are divided into shards on several devices, with all options. Distances
// and parents match Dijkstra's algorithm, and no memory stays in use on any device.
func (s Suite) ShardsPaths(t *testing.T) {
	s.shardsInputs(t, 149, testlong.Rounds(s.times(100, 5), s.times(4000, 60)), s.pathsOnce)
}

func (s Suite) pathsOnce(t *testing.T, r *rand.Rand) {
	t.Helper()
	var g *graph.Graph
	what := "random"
	if all := append(testgraph.Tiny(), testgraph.Small()...); r.IntN(3) == 0 {
		c := all[r.IntN(len(all))]
		g, what = c.Weighted(r.Uint64()), fmt.Sprint(c.Name, " ", c.Kind)
	} else {
		g = s.shardsWeighted(t, r, shardsWeights[r.IntN(len(shardsWeights))])
	}
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(p.Close(), g.Close()); err != nil {
			t.Error(err)
		}
	}()
	n := g.NumVertices()
	if n == 0 {
		if _, err := sssp.Run(t.Context(), p, 0, sssp.Options{}); !errors.Is(err, graph.ErrNoVertex) {
			t.Errorf("of no vertices: %v", err)
		}
		return
	}
	o := sssp.Options{Float32: r.IntN(2) == 0, Delta: []float64{0, 0, math.Inf(1), float64(s.times(1, 20)), 50, 1e30}[r.IntN(6)], Parents: r.IntN(3) > 0, Stats: r.IntN(3) == 0,
		Prepare: []sssp.Preparation{sssp.PrepareAuto, sssp.PrepareAlways, sssp.PrepareAlways, sssp.PrepareNever}[r.IntN(4)]}
	search, err := sssp.NewSearcher(p, o)
	if err != nil {
		t.Fatal(err)
	}
	for range 1 + r.IntN(3) {
		q := sssp.Query{}
		for range []int{1, 1, 1, 2, 40}[r.IntN(5)] {
			q.Sources = append(q.Sources, r.Uint32N(uint32(n)))
		}
		if r.IntN(3) == 0 {
			for range 1 + r.IntN(3) {
				q.Targets = append(q.Targets, r.Uint32N(uint32(n)))
			}
		}
		if r.IntN(3) == 0 {
			q.Limit = []float64{1e-30, 0.5, 3, 200, 1e30}[r.IntN(5)]
		}
		res, err := search.Run(t.Context(), q)
		if overflows(g, o, q) {
			if err = expectOverflow(res, err); err == nil {
				continue
			}
		} else if err == nil {
			err = s.foundPaths(g, q, res)
		}
		if err != nil {
			t.Errorf("%s, %d vertices, %d edges, directed %v, %+v, from %v to %v within %v: %v", what, n, g.NumEdges(), g.Directed(), o, q.Sources, q.Targets, q.Limit, err)
			break
		}
	}
	if err := search.Close(); err != nil {
		t.Error(err)
	}
}

// foundPaths compares the result of a search with Dijkstra's algorithm.
func (s Suite) foundPaths(g *graph.Graph, q sssp.Query, res *sssp.Result) error {
	if err := comparePaths(g, q, res); err != nil {
		return err
	}
	distances, err := res.Distances.Slice()
	if err != nil {
		return err
	}
	reached := 0
	for _, d := range distances {
		if !math.IsInf(d, 1) {
			reached++
		}
	}
	if name := s.Device.Info().Name; res.Reached != reached || res.Stats.Device != name {
		return fmt.Errorf("%d reached on %s, want %d on %s", res.Reached, res.Stats.Device, reached, name)
	}
	return sssp.Validate(g, res)
}

// pathsTo searches for two targets, with parents.
func (s Suite) pathsTo(t *testing.T, p *graph.Placed, g *graph.Graph) error {
	q := sssp.Query{Sources: []uint32{1}, Targets: []uint32{2, 3}}
	res, err := sssp.Run(t.Context(), p, 1, sssp.Options{Parents: true, Targets: q.Targets})
	if err != nil {
		return err
	}
	return errors.Join(s.foundPaths(g, q, res), res.Close())
}

// pathsCanceled ends searches at some round, and searches again, from several goroutines.
func (s Suite) pathsCanceled(t *testing.T, p *graph.Placed) {
	t.Helper()
	g := p.Graph()
	for at := range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		if at == 0 {
			cancel()
		}
		rounds := 0
		o := sssp.Options{Parents: true, Delta: 1, EachLevel: func(traverse.Level) {
			if rounds++; rounds == at {
				cancel()
			}
		}}
		if _, err := sssp.Run(ctx, p, 0, o); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled in round %d: %v", at, err)
		}
		cancel()
		q := sssp.Query{Sources: []uint32{0}}
		res, err := sssp.Run(t.Context(), p, 0, sssp.Options{Parents: true})
		if err == nil {
			err = errors.Join(s.foundPaths(g, q, res), res.Close())
		}
		if err != nil {
			t.Errorf("after that: %v", err)
		}
	}
	errs := make(chan error)
	const together = 4
	for i := range together {
		go func() {
			var errsOf []error
			for j := range 3 {
				ctx, cancel := context.WithCancel(t.Context())
				if j == i%3 { // at whatever moment
					go cancel()
				}
				from := uint32((i*3 + j) % g.NumVertices())
				res, err := sssp.Run(ctx, p, from, sssp.Options{Parents: true})
				if err == nil {
					err = errors.Join(s.foundPaths(g, sssp.Query{Sources: []uint32{from}}, res), res.Close())
				} else if j == i%3 && errors.Is(err, context.Canceled) {
					err = nil
				}
				cancel()
				errsOf = append(errsOf, err)
			}
			errs <- errors.Join(errsOf...)
		}()
	}
	for range together {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
