// This file holds what the tests share.

package gen

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"
)

// parse returns the generator of a spec.
func parse(t testing.TB, spec string) Generator {
	t.Helper()
	g, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// all returns the edges of g in order, and checks the blocks' form.
func all(t testing.TB, g Generator) (src, dst []uint32) {
	t.Helper()
	s, d := make([]uint32, BlockEdges), make([]uint32, BlockEdges)
	for b := range g.Blocks() {
		n := g.Block(b, s, d)
		if n < 1 || n > BlockEdges {
			t.Fatalf("%s: block %d of %d has %d edges", g.Name(), b, g.Blocks(), n)
		}
		src, dst = append(src, s[:n]...), append(dst, d[:n]...)
	}
	if uint64(len(src)) != g.NumEdges() {
		t.Fatalf("%s: %d edges, NumEdges is %d", g.Name(), len(src), g.NumEdges())
	}
	for e := range src {
		if n := g.NumVertices(); uint64(src[e]) >= n || uint64(dst[e]) >= n {
			t.Fatalf("%s: edge %d is %d to %d of %d vertices", g.Name(), e, src[e], dst[e], n)
		}
	}
	return src, dst
}

// hashEdges is the FNV-1a hash of the edges as pairs of little-endian words.
func hashEdges(src, dst []uint32) uint64 {
	buf := make([]byte, 0, 8*len(src))
	for e := range src {
		buf = binary.LittleEndian.AppendUint32(buf, src[e])
		buf = binary.LittleEndian.AppendUint32(buf, dst[e])
	}
	h := fnv.New64a()
	h.Write(buf)
	return h.Sum64()
}

// degrees returns the number of edge ends at each vertex.
func degrees(g Generator, src, dst []uint32) []int {
	d := make([]int, g.NumVertices())
	for e := range src {
		d[src[e]]++
		d[dst[e]]++
	}
	return d
}

// adjacency returns the neighbors of each vertex.
func adjacency(g Generator, src, dst []uint32) [][]uint32 {
	a := make([][]uint32, g.NumVertices())
	for e := range src {
		a[src[e]] = append(a[src[e]], dst[e])
		a[dst[e]] = append(a[dst[e]], src[e])
	}
	return a
}

// bfs returns the number of vertices that s reaches, and how deep they lie.
// seen is updated.
func bfs(adj [][]uint32, s uint32, seen []bool) (reached, depth int) {
	level := []uint32{s}
	seen[s] = true
	for ; len(level) > 0; depth++ {
		reached += len(level)
		var next []uint32
		for _, u := range level {
			for _, v := range adj[u] {
				if !seen[v] {
					seen[v] = true
					next = append(next, v)
				}
			}
		}
		level = next
	}
	return reached, depth - 1
}

// components returns the number of components, the size of the largest and a
// vertex of it.
func components(adj [][]uint32) (count, largest int, in uint32) {
	seen := make([]bool, len(adj))
	for v := range adj {
		if seen[v] {
			continue
		}
		count++
		if n, _ := bfs(adj, uint32(v), seen); n > largest {
			largest, in = n, uint32(v)
		}
	}
	return count, largest, in
}

// undirected is an edge without its direction.
func undirected(u, v uint32) [2]uint32 { return [2]uint32{min(u, v), max(u, v)} }

// simple returns the edges as a set, after checking that no edge is a
// self-loop or comes twice.
func simple(t *testing.T, g Generator, src, dst []uint32) map[[2]uint32]bool {
	t.Helper()
	set := make(map[[2]uint32]bool, len(src))
	for e := range src {
		if src[e] == dst[e] {
			t.Fatalf("%s: edge %d is a self-loop at %d", g.Name(), e, src[e])
		}
		k := undirected(src[e], dst[e])
		if set[k] {
			t.Fatalf("%s: edge %d, %d to %d, was there already", g.Name(), e, src[e], dst[e])
		}
		set[k] = true
	}
	return set
}

// likely fails unless a count of n trials that each succeed with probability
// p is within 5 standard deviations of the expected one. Seeds are fixed, so
// what passes once passes always.
func likely(t *testing.T, what string, count, n int, p float64) {
	t.Helper()
	want := float64(n) * p
	if off := math.Abs(float64(count) - want); off > 5*math.Sqrt(float64(n)*p*(1-p))+1 {
		t.Errorf("%s: %d of %d, expected %.0f", what, count, n, want)
	}
}

// background is the context of tests that don't cancel.
var background = context.Background()
