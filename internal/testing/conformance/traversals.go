// This file tests traversals that are made of steps, by every engine.

package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/examples/components"
	"github.com/foray-graph/foray/examples/khop"
	"github.com/foray-graph/foray/examples/pagerank"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors"
	"github.com/foray-graph/foray/traverse"
)

// engines are those that the device has.
func (s Suite) engines() []traverse.Engine {
	if s.GPU {
		return []traverse.Engine{traverse.LevelByLevel, traverse.Persistent}
	}
	return []traverse.Engine{traverse.LevelByLevel}
}

// Traversals tests three traversals by every engine against naive loops.
func (s Suite) Traversals(t *testing.T) {
	for _, test := range []struct {
		name string
		run  func(p *graph.Placed, r *rand.Rand, o traverse.Options) error
	}{{"components", s.components}, {"khop", s.khop}, {"pagerank", s.pagerank}} {
		t.Run(test.name, func(t *testing.T) {
			s.shapes(t, 71, func(t *testing.T, p *graph.Placed, r *rand.Rand) {
				p = weighted(t, p, r)
				for _, e := range s.engines() {
					for i := range 2 { // the second in the memory of the first
						o := traverse.Options{Engine: e, Stats: i == 1}
						if err := test.run(p, r, o); err != nil {
							t.Fatalf("%s: %v", e, err)
						}
					}
				}
			})
		})
	}
}

// weighted returns the graph with random weights.
func weighted(t *testing.T, p *graph.Placed, r *rand.Rand) *graph.Placed {
	t.Helper()
	g := p.Graph()
	out := *g.Out()
	out.Weights = make([]float32, out.NumEdges())
	for e := range out.Weights {
		out.Weights[e] = float32(r.IntN(100))
	}
	parts := graph.CSROptions{Directed: g.Directed()}
	if g.In() != nil && g.Directed() {
		in := *g.In()
		in.Weights = make([]float32, in.NumEdges()) // other weights than the out-edges': tests use one or the other
		for e := range in.Weights {
			in.Weights[e] = float32(r.IntN(100))
		}
		parts.In = &in
	}
	with, err := graph.FromCSR(out, parts)
	if err != nil {
		t.Fatal(err)
	}
	placed, err := with.On(p.Device())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := placed.Close(); err != nil {
			t.Error(err)
		}
	})
	return placed
}

func (s Suite) components(p *graph.Placed, _ *rand.Rand, o traverse.Options) error {
	res, err := components.Run(context.Background(), p, o)
	if err != nil {
		return err
	}
	defer res.Close()
	// Labels propagate along out-edges until none is lowered.
	g, want := p.Graph().Out(), make([]uint32, p.NumVertices())
	for v := range want {
		want[v] = uint32(v)
	}
	for changed := true; changed; {
		changed = false
		for v := range want {
			for _, u := range g.Neighbors(uint32(v)) {
				if want[v] < want[u] {
					want[u], changed = want[v], true
				}
			}
		}
	}
	return compare(res, want)
}

func compare[T device.Elem](res *traverse.Values[T], want []T) error {
	got, err := res.Slice()
	if err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		for v := range want {
			if got[v] != want[v] {
				return fmt.Errorf("vertex %d has %v, want %v", v, got[v], want[v])
			}
		}
	}
	return nil
}

func (s Suite) khop(p *graph.Placed, r *rand.Rand, o traverse.Options) error {
	source, hops, most := uint32(r.IntN(p.NumVertices())), 1+r.IntN(6), float32(r.IntN(100))
	if r.IntN(3) == 0 {
		hops = 1 << 20
	}
	res, err := khop.Run(context.Background(), p, source, hops, most, o)
	if err != nil {
		return err
	}
	defer res.Close()
	g, want := p.Graph().Out(), make([]int32, p.NumVertices())
	for v := range want {
		want[v] = -1
	}
	want[source] = 0
	cur, levels, reached := []uint32{source}, 0, 1
	for level := 1; level <= hops && len(cur) > 0; level++ {
		levels = level
		var next []uint32
		for _, v := range cur {
			for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
				if u := g.Targets[e]; g.Weights[e] <= most && want[u] < 0 {
					want[u] = int32(level)
					next = append(next, u)
				}
			}
		}
		cur = next
		reached += len(cur)
	}
	if err := compare(res, want); err != nil {
		return fmt.Errorf("from %d, %d hops, weight %g: %w", source, hops, most, err)
	}
	if st := res.Stats; st.Rounds != levels || st.Limited != (len(cur) > 0) {
		return fmt.Errorf("%d rounds, limited %t; want %d, %t", st.Rounds, st.Limited, levels, len(cur) > 0)
	}
	if o.Stats {
		sum := len(cur)
		for _, l := range res.Stats.Levels {
			sum += l.Frontier
		}
		if sum != reached {
			return fmt.Errorf("frontiers add up to %d, want %d: %+v", sum, reached, res.Stats.Levels)
		}
	}
	return nil
}

func (s Suite) pagerank(p *graph.Placed, r *rand.Rand, o traverse.Options) error {
	if p.Graph().In() == nil {
		return nil
	}
	rounds, epsilon := 1+r.IntN(12), 1e-4
	x := traverse.New(context.Background(), p, o)
	defer x.Close()
	res, err := traverse.Result(x, pagerank.Ranks(x, 0.85, rounds, epsilon))
	if err != nil {
		return err
	}
	defer res.Close()
	n := p.NumVertices()
	rank, share := make([]float64, n), make([]float64, n)
	out, in, done := p.Graph().Out(), p.Graph().In(), 0
	for done = 1; ; done++ {
		change := 0.0
		next := make([]float64, n)
		for v := range n {
			sum := 0.0
			for _, u := range in.Neighbors(uint32(v)) {
				sum += share[u]
			}
			next[v] = 0.15/float64(n) + 0.85*sum
			change += math.Abs(next[v] - rank[v])
		}
		for v := range n {
			rank[v], share[v] = next[v], next[v]/float64(max(out.Degree(uint32(v)), 1))
		}
		if change < epsilon || done == rounds {
			break
		}
	}
	got, err := res.Slice()
	if err != nil {
		return err
	}
	for v := range n {
		if math.Abs(float64(got[v])-rank[v]) > 1e-4*rank[v]+1e-9 {
			return fmt.Errorf("vertex %d has %g, want %g after %d rounds", v, got[v], rank[v], done)
		}
	}
	if d := res.Stats.Rounds - done; d < -1 || d > 1 { // floats of 32 bits may fall on the other side of epsilon
		return fmt.Errorf("%d rounds, want %d", res.Stats.Rounds, done)
	}
	return nil
}

// ByHand tests that an Advancer takes the functor of a step.
func (s Suite) ByHand(t *testing.T) {
	x := s.rig(t, s.caseOf("skewed-undirected").Graph(3), 5)
	vs, f := x.draw(0.3, true), &functors.Some{Salt: 9, Share: 7}
	x.a.Level = 3
	var want []uint32
	for _, v := range vs {
		for _, u := range x.g.Out().Neighbors(v) {
			if f.Crosses(v, u, 3) {
				want = append(want, u)
			}
		}
	}
	for _, b := range s.Balances {
		in, out := x.queue(vs), frontier.New(x.p)
		x.a.Strategy = b
		_, err := x.a.Push(in, out, f)
		switch b {
		case Strategy("warp"), Strategy("hubs"), Strategy("buckets"), Strategy("scan"):
			if !errors.Is(err, device.ErrNotSupported) || !strings.Contains(err.Error(), "FORAY_PUSH_EXTRA") {
				t.Errorf("%s: %v, want ErrNotSupported with FORAY_PUSH_EXTRA", b, err)
			}
		default:
			x.must(err)
			x.same("push by hand "+b.String(), out, want)
		}
		x.must(out.Close())
	}
}
