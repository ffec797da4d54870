// This file tests searches in graphs of several components. A search in the
// largest component detects when it is done; searches in others must not assume that they are in it.

package conformance

import (
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// Components searches from vertices of every component of random graphs, alone and
// together, with limits about where searches end.
func (s Suite) Components(t *testing.T) {
	r := rand.New(rand.NewPCG(103, 1))
	for round := range s.times(40, 8) {
		sizes := [][]int{{3000, 400, 40, 2, 2, 1}, {2000, 1900, 300}, {900, 900, 900, 900}, {5000}, {600, 3, 2, 2, 1, 1}}[round%5]
		g, one := scattered(t, r, sizes, r.IntN(2) == 0)
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("round %d: components of %v", round, sizes)
		search := func(o bfs.Options, sources ...uint32) {
			t.Helper()
			s.checkSome(t, p, sources, o)
		}
		r.Shuffle(len(one), func(i, j int) { one[i], one[j] = one[j], one[i] })
		for i, v := range one {
			search(bfs.Options{Outputs: testsearch.Outputs(true, i%2 == 1), ByID: r.IntN(2) == 0}, v)
			search(bfs.Options{Stats: true, DepthLimit: 1 + r.IntN(7)}, v)
			search(bfs.Options{ByID: true}, v, one[r.IntN(len(one))])
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// scattered returns a graph of components of about these sizes, ids at random, and a
// vertex of each.
func scattered(t *testing.T, r *rand.Rand, sizes []int, skewed bool) (g *graph.Graph, one []uint32) {
	t.Helper()
	n := 0
	for _, size := range sizes {
		n += size
	}
	ids := r.Perm(n)
	var src, dst []int64
	var some []int64
	base := 0
	for _, size := range sizes {
		for i := 1; i < size; i++ {
			for range 1 + r.IntN(6) {
				to := r.IntN(i)
				if skewed {
					to = r.IntN(to + 1)
				}
				src, dst = append(src, int64(ids[base+i])), append(dst, int64(ids[base+to]))
			}
		}
		if size > 1 {
			some = append(some, int64(ids[base+r.IntN(size)]))
		}
		base += size
	}
	g = built(t, graph.Options{Order: []graph.Order{graph.OrderGiven, graph.OrderDegree}[r.IntN(2)]}, src, dst)
	for _, id := range some {
		v, ok := g.IDs().FindInt(0, id)
		if !ok {
			t.Fatalf("no vertex %d", id)
		}
		one = append(one, v)
	}
	return g, one
}

// Beyond searches graphs most of whose vertices have no edge, so many that a separate loop
// marks them as unreached.
func (s Suite) Beyond(t *testing.T) {
	r := rand.New(rand.NewPCG(107, 1))
	for round := range s.times(6, 2) {
		n, directed := int64(550_000+r.IntN(100_000)), round%2 == 1
		var src, dst []int64
		for range 6000 {
			src, dst = append(src, r.Int64N(100)*7), append(dst, r.Int64N(2500)*7)
		}
		g := built(t, graph.Options{Directed: directed, Reverse: directed, Order: graph.OrderDegree, DenseIDs: true, Vertices: uint64(n)}, src, dst)
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range []bfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents}, {Outputs: bfs.Parents}, {ByID: true}, {Outputs: bfs.Depths | bfs.Parents, ByID: true}, {DepthLimit: 3}, {}} {
			sources := []uint32{uint32(r.IntN(2000))}
			if i == 6 { // one of those that have none
				sources[0] = uint32(g.NumVertices() - 1 - r.IntN(1000))
			}
			s.checkSome(t, p, sources, o)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
