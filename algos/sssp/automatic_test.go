package sssp_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// large is a graph that is large enough to be prepared, during the test.
func large(t *testing.T) *graph.Placed {
	t.Helper()
	edges := tuning.ByWeightEdges
	tuning.ByWeightEdges = 1 << 10
	t.Cleanup(func() { tuning.ByWeightEdges = edges })
	return placed(t, testgraph.Skewed(4000, 20, testgraph.Undirected).Weighted(1), 2)
}

// searches searches until rows by weight are used, and returns how many searches that took; at most so many.
func searches(t *testing.T, most int, run func() (*sssp.Result, error)) int {
	t.Helper()
	var first []float64
	for i := range most {
		r, err := run()
		if err != nil {
			t.Fatal(err)
		}
		all, err := r.Distances.Slice()
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case i == 0:
			first = append(first, all...)
		default:
			for v, d := range all {
				if d != first[v] {
					t.Fatalf("search %d: vertex %d at %v, at first at %v", i, v, d, first[v])
				}
			}
		}
		byWeight := r.ByWeight
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if byWeight {
			return i + 1
		}
		time.Sleep(time.Millisecond)
	}
	return most + 1
}

// TestAutomatic: a graph that is searched repeatedly is prepared meanwhile, and a Searcher continues over its rows by weight.
func TestAutomatic(t *testing.T) {
	ctx := t.Context()
	t.Run("Run", func(t *testing.T) {
		p := large(t)
		if n := searches(t, 1000, func() (*sssp.Result, error) { return sssp.Run(ctx, p, 0, sssp.Options{}) }); n < 3 || n > 1000 {
			t.Errorf("search %d was the first over rows by weight; want the third or a later one", n)
		}
	})
	t.Run("Searcher", func(t *testing.T) {
		p := large(t)
		s, err := sssp.NewSearcher(p, sssp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if n := searches(t, 1000, func() (*sssp.Result, error) { return s.Run(ctx, sssp.Query{Sources: []uint32{0}}) }); n < 3 || n > 1000 {
			t.Errorf("search %d was the first over rows by weight; want the third or a later one", n)
		}
	})
	t.Run("Always", func(t *testing.T) {
		p := placed(t, testgraph.ByName("skewed-undirected").Weighted(1), 2)
		o := sssp.Options{Prepare: sssp.PrepareAlways}
		if n := searches(t, 3, func() (*sssp.Result, error) { return sssp.Run(ctx, p, 0, o) }); n != 1 {
			t.Errorf("search %d was the first over rows by weight", n)
		}
		canceled, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := sssp.Run(canceled, p, 0, o); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Run("Never", func(t *testing.T) {
		p := large(t)
		if n := searches(t, 20, func() (*sssp.Result, error) { return sssp.Run(ctx, p, 0, sssp.Options{Prepare: sssp.PrepareNever}) }); n <= 20 {
			t.Errorf("search %d went over rows by weight", n)
		}
		prepare(t, p) // by another caller
		if n := searches(t, 3, func() (*sssp.Result, error) { return sssp.Run(ctx, p, 0, sssp.Options{Prepare: sssp.PrepareNever}) }); n <= 3 {
			t.Error("rows by weight were used")
		}
		if n := searches(t, 1, func() (*sssp.Result, error) { return sssp.Run(ctx, p, 0, sssp.Options{}) }); n != 1 {
			t.Error("rows by weight weren't used")
		}
	})
	t.Run("small parts", func(t *testing.T) {
		p := large(t)
		near := sssp.Options{Limit: 1e-3}
		if n := searches(t, 20, func() (*sssp.Result, error) { return sssp.Run(ctx, p, 0, near) }); n <= 20 {
			t.Errorf("search %d of a few vertices went over rows by weight", n)
		}
	})
	t.Run("options", func(t *testing.T) {
		if _, err := sssp.Run(ctx, large(t), 0, sssp.Options{Prepare: 3}); !errors.Is(err, graph.ErrOptions) {
			t.Error(err)
		}
	})
}

// TestAutomaticClosed: closing a placed graph ends the goroutine that prepares it.
func TestAutomaticClosed(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 10 {
		p := large(t)
		for range 3 {
			r, err := sssp.Run(t.Context(), p, 0, sssp.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Duration(i) * 100 * time.Microsecond)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := sssp.Run(t.Context(), p, 0, sssp.Options{}); !errors.Is(err, device.ErrClosed) {
			t.Error(err)
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestAutomaticTogether: searches in several goroutines, a Pool and a Prepare, while a goroutine prepares the graph.
func TestAutomaticTogether(t *testing.T) {
	p := large(t)
	want, err := sssp.Run(t.Context(), p, 0, sssp.Options{Prepare: sssp.PrepareNever})
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	distances, err := want.Distances.Slice()
	if err != nil {
		t.Fatal(err)
	}
	pool, err := sssp.NewPool(p, sssp.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	check := func(r *sssp.Result) error {
		all, err := r.Distances.Slice()
		if err == nil && !slices.Equal(all, distances) {
			err = errors.New("other distances")
		}
		return err
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				err := pool.Run(t.Context(), sssp.Query{Sources: []uint32{0}}, check)
				if err == nil && i%2 == 0 {
					var r *sssp.Result
					if r, err = sssp.Run(t.Context(), p, 0, sssp.Options{}); err == nil {
						err = errors.Join(check(r), r.Close())
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	if says := prepare(t, p); !says.ByWeight {
		t.Error(says)
	}
	wg.Wait()
}
