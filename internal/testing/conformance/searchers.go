// This file holds the tests of searchers and pools.

package conformance

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// searcher makes a searcher of the variant.
func (v variant) searcher(p *graph.Placed, o bfs.Options) (*bfs.Searcher, error) {
	o = v.tuned(o)
	if v.pull {
		return dobfs.NewSearcher(p, dobfs.Options(o))
	}
	return bfs.NewSearcher(p, o)
}

// pool returns a pool of such searchers.
func (v variant) pool(p *graph.Placed, o bfs.Options, b *device.Budget) (*bfs.Pool, error) {
	o = v.tuned(o)
	if v.pull {
		return dobfs.NewPool(p, dobfs.Options(o), b)
	}
	return bfs.NewPool(p, o, b)
}

// tuned returns the options with the variant's tuning.
func (v variant) tuned(o bfs.Options) bfs.Options {
	if o.Tuning = v.o.Tuning; v.pull {
		o.Tuning = bfs.Tuning{Coupling: v.o.Tuning.Coupling}
	}
	return o
}

// again searches times times, one after the other, and returns the
// searcher.
func (v variant) again(t *testing.T, p *graph.Placed, o bfs.Options, r *rand.Rand, times int) *bfs.Searcher {
	t.Helper()
	o = v.countable(o)
	one, err := v.searcher(p, o)
	if err != nil {
		t.Fatalf("%s: %v", v.name, err)
	}
	for range times {
		src := []uint32{uint32(r.IntN(p.NumVertices()))}
		found, err := one.Run(context.Background(), bfs.Query{Sources: []uint32{src[0]}})
		if err == nil {
			err = testsearch.Check(p.Graph(), src, o, found)
		}
		if err != nil {
			t.Fatalf("%s, from %d: %v", v.name, src[0], err)
		}
	}
	return one
}

// Searchers searches repeatedly in the same memory, which is no more than
// Searcher.Bytes returns if the device counts it, and from several goroutines
// through a pool with room for two.
func (s Suite) Searchers(t *testing.T) {
	used := s.used()
	vs := s.variants()
	s.some(t, 61, []string{"one", "two", "sparse-65", "dense-63", "skewed-reverse", "line", "components"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		for _, v := range vs {
			for _, o := range []bfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents, Stats: true}} {
				if !v.fits(p.Graph(), o) {
					continue
				}
				// The first leaves the memory that all searches of the graph share. More of it may be
				// allocated once, when searches turn out to be long.
				if err := v.again(t, p, o, r, s.times(4, 2)).Close(); err != nil {
					t.Fatal(err)
				}
				for long := false; ; long = true {
					before := used()
					one := v.again(t, p, o, r, s.times(4, 2))
					took := used() - before
					if err := one.Close(); err != nil {
						t.Fatal(err)
					}
					left := used()
					if shared := left - before; !long && shared > 0 && shared <= 16*uint64(p.NumVertices())+256 {
						continue
					}
					if took > one.Bytes() {
						t.Errorf("%s, %+v: a search takes %d bytes, Bytes says %d", v.name, o, took, one.Bytes())
					}
					if left != before {
						t.Errorf("%s, %+v: %d bytes are left, there were %d", v.name, o, left, before)
					}
					break
				}
			}
		}
		s.pool(t, p, r)
	})
}

// pool searches from several goroutines at once.
func (s Suite) pool(t *testing.T, p *graph.Placed, r *rand.Rand) {
	one, err := dobfsOr(p)
	if err != nil {
		t.Fatal(err)
	}
	b := device.NewBudget(2*one.Bytes() + 1)
	pool, err := poolOr(p, b)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 6 {
		seed := r.Uint64()
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(seed, 1))
			for range 5 {
				src := uint32(r.IntN(p.NumVertices()))
				err := pool.Run(context.Background(), bfs.Query{Sources: []uint32{src}}, func(found *bfs.Result) error {
					return testsearch.Check(p.Graph(), []uint32{src}, bfs.Options{Outputs: bfs.Depths | bfs.Parents}, found)
				})
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	if err := pool.Close(); err != nil || b.Used() != 0 {
		t.Errorf("closing the pool: %v, %d bytes are held", err, b.Used())
	}
}

// dobfsOr returns a searcher that changes direction if the graph has its
// reverse.
func dobfsOr(p *graph.Placed) (*bfs.Searcher, error) {
	if p.Graph().In() == nil {
		return bfs.NewSearcher(p, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
	}
	return dobfs.NewSearcher(p, dobfs.Options{Outputs: bfs.Depths | bfs.Parents})
}

// poolOr returns a pool of such searchers.
func poolOr(p *graph.Placed, b *device.Budget) (*bfs.Pool, error) {
	if p.Graph().In() == nil {
		return bfs.NewPool(p, bfs.Options{Outputs: bfs.Depths | bfs.Parents}, b)
	}
	return dobfs.NewPool(p, dobfs.Options{Outputs: bfs.Depths | bfs.Parents}, b)
}
