// This file holds the tests of batches.

package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// Batches searches from many vertices in one call. Results come in the order of
// the sources and match single searches, also after a batch that ended
// early for any reason.
func (s Suite) Batches(t *testing.T) {
	used := s.used()
	vs := s.variants()
	if s.Small { // the variants that a batch runs ahead of, and a few others
		vs = vs[:min(5, len(vs))]
	}
	s.some(t, 67, []string{"one", "two", "sparse-65", "skewed-reverse", "line", "components"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		before := used()
		p, err := p.Graph().On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { // memory that is kept for later searches is freed with the placed graph
			if err := p.Close(); err != nil || used() != before {
				t.Errorf("freeing the graph: %v; %d bytes are left, there were %d", err, used(), before)
			}
		}()
		for _, v := range vs {
			for _, o := range []bfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents, DepthLimit: 3}, {Outputs: bfs.Parents, ByID: true}} {
				if !v.fits(p.Graph(), o) {
					continue
				}
				make := func() *bfs.Searcher {
					one, err := v.searcher(p, o)
					if err != nil {
						t.Fatalf("%s: %v", v.name, err)
					}
					return one
				}
				one := make()
				batch(t, v.name, one, p, o, r)
				broken(t, v.name, one, p, r)
				batch(t, v.name, one, p, o, r)
				if err := one.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// used returns a function that returns how much of the device's memory is in use,
// if the device counts it.
func (s Suite) used() func() uint64 {
	if d, ok := s.Device.(interface{ Used() uint64 }); ok {
		return d.Used
	}
	return func() uint64 { return 0 }
}

func randomSources(p *graph.Placed, r *rand.Rand, n int) []uint32 {
	sources := make([]uint32, n)
	for i := range sources {
		sources[i] = uint32(r.IntN(p.NumVertices()))
	}
	return sources
}

// batch searches from some vertices.
func batch(t *testing.T, name string, one *bfs.Searcher, p *graph.Placed, o bfs.Options, r *rand.Rand) {
	t.Helper()
	sources, next := randomSources(p, r, 1+r.IntN(6)), 0
	err := testgraph.Each(one.Batch(context.Background(), sources), func(i int, found *bfs.Result) error {
		if i != next {
			t.Errorf("%s: result %d comes after %d", name, i, next-1)
		}
		next++
		return testsearch.Check(p.Graph(), sources[i:i+1], o, found)
	})
	if err == nil && next != len(sources) {
		t.Errorf("%s: %d results of %d searches", name, next, len(sources))
	}
	if err != nil {
		t.Fatalf("%s, from %v: %v", name, sources, err)
	}
}

var errEnough = errors.New("enough")

// broken runs batches that end early.
func broken(t *testing.T, name string, one *bfs.Searcher, p *graph.Placed, r *rand.Rand) {
	t.Helper()
	sources := randomSources(p, r, 5)
	at, seen := r.IntN(4), 0
	err := testgraph.Each(one.Batch(context.Background(), sources), func(i int, _ *bfs.Result) error {
		seen++
		if i == at {
			return errEnough
		}
		return nil
	})
	if err != errEnough || seen != at+1 {
		t.Errorf("%s: yield's error at %d: %v after %d results", name, at, err, seen)
	}

	sources[3], seen = uint32(p.NumVertices()), 0
	err = testgraph.Each(one.Batch(context.Background(), sources), func(i int, _ *bfs.Result) error {
		seen++
		return nil
	})
	if !errors.Is(err, graph.ErrNoVertex) || seen != 3 || !strings.Contains(err.Error(), "bfs: search from sources[3], of 5: ") || strings.Count(err.Error(), "bfs: ") > 1 {
		t.Errorf("%s: source 3 isn't in the graph: %v after %d results", name, err, seen)
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	seen = 0
	err = testgraph.Each(one.Batch(ctx, sources[:3]), func(int, *bfs.Result) error {
		seen++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || seen != 1 {
		t.Errorf("%s: canceled during the first result: %v after %d results", name, err, seen)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Errorf("%s: a panic of yield is lost", name)
			}
		}()
		_ = testgraph.Each(one.Batch(context.Background(), sources[:2]), func(int, *bfs.Result) error { panic("yield") })
	}()
}
