// This file holds the tests of searchers and pools: of any algorithm, and of pools while searches learn about the graph.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/examples/components"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/traverse"
)

// SearchersOf tests searchers and pools of a user's algorithm.
func (s Suite) SearchersOf(t *testing.T) {
	s.some(t, 73, []string{"two", "sparse-65", "skewed-reverse"}, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
		n := p.NumVertices()
		label := components.Algorithm()
		want, err := components.Run(t.Context(), p, traverse.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer want.Close()
		right, err := want.Slice()
		if err != nil {
			t.Fatal(err)
		}
		check := func(v *traverse.Values[uint32]) error { return compare(v, right) }

		one, err := traverse.NewSearcher(p, label, traverse.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			v, err := one.Run(t.Context(), struct{}{})
			if err == nil {
				err = check(v)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		times := 0
		if err := testgraph.Each(one.Batch(t.Context(), make([]struct{}, 4)), func(i int, v *traverse.Values[uint32]) error {
			times++
			return check(v)
		}); err != nil || times != 4 {
			t.Fatalf("%d of 4, %v", times, err)
		}
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := one.Run(canceled, struct{}{}); !errors.Is(err, context.Canceled) {
			t.Fatalf("canceled: %v", err)
		}
		if err := one.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := one.Run(t.Context(), struct{}{}); !errors.Is(err, device.ErrClosed) {
			t.Fatalf("closed: %v", err)
		}

		bytes := one.Bytes()
		if least := uint64(4 * n); bytes < least {
			t.Fatalf("estimated %d bytes, the labels alone take %d", bytes, least)
		}
		pool, err := traverse.NewPool(p, func() (*traverse.Searcher[struct{}, *traverse.Values[uint32]], error) {
			return traverse.NewSearcher(p, label, traverse.Options{})
		}, device.NewBudget(2*bytes+bytes/2))
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		errs := make([]error, s.times(24, 6))
		for i := range errs {
			wg.Go(func() {
				errs[i] = pool.Do(t.Context(), func(x *traverse.Searcher[struct{}, *traverse.Values[uint32]]) error {
					v, err := x.Run(t.Context(), struct{}{})
					if err != nil {
						return err
					}
					return check(v)
				})
			})
		}
		wg.Wait()
		if err := errors.Join(append(errs, pool.Close())...); err != nil {
			t.Fatal(err)
		}
		if err := pool.Do(t.Context(), func(*traverse.Searcher[struct{}, *traverse.Values[uint32]]) error { return nil }); !errors.Is(err, device.ErrClosed) {
			t.Fatalf("closed pool: %v", err)
		}
		if _, err := traverse.NewPool(p, func() (*traverse.Searcher[struct{}, *traverse.Values[uint32]], error) {
			return traverse.NewSearcher(p, label, traverse.Options{})
		}, device.NewBudget(bytes-1)); !errors.Is(err, device.ErrBudget) {
			t.Fatalf("a budget of one byte too few: %v", err)
		}
		if d, ok := p.Device().(interface{ Used() uint64 }); ok {
			if err := s.estimated(p, d, label, bytes); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// estimated compares the GPU memory of a searcher with its estimate.
func (s Suite) estimated(p *graph.Placed, d interface{ Used() uint64 }, a traverse.Algorithm[struct{}, *traverse.Values[uint32]], bytes uint64) error {
	one, err := traverse.NewSearcher(p, a, traverse.Options{Stats: true})
	if err != nil {
		return err
	}
	defer one.Close()
	before := d.Used()
	if _, err := one.Run(context.Background(), struct{}{}); err != nil {
		return err
	}
	if took := d.Used() - before; took > bytes {
		return fmt.Errorf("took %d bytes, %d were estimated", took, bytes)
	}
	return one.Close()
}

// PoolLearns makes the first search of a pool reveal that the graph differs from the estimate by its degrees;
// a second searcher takes no more of the budget than the pool estimates then.
func (s Suite) PoolLearns(t *testing.T) {
	leave := tuning.DeepLeave
	defer func() { tuning.DeepLeave = leave }()
	tuning.DeepLeave = 100
	r := rand.New(rand.NewPCG(103, 1))
	for _, degree := range []int{2, 3, 20, 40} {
		n := int64(3000)
		var src, dst []int64
		for u := range n {
			for range degree {
				src, dst = append(src, u), append(dst, r.Int64N(n))
			}
		}
		p, err := built(t, graph.Options{}, src, dst).On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []bfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents}, {Targets: []uint32{1}}} {
			b := device.NewBudget(1 << 30)
			q, err := bfs.NewPool(p, o, b)
			if err != nil {
				t.Fatal(err)
			}
			err = q.Do(t.Context(), func(one *bfs.Searcher) error {
				for _, source := range []uint32{0, 1} {
					if _, err := one.Run(t.Context(), bfs.Query{Sources: []uint32{source}}); err != nil {
						return err
					}
				}
				return q.Do(t.Context(), func(two *bfs.Searcher) error {
					if each := b.Used() / 2; two.Bytes() > each || one.Bytes() > each {
						t.Errorf("degree %d, %+v: the pool reckons with %d bytes, its searchers with %d and %d", degree, o, each, one.Bytes(), two.Bytes())
					}
					_, err := two.Run(t.Context(), bfs.Query{Sources: []uint32{2}})
					return err
				})
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := q.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
