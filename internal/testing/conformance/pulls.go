// This file holds tests of pulls: on graphs whose degrees are near one another, and of
// the last ones, which have few candidates.

package conformance

import (
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// Alike searches graphs in which all vertices have about as many neighbors, whose
// pulls may be spared candidates by a push beforehand: at random among all vertices,
// and among those near on a ring, which makes more levels than there are bitmaps for.
// Some vertices are apart.
func (s Suite) Alike(t *testing.T) {
	cache, far := tuning.ParentCache, tuning.PushCostFar
	defer func() { tuning.ParentCache, tuning.PushCostFar = cache, far }()
	r := rand.New(rand.NewPCG(97, 1))
	for round := range s.rounds(24, 9, 6) {
		tuning.ParentCache, tuning.PushCostFar = []uint64{cache, 0}[round%2], []float32{far, 0.1, 1}[round%3] // more and less is pushed
		n := 500 + r.IntN(s.times(60_000, 6_000))
		degree := 14 + r.IntN(40)
		reach := n
		if round%3 == 2 {
			n = 500 + n/8
			reach = max(n/(30+r.IntN(30)), 8)
		}
		t.Logf("round %d: %d vertices of %d neighbors within %d", round, n, degree, reach)
		g := alike(t, r, n, degree, reach, round%2 == 1)
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []bfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents}, {Stats: true, DepthLimit: 1 + r.IntN(6)}, {Outputs: bfs.Depths | bfs.Parents, ByID: true}, {ByID: true}} {
			sources := []uint32{uint32(r.IntN(g.NumVertices()))}
			if r.IntN(3) == 0 {
				sources = append(sources, uint32(r.IntN(g.NumVertices())))
			}
			s.checkSome(t, p, sources, o)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// LastPulls searches graphs from which paths hang, so that pulls continue when few
// candidates remain, in more words than the warps of a small GPU take at once.
func (s Suite) LastPulls(t *testing.T) {
	r := rand.New(rand.NewPCG(101, 1))
	for range s.rounds(6, 2, 1) {
		g := hanging(t, r, 150_000, 1+r.IntN(60))
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []bfs.Options{{Stats: true}, {Outputs: bfs.Depths | bfs.Parents}, {ByID: true}} {
			sources := []uint32{uint32(r.IntN(g.NumVertices()))}
			s.checkSome(t, p, sources, o)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// hanging returns such a graph.
func hanging(t *testing.T, r *rand.Rand, n, paths int) *graph.Graph {
	t.Helper()
	var src, dst []int64
	edge := func(u, v int64) { src, dst = append(src, u), append(dst, v) }
	for u := range int64(n) {
		for range 4 {
			edge(u, r.Int64N(int64(n)))
		}
	}
	next := int64(n)
	for range paths {
		at := r.Int64N(int64(n))
		for range 1 + r.IntN(9) {
			edge(at, next)
			if r.IntN(4) == 0 { // a star beside, whose row is long
				for range 40 {
					next++
					edge(next-1, next)
				}
			}
			at = next
			next++
		}
	}
	// Out of reach, and candidates of every pull.
	for range r.IntN(5) {
		for range r.IntN(100) {
			edge(next, next+1+r.Int64N(50))
		}
		next += 60
	}
	return built(t, graph.Options{Order: []graph.Order{graph.OrderGiven, graph.OrderDegree}[r.IntN(2)]}, src, dst)
}

// alike returns a graph whose degrees are similar. Every vertex has an edge to about degree others within
// reach on the ring.
func alike(t *testing.T, r *rand.Rand, n, degree, reach int, directed bool) *graph.Graph {
	t.Helper()
	var src, dst []int64
	if !directed {
		degree /= 2
	}
	apart := r.IntN(20)
	for u := range n {
		if u < apart {
			continue
		}
		for range degree - 1 + r.IntN(3) {
			if v := (u + 1 + r.IntN(reach)) % n; v >= apart {
				src, dst = append(src, int64(u)), append(dst, int64(v))
			}
		}
	}
	o := graph.Options{Directed: directed, Reverse: directed, Order: []graph.Order{graph.OrderGiven, graph.OrderDegree}[r.IntN(2)]}
	return built(t, o, src, dst)
}
