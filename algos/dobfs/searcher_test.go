// This file tests searchers and pools, of this package and of package bfs.

package dobfs_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// searchers are what makes searchers and pools.
var searchers = []struct {
	name string
	one  func(*graph.Placed, bfs.Options) (*bfs.Searcher, error)
	pool func(*graph.Placed, bfs.Options, *device.Budget) (*bfs.Pool, error)
}{
	{"bfs", bfs.NewSearcher, bfs.NewPool},
	{"dobfs", func(p *graph.Placed, o bfs.Options) (*bfs.Searcher, error) {
		return dobfs.NewSearcher(p, turned(o))
	}, func(p *graph.Placed, o bfs.Options, b *device.Budget) (*bfs.Pool, error) {
		return dobfs.NewPool(p, turned(o), b)
	}},
}

// turned converts options of package bfs.
func turned(o bfs.Options) dobfs.Options {
	return dobfs.Options{Outputs: o.Outputs, DepthLimit: o.DepthLimit,
		Targets: o.Targets, Stats: o.Stats, ByID: o.ByID, EachLevel: o.EachLevel, Logger: o.Logger}
}

func TestSearcher(t *testing.T) {
	for _, kind := range searchers {
		for _, name := range []string{"one", "uniform-undirected", "skewed-undirected", "road-undirected", "hubs", "components"} {
			g := testgraph.ByName(name).Graph(31)
			for _, o := range []bfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents, Stats: true}, {Outputs: bfs.Parents}, {Outputs: bfs.Counts}, {Outputs: bfs.Depths | bfs.Parents, DepthLimit: 2}} {
				p := testgraph.Place(g, 2)
				s, err := kind.one(p, o)
				if err != nil {
					t.Fatal(err)
				}
				r := rand.New(rand.NewPCG(31, 1))
				for i := range 12 {
					ctx, cancel := context.WithCancel(context.Background())
					src := []uint32{uint32(r.IntN(g.NumVertices()))}
					if i%3 == 0 {
						src = append(src, uint32(r.IntN(g.NumVertices())))
					}
					res, err := s.Run(ctx, bfs.Query{Sources: src})
					if err == nil {
						err = testsearch.Check(g, src, o, res)
					}
					if err != nil || res.Algorithm != kind.name {
						t.Fatalf("%s, %s, search %d from %v: %v", kind.name, name, i, src, err)
					}
					if i%4 == 1 {
						res.Close() // isn't needed, and does no harm
					}
					cancel() // its end mustn't stop the next search
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// A Searcher stays usable after an error.
func TestSearcherAfterErrors(t *testing.T) {
	for _, kind := range searchers {
		g := testgraph.ByName("road-undirected").Graph(32)
		p := testgraph.Place(g, 2)
		before := runtime.NumGoroutine()
		level, cancel := 0, func() {}
		panics := false
		o := bfs.Options{Outputs: bfs.Depths | bfs.Parents, EachLevel: func(bfs.Level) {
			if level++; level == 5 {
				cancel()
				if panics {
					panic("on purpose")
				}
			}
		}}
		s, err := kind.one(p, o)
		if err != nil {
			t.Fatal(err)
		}
		good := func(after string) {
			t.Helper()
			level, cancel, panics = 10, func() {}, false
			r, err := s.Run(context.Background(), bfs.Query{Sources: []uint32{3}})
			if err == nil {
				err = testsearch.Check(g, []uint32{3}, o, r)
			}
			if err != nil {
				t.Fatalf("%s, after %s: %v", kind.name, after, err)
			}
		}
		good("nothing")
		if _, err := s.Run(context.Background(), bfs.Query{Sources: []uint32{uint32(g.NumVertices())}}); !errors.Is(err, graph.ErrNoVertex) {
			t.Errorf("no such vertex: %v", err)
		}
		good("a source that isn't there")
		if _, err := s.Run(context.Background(), bfs.Query{}); !errors.Is(err, graph.ErrNoVertex) {
			t.Errorf("no source: %v", err)
		}
		ctx, stop := context.WithCancel(context.Background())
		level, cancel = 0, stop
		if _, err := s.Run(ctx, bfs.Query{Sources: []uint32{3}}); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled on the way: %v", err)
		}
		if _, err := s.Run(ctx, bfs.Query{Sources: []uint32{3}}); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled before: %v", err)
		}
		good("canceling")
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic is lost")
				}
			}()
			level, panics = 0, true
			s.Run(context.Background(), bfs.Query{Sources: []uint32{3}})
		}()
		good("a panic")
		enough := errors.New("enough")
		seen := 0
		err = testgraph.Each(s.Batch(context.Background(), []uint32{1, 2, 3}), func(i int, r *bfs.Result) error {
			if seen++; i != seen-1 || r.Sources[0] != uint32(i+1) {
				t.Errorf("call %d has result %d from %v", seen, i, r.Sources)
			}
			if i == 1 {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || seen != 2 {
			t.Errorf("batch: %v after %d", err, seen)
		}
		if err := testgraph.Each(s.Batch(context.Background(), []uint32{1, 1 << 31}), func(int, *bfs.Result) error { return nil }); !errors.Is(err, graph.ErrNoVertex) || !strings.HasPrefix(err.Error(), kind.name+": search from sources[1], of 2: ") || strings.Count(err.Error(), "bfs: ") > 1 {
			t.Errorf("batch with a source that isn't there: %v", err)
		}
		last, err := s.Run(context.Background(), bfs.Query{Sources: []uint32{1}})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if depths, err := last.Depths(); depths != nil || !errors.Is(err, device.ErrClosed) {
			t.Error("the last result outlives its searcher")
		}
		if _, err := s.Run(context.Background(), bfs.Query{Sources: []uint32{1}}); !errors.Is(err, device.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
		// Goroutines are counted for a moment after they said that they are done.
		for range 1000 {
			if runtime.NumGoroutine() <= before {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if n := runtime.NumGoroutine(); n > before {
			t.Errorf("%d goroutines are left, there were %d", n, before)
		}
		p.Close()
		if _, err := kind.one(p, o); !errors.Is(err, device.ErrClosed) {
			t.Errorf("over a graph that was freed: %v", err)
		}
	}
}

func TestSearcherAllocatesNothing(t *testing.T) {
	if testgraph.Race {
		t.Skip("needs a build without -race, whose detector allocates too")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, kind := range searchers {
		for _, name := range []string{"skewed-undirected", "road-undirected"} {
			for _, o := range []bfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents}, {Outputs: bfs.Depths | bfs.Parents, Stats: true}, {Outputs: bfs.Depths | bfs.Parents, ByID: true}} {
				for workers, ctx := range map[int]context.Context{1: context.Background(), 3: ctx} {
					p := testgraph.Place(byDegree(t, testgraph.ByName(name).Graph(33)), workers)
					s, err := kind.one(p, o)
					if err != nil {
						t.Fatal(err)
					}
					v := []uint32{0}
					bytes, got := testgraph.Steady(func() {
						v[0] = (v[0] + 7) % 100
						if _, err := s.Run(ctx, bfs.Query{Sources: v}); err != nil {
							t.Fatal(err)
						}
					})
					if got != 0 || bytes >= 1024 { // a search that finds a longer queue than all before makes room for it
						t.Errorf("%s, %s, %+v: %v allocations a search, of %.0f bytes", kind.name, name, o, got, bytes)
					}
					s.Close()
				}
			}
		}
	}
}

// byDegree returns a graph whose vertices aren't in the order of its ids.
func byDegree(t *testing.T, g *graph.Graph) *graph.Graph {
	t.Helper()
	g, err := g.Reorder(t.Context(), graph.ReorderOptions{Order: graph.OrderDegree})
	if err != nil {
		t.Fatal(err)
	}
	if g.IDs().ByID() == nil {
		t.Fatal("vertices are in the order of ids")
	}
	return g
}

// What a searcher takes is no more than it says, and not much less.
func TestSearcherBytes(t *testing.T) {
	testlong.Project(t)
	if testgraph.Race {
		t.Skip("needs a build without -race, whose detector allocates too")
	}
	for _, kind := range searchers {
		for _, c := range []testgraph.Case{testgraph.Uniform(1<<18, 2, testgraph.Undirected), testgraph.Path(1 << 18)} {
			p := testgraph.Place(byDegree(t, c.Graph(37)), 2)
			for _, o := range []bfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents, DepthLimit: 30}, {ByID: true}, {Outputs: bfs.Depths | bfs.Parents, ByID: true, DepthLimit: 30}} {
				for i := range 2 { // the first leaves what all searches share
					s, err := kind.one(p, o)
					if err != nil {
						t.Fatal(err)
					}
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					if _, err := s.Run(context.Background(), bfs.Query{Sources: []uint32{1 << 17}}); err != nil {
						t.Fatal(err)
					}
					runtime.ReadMemStats(&after)
					took := after.TotalAlloc - before.TotalAlloc
					if i > 0 && (took > s.Bytes() || took < s.Bytes()/2) {
						t.Errorf("%s, %s, %+v: a search takes %d bytes, Bytes says %d", kind.name, c.Name, o, took, s.Bytes())
					}
					s.Close()
				}
			}
		}
	}
}

// TestNamesInErrors: errors of searchers, pools, batches and results begin with the algorithm's name.
func TestNamesInErrors(t *testing.T) {
	p := testgraph.Place(testgraph.ByName("road-undirected").Graph(31), 2)
	far := bfs.Query{Sources: []uint32{uint32(p.NumVertices())}}
	for _, kind := range searchers {
		s, err := kind.one(p, bfs.Options{Outputs: bfs.Counts})
		if err != nil {
			t.Fatal(err)
		}
		pool, err := kind.pool(p, bfs.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		failed := map[string]error{}
		_, failed["no vertex"] = s.Run(t.Context(), far)
		_, failed["no source"] = s.Run(t.Context(), bfs.Query{})
		_, failed["no target"] = s.Run(t.Context(), bfs.Query{Sources: []uint32{0}, Targets: far.Sources})
		var none context.Context
		_, failed["no context"] = s.Run(none, bfs.Query{Sources: []uint32{0}})
		failed["batch without a context"] = testgraph.Each(s.Batch(none, []uint32{0}), func(int, *bfs.Result) error { return nil })
		r, err := s.Run(t.Context(), bfs.Query{Sources: []uint32{0}})
		if err != nil {
			t.Fatal(err)
		}
		_, failed["no depths"] = r.Depths()
		_, failed["no order of ids"] = r.DepthsByID()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		_, failed["closed result"] = r.Parents()
		_, failed["closed searcher"] = s.Run(t.Context(), bfs.Query{Sources: []uint32{0}})
		failed["pool: nil"] = pool.Run(t.Context(), far, nil)
		failed["pool: no vertex"] = pool.Run(t.Context(), far, func(*bfs.Result) error { return nil })
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
		failed["closed pool"] = pool.Do(t.Context(), func(*bfs.Searcher) error { return nil })
		for what, err := range failed {
			if err == nil || !strings.HasPrefix(err.Error(), kind.name+": ") {
				t.Errorf("%s: %s: %v", kind.name, what, err)
			}
		}
	}
}
