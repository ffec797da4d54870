package graph

import (
	"math/rand/v2"
	"testing"
)

// TestTiles: whatever the edges are like, equal ones meet in one bucket, and no bucket has far more
// than its share, unless they are all alike.
func TestTiles(t *testing.T) {
	const space, edges, buckets = 1 << 20, 1 << 17, 64
	r := rand.New(rand.NewPCG(5, 6))
	inputs := map[string]func(i int) (u, v uint32){
		"uniform":  func(int) (u, v uint32) { return r.Uint32N(space), r.Uint32N(space) },
		"star":     func(i int) (u, v uint32) { return 7, uint32(i) },
		"path":     func(i int) (u, v uint32) { return uint32(i), uint32(i + 1) },
		"two hubs": func(i int) (u, v uint32) { return uint32(i % 2), r.Uint32N(space) },
		"near":     func(int) (u, v uint32) { x := r.Uint32N(space - 100); return x, x + r.Uint32N(100) },
		"corner":   func(int) (u, v uint32) { return space - 1 - r.Uint32N(1000), space - 1 - r.Uint32N(1000) },
		"skewed":   func(int) (u, v uint32) { return r.Uint32N(1 << r.IntN(21)), r.Uint32N(1 << r.IntN(21)) },
		"one":      func(int) (u, v uint32) { return 3, 4 },
	}
	for name, edge := range inputs {
		for _, directed := range []bool{false, true} {
			b := &build{o: Options{Directed: directed}, seed: r.Uint64(), ids: idSource{space: space}}
			b.stats.InputEdges = edges
			var l chunkList
			pool := &chunkPool{}
			for i := range edges {
				c, _ := l.room(pool)
				u, v := edge(i)
				c.pair[c.n] = pairOf(u, v)
				c.n++
			}
			tiles := b.newTiles(chunksOf([]chunkList{l}), buckets)
			sizes, of := make([]int, tiles.buckets), map[uint64]uint32{}
			for c := l.head; c != nil; c = c.next {
				for _, p := range c.pair[:c.n] {
					p, _ = b.plain(p)
					k := tiles.bucket(p)
					if was, ok := of[p]; ok && was != k {
						t.Fatalf("%s: pair %x in buckets %d and %d", name, p, was, k)
					}
					of[p] = k
					sizes[k]++
				}
			}
			for k, n := range sizes {
				if n > 3*edges/buckets && len(of) > 1000 {
					t.Errorf("%s, directed %v: bucket %d of %d has %d of %d pairs", name, directed, k, tiles.buckets, n, edges)
				}
			}
			if tiles.buckets > 2*buckets {
				t.Errorf("%s: %d buckets in place of %d", name, tiles.buckets, buckets)
			}
		}
	}
}

// TestPairSetGrows: a set has all pairs with what is theirs, however often it grows, and when it is used again.
func TestPairSetGrows(t *testing.T) {
	s := &pairSet{seed: 9}
	c := &chunk{pair: new([chunkLen]uint64), w: new([chunkLen]float32), id: new([chunkLen]uint64)}
	for round := range 3 {
		s.reset(1, true, true)
		const n = 10000
		for i := range uint64(n) {
			c.w[0], c.id[0] = float32(i), i+7
			at := s.find(i * i)
			if s.pairs[at] != noPair {
				t.Fatalf("round %d: %d is there before it came", round, i*i)
			}
			s.pairs[at] = i * i
			s.put(at, c, 0)
			if s.n++; s.full() {
				s.grow()
			}
		}
		for i := range uint64(n) {
			if at := s.find(i * i); s.pairs[at] != i*i || s.weights[at] != float32(i) || s.ids[at] != i+7 {
				t.Fatalf("round %d: %d was lost", round, i*i)
			}
		}
	}
}
