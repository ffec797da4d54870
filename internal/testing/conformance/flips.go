// This file holds a test on graphs that make a search change direction at every
// level.

package conformance

import (
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

// Flips searches directed graphs whose levels alternate between one vertex and vertices
// with many edges, all to vertices that were visited at the beginning. With factors that pull
// every other level there are more changes of direction than bitmaps.
func (s Suite) Flips(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 1))
	for range s.times(6, 2) {
		g, source, levels := flipping(t, r)
		p, err := g.On(s.Device)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []bfs.Options{{Stats: true}, {Outputs: bfs.Depths | bfs.Parents, Stats: true}, {Outputs: bfs.Depths | bfs.Parents}} {
			for _, v := range s.variants()[:min(6, len(s.variants()))] {
				found, err := v.run(p, []uint32{source}, o)
				if err == nil {
					err = testsearch.Check(g, []uint32{source}, o, found)
				}
				if err != nil {
					t.Fatalf("%s, %d levels: %v", v.name, levels, err)
				}
				flips := 0
				for i := 1; i < len(found.Stats); i++ {
					if found.Stats[i].Direction != found.Stats[i-1].Direction {
						flips++
					}
				}
				if s.GPU && v.beta == everyOther && o.Stats && flips < levels-6 {
					t.Errorf("%d changes of direction in %d levels", flips, levels)
				}
				found.Close()
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Local searches graphs whose edges lead to near vertices. The kernel's own rule pulls once in vain, and not in later
// searches. On other graphs later searches pull as the first one did.
func (s Suite) Local(t *testing.T) {
	for spec, local := range map[string]bool{"fem:20x10x10": true, "banded:n=8000,band=100": true, "banded:n=4000,band=40": true, "kron12": false, "urand12": false, "urand:n=3000,edgefactor=20": false} {
		t.Run(spec, func(t *testing.T) {
			p := s.generate(t, spec)
			defer p.Close()
			if s.GPU && !local { // factors that pull in vain teach nothing
				r, err := dobfs.Run(t.Context(), p, 1, dobfs.Options{Outputs: bfs.Depths, Tuning: bfs.Tuning{Coupling: "fused", Alpha: 1e9, Beta: 1e9}})
				if err != nil {
					t.Fatal(err)
				}
				r.Close()
			}
			var pulled [3]int
			for i := range pulled {
				o := dobfs.Options{Outputs: bfs.Depths | bfs.Parents, Stats: true}
				if s.GPU {
					o.Tuning.Coupling = "fused"
				}
				r, err := dobfs.Run(t.Context(), p, 1, o)
				if err == nil {
					err = testsearch.Check(p.Graph(), []uint32{1}, bfs.Options{Outputs: o.Outputs, Stats: true}, r)
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range r.Stats {
					if l.Direction == "pull" {
						pulled[i]++
					}
				}
				r.Close()
			}
			if !s.GPU {
				return
			}
			t.Log("pulls", pulled)
			switch {
			case local && (pulled[0] == 0 || pulled[0] > 4 || pulled[1] >= pulled[0] || pulled[2] != pulled[1]):
				t.Errorf("pulls of three searches: %d; want few, and fewer in the later ones", pulled)
			case !local && (pulled[0] == 0 || pulled[1] != pulled[0] || pulled[2] != pulled[0]):
				t.Errorf("pulls of three searches: %d; want as many in each", pulled)
			}
		})
	}
}

// flipping returns such a graph, its first vertex, and how many levels it has.
func flipping(t *testing.T, r *rand.Rand) (g *graph.Graph, source uint32, levels int) {
	t.Helper()
	pairs := 10 + r.IntN(10) // of levels
	base, apart, hubs := 1500+r.IntN(500), 4000+r.IntN(500), 20+r.IntN(10)
	var src, dst []int64
	next := int64(0)
	vertex := func() int64 { next++; return next - 1 }
	edge := func(u, v int64) { src, dst = append(src, u), append(dst, v) }
	root := vertex()
	first := next
	for range base {
		edge(root, vertex())
	}
	// Out of reach, but candidates of every pull.
	lost := vertex()
	for range apart {
		edge(lost, vertex())
	}
	one := vertex()
	edge(first, one)
	for range pairs {
		then := vertex()
		for range hubs {
			h := vertex()
			edge(one, h)
			edge(h, then)
			for v := range int64(base) {
				edge(h, first+v)
			}
		}
		one = then
	}
	place := r.Perm(int(next)) // ids don't depend on the levels
	for i := range src {
		src[i], dst[i] = int64(place[src[i]]), int64(place[dst[i]])
	}
	o := graph.Options{Directed: true, Reverse: true, DenseIDs: true}
	if r.IntN(2) == 0 { // the source has no in-edge, and its bit is past the bits of all vertices with in-edges
		o.Order = graph.OrderGiven
		far := int(next) + 200
		for i := range src {
			if src[i] == int64(place[root]) {
				src[i] = int64(far)
			}
		}
		place[root] = far
	}
	g = built(t, o, src, dst)
	var err error
	if source, err = g.Vertex(int64(place[root])); err != nil {
		t.Fatal(err)
	}
	return g, source, 3 + 2*pairs
}
