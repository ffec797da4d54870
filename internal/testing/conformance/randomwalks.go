// This file holds the tests of algos/walks.

package conformance

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/algos/walks"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
)

// AlgorithmWalks compares random walks with the oracle's, vertex by vertex.
func (s Suite) AlgorithmWalks(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 8))
	for i := range s.times(40, 12) {
		n := 1 + r.IntN(100)
		b := graph.NewBuilder(graph.Options{Weights: true, Directed: i%2 == 0, KeepSelfLoops: true, KeepDuplicates: i%3 == 0})
		var src, dst []int64
		var weights []float32
		for range 1 + r.IntN(4*n) {
			src, dst, weights = append(src, r.Int64N(int64(n))), append(dst, r.Int64N(int64(n))), append(weights, float32(r.IntN(4)))
		}
		if err := graph.AddInts(b, src, dst, weights); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		o := walks.Options{Count: 1 + r.IntN(3), Length: 1 + r.IntN(9), Seed: r.Uint64(), Weighted: r.IntN(2) == 0}
		if i%4 > 1 {
			o.P, o.Q = []float64{0.25, 4, 1e5}[r.IntN(3)], []float64{0.5, 2, 1e-5, 1e5}[r.IntN(4)]
		}
		want := oracle.Walks(g, oracle.WalkOptions{Count: o.Count, Length: o.Length, Seed: o.Seed, Weighted: o.Weighted, P: o.P, Q: o.Q})
		at := 0
		for b, err := range walks.Each(t.Context(), p, o) {
			if err == nil {
				err = walks.Validate(g, b, o)
			}
			if err != nil {
				t.Fatalf("%+v: %v", o, err)
			}
			for k := range b.Starts {
				if got := b.Vertices[b.Offsets[k]:b.Offsets[k+1]]; !slices.Equal(got, want[at]) {
					t.Fatalf("%+v: walk %d is %v, want %v", o, at, got, want[at])
				}
				at++
			}
		}
		if err := errors.Join(p.Close()); err != nil || at != len(want) {
			t.Fatalf("%d walks, want %d, %v", at, len(want), err)
		}
	}
}
