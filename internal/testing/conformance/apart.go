// This file holds the test of blocks that don't all run at once.

package conformance

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// Apart searches in one kernel on a device that doesn't always run all of its
// blocks at once, as it should: the search ends with an error, and leaves nothing
// that would make the next one wrong.
func (s Suite) Apart(t *testing.T) {
	late := 0
	s.some(t, 89, []string{"sparse-65", "skewed-reverse", "components"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		if p.Graph().In() == nil {
			return
		}
		fused := func() (*bfs.Searcher, error) {
			return dobfs.NewSearcher(p, dobfs.Options{Tuning: bfs.Tuning{Coupling: "fused"}, Outputs: bfs.Depths | bfs.Parents})
		}
		one, err := fused()
		if err != nil {
			t.Fatal(err)
		}
		defer one.Close()
		for range 12 {
			source := []uint32{uint32(r.IntN(p.NumVertices()))}
			check := func(found *bfs.Result, err error) {
				t.Helper()
				if err == nil {
					err = testsearch.Check(p.Graph(), source, bfs.Options{Outputs: bfs.Depths | bfs.Parents}, found)
				} else if errors.Is(err, device.ErrNotSupported) {
					late++
					return
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			check(one.Run(context.Background(), bfs.Query{Sources: []uint32{source[0]}}))
			err := testgraph.Each(one.Batch(context.Background(), []uint32{source[0], source[0], source[0]}), func(_ int, found *bfs.Result) error {
				check(found, nil)
				return nil
			})
			if err != nil {
				check(nil, err)
			}
			found, err := dobfs.Run(context.Background(), p, source[0], dobfs.Options{Tuning: bfs.Tuning{Coupling: "expand-contract"}, Outputs: bfs.Depths | bfs.Parents})
			if err == nil {
				err = testsearch.Check(p.Graph(), source, bfs.Options{Outputs: bfs.Depths | bfs.Parents}, found)
			}
			if err != nil {
				t.Fatal(err)
			}
			found.Close()
		}
	})
	if late == 0 {
		t.Error("all blocks ran at once, always")
	}
	s.fallsBack(t)
}

// fallsBack searches there with the coupling left open. A search that can't run
// as one kernel continues level by level and logs that once; later searches go level by level at once.
func (s Suite) fallsBack(t *testing.T) {
	lines := 0
	s.some(t, 157, []string{"sparse-65", "skewed-reverse", "components", "line"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		if p.Graph().In() == nil {
			return
		}
		warned := 0
		log := slog.New(calling{slog.DiscardHandler, func(r slog.Record) {
			if r.Level == slog.LevelWarn {
				warned++
			}
		}})
		for _, pull := range []bool{false, true} {
			make := func() (*bfs.Searcher, error) {
				if pull {
					return dobfs.NewSearcher(p, dobfs.Options{Outputs: bfs.Depths | bfs.Parents, ByID: true, DeviceTime: true, Logger: log})
				}
				return bfs.NewSearcher(p, bfs.Options{Outputs: bfs.Depths | bfs.Parents, Logger: log})
			}
			batches, err := make()
			if err != nil {
				t.Fatal(err)
			}
			one, err := make()
			if err != nil {
				t.Fatal(err)
			}
			pool, err := bfs.NewPool(p, bfs.Options{Outputs: bfs.Depths | bfs.Parents, Logger: log}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for range 8 {
				sources := randomSources(p, r, 4)
				check := func(i int, found *bfs.Result, err error) {
					t.Helper()
					if err == nil {
						err = testsearch.Check(p.Graph(), sources[i:i+1], bfs.Options{Outputs: bfs.Depths | bfs.Parents}, found)
					}
					if err != nil {
						t.Fatalf("pull %v, from %d: %v", pull, sources[i], err)
					}
				}
				next := 0
				err := testgraph.Each(batches.Batch(t.Context(), sources), func(i int, found *bfs.Result) error {
					if next++; i != next-1 {
						t.Errorf("result %d comes after %d", i, next-2)
					}
					check(i, found, nil)
					return nil
				})
				if err != nil || next != len(sources) {
					t.Fatalf("pull %v: %v after %d results", pull, err, next)
				}
				found, err := one.Run(t.Context(), bfs.Query{Sources: []uint32{sources[0]}})
				check(0, found, err)
				if err := pool.Run(t.Context(), bfs.Query{Sources: []uint32{sources[1]}}, func(found *bfs.Result) error { check(1, found, nil); return nil }); err != nil {
					t.Fatal(err)
				}
				if pull {
					found, err = dobfs.Run(t.Context(), p, sources[2], dobfs.Options{Outputs: bfs.Depths | bfs.Parents, Logger: log})
				} else {
					found, err = bfs.Run(t.Context(), p, sources[2], bfs.Options{Outputs: bfs.Depths | bfs.Parents, Logger: log})
				}
				check(2, found, err)
				found.Close()
			}
			if err := errors.Join(batches.Close(), one.Close(), pool.Close()); err != nil {
				t.Fatal(err)
			}
		}
		if warned > 1 {
			t.Errorf("%d searches found that they can't be one kernel, later ones shouldn't try", warned)
		}
		lines += warned
	})
	if lines == 0 {
		t.Error("no search found that it can't be one kernel")
	}
}

// Impatient makes blocks give up at barriers before the others can arrive. Such a search
// ends with or without an error; the next one in the same space, with patience, succeeds.
func (s Suite) Impatient(t *testing.T) {
	late := 0
	s.some(t, 109, []string{"sparse-65", "skewed-reverse", "components"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		if p.Graph().In() == nil {
			return
		}
		one, err := dobfs.NewSearcher(p, dobfs.Options{Tuning: bfs.Tuning{Coupling: "fused"}})
		if err != nil {
			t.Fatal(err)
		}
		defer one.Close()
		for i := range s.times(200, 40) {
			source := []uint32{uint32(r.IntN(p.NumVertices()))}
			patience := gpu.Patience
			if i%2 == 0 {
				gpu.Patience = 0
			}
			found, err := one.Run(context.Background(), bfs.Query{Sources: []uint32{source[0]}})
			gpu.Patience = patience
			if i%2 == 0 && errors.Is(err, device.ErrNotSupported) {
				late++
				continue
			}
			if err == nil {
				err = testsearch.Check(p.Graph(), source, bfs.Options{}, found)
			}
			if err != nil {
				t.Fatalf("search %d from %d: %v", i, source[0], err)
			}
		}
	})
	if late == 0 {
		t.Error("no block gave up")
	}
}

// Resumed makes blocks give up at the first barrier of a search that continues after a
// cluster, while another block may still read which blocks continue.
func (s Suite) Resumed(t *testing.T) {
	r := rand.New(rand.NewPCG(113, 1))
	var src, dst []int64
	for i := range int64(600) {
		src, dst = append(src, i), append(dst, i+1)
	}
	p, err := built(t, graph.Options{}, src, dst).On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	one, err := dobfs.NewSearcher(p, dobfs.Options{Tuning: bfs.Tuning{Coupling: "fused"}})
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	patience := gpu.Patience
	defer func() { gpu.Patience = patience }()
	for range s.times(400, 200) {
		gpu.Patience = r.Uint32N(12)
		source := []uint32{r.Uint32N(601)}
		found, err := one.Run(context.Background(), bfs.Query{Sources: []uint32{source[0]}})
		if errors.Is(err, device.ErrNotSupported) {
			continue
		}
		if err == nil {
			err = testsearch.Check(p.Graph(), source, bfs.Options{}, found)
		}
		if err != nil {
			t.Fatalf("from %d: %v", source[0], err)
		}
	}
}
