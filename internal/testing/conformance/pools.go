// This file holds a test of pools of searchers while searches learn about the graph.

package conformance

import (
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

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
