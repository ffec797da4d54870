// This file holds the test of queries: targets and limits by search.

package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// Queries makes searchers and pools search with and without targets and limits
// per search, in turn, including those that search in one kernel: within their
// estimated memory.
func (s Suite) Queries(t *testing.T) {
	used := s.used()
	s.some(t, 149, []string{"one", "sparse-65", "skewed-reverse", "line", "components"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		n := p.NumVertices()
		for _, v := range s.variants()[:s.times(2, 2)+map[bool]int{true: 6}[s.GPU]] {
			o := bfs.Options{Outputs: testsearch.Outputs(true, r.IntN(2) == 0), Stats: r.IntN(2) == 0, DepthLimit: r.IntN(2) * 4}
			if o = v.countable(o); !v.fits(p.Graph(), o) {
				continue
			}
			v.again(t, p, o, r, 2).Close() // what searches share is there
			before := used()
			one, err := v.searcher(p, o)
			if err != nil {
				t.Fatal(err)
			}
			pool, err := v.pool(p, o, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range s.times(10, 5) {
				q, asked := bfs.Query{Sources: randomSources(p, r, 1+r.IntN(3))}, o
				if i%2 == 0 {
					q.Targets = randomSources(p, r, 1+r.IntN(2))
					asked.Targets = q.Targets
				}
				if r.IntN(3) == 0 {
					q.DepthLimit = 1 + r.IntN(6)
					asked.DepthLimit = q.DepthLimit
				}
				check := func(found *bfs.Result) error { return testsearch.Check(p.Graph(), q.Sources, asked, found) }
				found, err := one.Run(context.Background(), q)
				if err == nil {
					err = check(found)
				}
				if err == nil && (i == 0 || i == 3) {
					most := one.Bytes()
					if i > 0 {
						err = pool.Do(context.Background(), func(s *bfs.Searcher) error { most += s.Bytes(); return nil })
					}
					// 16 bytes a vertex are there once, for all searches of a graph, where they are long.
					if took := used() - before; took > most && took > 16*uint64(n)+256+most {
						t.Errorf("%s: searches take %d bytes, Bytes says %d", v.name, took, most)
					}
				}
				if err == nil {
					err = pool.Run(context.Background(), q, check)
				}
				if err != nil {
					t.Fatalf("%s, %+v, %+v: %v", v.name, o, q, err)
				}
			}
			for _, q := range []bfs.Query{{}, {Sources: []uint32{0}, Targets: []uint32{uint32(n)}}, {Sources: []uint32{uint32(n)}}} {
				if _, err := one.Run(context.Background(), q); !errors.Is(err, graph.ErrNoVertex) {
					t.Errorf("%s, %+v: %v", v.name, q, err)
				}
			}
			if _, err := one.Run(context.Background(), bfs.Query{Sources: []uint32{0}, DepthLimit: -1}); !errors.Is(err, graph.ErrOptions) {
				t.Errorf("%s: a negative limit: %v", v.name, err)
			}
			if err := pool.Run(context.Background(), bfs.Query{Sources: []uint32{0}}, nil); !errors.Is(err, graph.ErrOptions) {
				t.Errorf("%s: nothing to call: %v", v.name, err)
			}
			if err := errors.Join(one.Close(), pool.Close()); err != nil {
				t.Fatal(err)
			}
			if _, err := one.Run(context.Background(), bfs.Query{Sources: []uint32{0}}); !errors.Is(err, device.ErrClosed) {
				t.Errorf("%s: a closed searcher: %v", v.name, err)
			}
		}
	})
}
