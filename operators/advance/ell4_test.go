// This file holds the tests of pushes over ELL4 rows whose output stays
// in pieces, or doesn't fit into the buffer at once.

package advance_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/operators/advance"
)

// TestPushEll4InSteps pushes frontiers with more than a quarter as many vertices
// as the output has room for, with and without the promise to be unique.
func TestPushEll4InSteps(t *testing.T) {
	for _, n := range []int{12_000} {
		g := testgraph.Path(n).Graph(1)
		for _, workers := range []int{1, 3} {
			b := newBench(t, g, workers)
			out := frontier.New(b.p)
			var all []uint32
			for v := range uint32(n) {
				all = append(all, v)
			}
			b.pushEll4("all", out, all, 256)
			b.pushEll4("all, some let through", out, all, 90)
			b.pushEll4("few", out, all[:n/50], 256)
			f := newEll4Visitor(b, 256)
			f.seen = make([]uint64, (n+63)/64)
			b.push("all, claiming", frontier.New(b.p), all, uniqueEll4{f})
			out = frontier.New(b.p)
			clear(f.seen)
			b.push("all, claiming", out, all, uniqueEll4{f})
			if got := slices.Sorted(slices.Values(out.Vertices())); !slices.Equal(got, all) {
				t.Errorf("%d vertices, %d workers: %d let through once", n, workers, len(got))
			}
		}
	}
}

// uniqueEll4 is an ell4Visitor that claims vertices, and whose Unique returns true.
type uniqueEll4 struct{ *ell4Visitor }

func (uniqueEll4) Unique() bool { return true }

// TestPushEll4InARow passes what a push left on to the next one unread, over
// frontiers that are shared and ones that aren't, with rows of any length.
func TestPushEll4InARow(t *testing.T) {
	testlong.Project(t)
	r := rand.New(rand.NewPCG(3, 1))
	for _, c := range []testgraph.Case{testgraph.ByName("road-undirected"), testgraph.Path(3_000)} {
		g := c.Graph(2)
		if testgraph.Place(g, 1).State().Ell4() == nil {
			t.Fatalf("%s has no ELL4 rows", c.Name)
		}
		for _, workers := range []int{1, 2, 5} {
			b := newBench(t, g, workers)
			for _, size := range []int{100, 300, 1500} {
				want := multiset(r, g.NumVertices(), size)
				in, out := frontier.New(b.p), frontier.New(b.p)
				must(t, in.Add(want...))
				f := newEll4Visitor(b, 128)
				// A hub that comes often has far more targets in the next frontier.
				for level := 0; level < 5 && len(want) < 10_000; level++ {
					var next []uint32
					for _, v := range want {
						for _, to := range g.Out().Neighbors(v) {
							if to != v && hash(v, to) < 128 {
								next = append(next, to)
							}
						}
					}
					want = next
					if _, err := b.a.Push(in, out, f); err != nil {
						t.Fatal(err)
					}
					if out.Len() != len(want) {
						t.Fatalf("%s, %d workers: %d let through, want %d", c.Name, workers, out.Len(), len(want))
					}
					in, out = out, in
				}
				slices.Sort(want)
				if got := slices.Sorted(slices.Values(in.Vertices())); !slices.Equal(got, want) {
					t.Errorf("%s, %d workers, from %d: not what a walk through all rows finds", c.Name, workers, size)
				}
			}
		}
	}
}

var _ advance.Ell4Functor = uniqueEll4{}
