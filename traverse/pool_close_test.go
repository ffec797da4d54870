// This file tests how pools end: what waits, what runs, and what comes later.

package traverse_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/traverse"
)

// ender is a pool of any kind: do waits for its turn, calls use, and searches until again is false.
type ender struct {
	do       func(ctx context.Context, use func(), again func() bool) error
	close    func() error
	shutdown func(ctx context.Context) error
}

// enders makes a pool of each kind, with room for one search.
func enders(t *testing.T, p *graph.Placed) map[string]ender {
	m := map[string]ender{}
	all := func(f func(b *device.Budget) (ender, error)) ender {
		e, err := f(nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for name, pool := range map[string]func(b *device.Budget) (*bfs.Pool, error){
		"bfs":   func(b *device.Budget) (*bfs.Pool, error) { return bfs.NewPool(p, bfs.Options{}, b) },
		"dobfs": func(b *device.Budget) (*bfs.Pool, error) { return dobfs.NewPool(p, dobfs.Options{}, b) },
	} {
		m[name] = all(func(*device.Budget) (ender, error) {
			big := device.NewBudget(1 << 30)
			one, err := pool(big)
			if err != nil {
				return ender{}, err
			}
			var bytes uint64
			err = one.Do(t.Context(), func(*bfs.Searcher) error { bytes = big.Used(); return nil })
			if err != nil {
				return ender{}, err
			}
			q, err := pool(device.NewBudget(bytes))
			return ender{func(ctx context.Context, use func(), again func() bool) error {
				return q.Do(ctx, func(s *bfs.Searcher) error {
					use()
					for again() {
						if _, err := s.Run(ctx, bfs.Query{Sources: []uint32{0}}); err != nil {
							return err
						}
					}
					return nil
				})
			}, q.Close, q.Shutdown}, errors.Join(err, one.Close())
		})
	}
	m["sssp"] = poolOf(t, func(b *device.Budget) (*traverse.Pool[sssp.Query, *sssp.Result], error) {
		return sssp.NewPool(p, sssp.Options{}, b)
	},
		func(ctx context.Context, s *sssp.Searcher) error {
			_, err := s.Run(ctx, sssp.Query{Sources: []uint32{0}})
			return err
		})
	m["msbfs"] = poolOf(t, func(b *device.Budget) (*traverse.Pool[[]uint32, *msbfs.Result], error) {
		return msbfs.NewPool(p, msbfs.Options{}, b)
	}, func(ctx context.Context, s *msbfs.Searcher) error { _, err := s.Run(ctx, []uint32{0}); return err })
	m["bc"] = poolOf(t, func(b *device.Budget) (*traverse.Pool[[]uint32, *bc.Result], error) {
		return bc.NewPool(p, bc.Options{}, b)
	},
		func(ctx context.Context, s *bc.Searcher) error { _, err := s.Run(ctx, []uint32{0}); return err })
	return m
}

func poolOf[Q, R any](t *testing.T, pool func(*device.Budget) (*traverse.Pool[Q, R], error), search func(context.Context, *traverse.Searcher[Q, R]) error) ender {
	big := device.NewBudget(1 << 30)
	one, err := pool(big)
	if err != nil {
		t.Fatal(err)
	}
	var bytes uint64
	if err := one.Do(t.Context(), func(*traverse.Searcher[Q, R]) error { bytes = big.Used(); return nil }); err != nil {
		t.Fatal(err)
	}
	q, err := pool(device.NewBudget(bytes))
	if err := errors.Join(err, one.Close()); err != nil {
		t.Fatal(err)
	}
	return ender{func(ctx context.Context, use func(), again func() bool) error {
		return q.Do(ctx, func(s *traverse.Searcher[Q, R]) error {
			use()
			for again() {
				if err := search(ctx, s); err != nil {
					return err
				}
			}
			return nil
		})
	}, q.Close, q.Shutdown}
}

// weighted places a small graph with weights.
func weighted(t *testing.T) *graph.Placed {
	b := graph.NewBuilder(graph.Options{Weights: true})
	src, dst, weights := make([]int64, 50), make([]int64, 50), make([]float32, 50)
	for i := range src {
		src[i], dst[i], weights[i] = int64(i), int64(i+1), 1
	}
	if err := b.Add(graph.Batch{Src: src, Dst: dst, Weights: weights}); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return testgraph.Place(g, 1)
}

// TestPoolEnds: Close and Shutdown refuse who waits, at once, and no search that waited is served. Close
// lets the one that runs end; Shutdown does so until its context is done, and then ends it. Time is
// that of synctest's bubble: it passes where all goroutines wait.
func TestPoolEnds(t *testing.T) {
	for _, how := range []string{"Close", "Shutdown", "Shutdown, no time", "Shutdown, too little time"} {
		synctest.Test(t, func(t *testing.T) {
			p := weighted(t)
			for name, q := range enders(t, p) {
				const runs, shuts = time.Second, 10 * time.Millisecond
				var served, refused atomic.Int32
				var wait sync.WaitGroup
				began := time.Now()
				var cut atomic.Bool
				stuck := make(chan struct{})
				wait.Go(func() { // the one that runs, until it is cut off, or for a second
					ctx := context.Background()
					if how == "Shutdown, too little time" { // and one that may end itself
						c, cancel := context.WithCancel(ctx)
						defer cancel()
						ctx = c
					}
					err := q.do(ctx, func() { served.Add(1) }, func() bool {
						time.Sleep(time.Millisecond)
						return time.Since(began) < runs
					})
					cut.Store(errors.Is(err, device.ErrClosed))
					if err != nil && !errors.Is(err, device.ErrClosed) {
						t.Errorf("%s, %s: what runs: %v", how, name, err)
					}
					close(stuck)
				})
				synctest.Wait()
				for range 30 {
					wait.Go(func() {
						err := q.do(context.Background(), func() { served.Add(1) }, func() bool { return false })
						if !errors.Is(err, device.ErrClosed) {
							t.Errorf("%s, %s: who waits gets %v", how, name, err)
						}
						if since := time.Since(began); since > shuts {
							t.Errorf("%s, %s: who waits hears of it after %v", how, name, since-shuts)
						}
						refused.Add(1)
					})
				}
				synctest.Wait()
				time.Sleep(shuts)
				var err error
				switch how {
				case "Close":
					err = q.close()
				case "Shutdown":
					err = q.shutdown(context.Background())
				case "Shutdown, no time":
					done, cancel := context.WithCancel(context.Background())
					cancel()
					if err := q.shutdown(done); !errors.Is(err, context.Canceled) {
						t.Errorf("%s, %s: %v", how, name, err)
					}
				case "Shutdown, too little time":
					late, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
					defer cancel()
					if err := q.shutdown(late); !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("%s, %s: %v", how, name, err)
					}
				}
				ended := time.Since(began)
				<-stuck
				wait.Wait()
				if err := errors.Join(err, q.close()); err != nil {
					t.Errorf("%s, %s: %v", how, name, err)
				}
				waits := how == "Close" || how == "Shutdown"
				if served.Load() != 1 || refused.Load() != 30 || cut.Load() == waits || waits != (ended >= runs) || !waits && time.Since(began) > runs/2 {
					t.Errorf("%s, %s: it served %d, refused %d, ended after %v and %v, cut off: %v", how, name, served.Load(), refused.Load(), ended, time.Since(began), cut.Load())
				}
				if err := q.do(context.Background(), func() {}, func() bool { return false }); !errors.Is(err, device.ErrClosed) {
					t.Errorf("%s, %s: who comes later gets %v", how, name, err)
				}
			}
		})
	}
}

// TestPoolEndsNothing: a pool that is nil, or has nothing to do, ends.
func TestPoolEndsNothing(t *testing.T) {
	var none *bfs.Pool
	var other *traverse.Pool[sssp.Query, *sssp.Result]
	q, err := bfs.NewPool(testgraph.Place(testgraph.Path(4).Graph(1), 1), bfs.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(none.Close(), none.Shutdown(t.Context()), other.Close(), other.Shutdown(t.Context()),
		q.Shutdown(t.Context()), q.Shutdown(t.Context()), q.Close()); err != nil {
		t.Error(err)
	}
}
