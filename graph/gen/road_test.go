// This file holds the tests of road-like graphs.

package gen

import "testing"

func TestRoad(t *testing.T) {
	for _, spec := range []string{"road:400x400", "road:400x400,seed=1", "road:600x300", "road:160x1000,seed=2"} {
		g := parse(t, spec)
		src, dst := all(t, g)
		simple(t, g, src, dst)
		n := int(g.NumVertices())
		mean := 2 * float64(len(src)) / float64(n)
		if mean < 2.3 || mean > 2.5 {
			t.Errorf("%s: mean degree %.3f", spec, mean)
		}
		var hist [5]int
		for v, d := range degrees(g, src, dst) {
			if d > 4 {
				t.Fatalf("%s: vertex %d has degree %d", spec, v, d)
			}
			hist[d]++
		}
		if hist[2] < n*6/10 || hist[1] < n/50 || hist[0] > n/1000 {
			t.Errorf("%s: vertices of degree 0 to 4: %v", spec, hist)
		}
		adj := adjacency(g, src, dst)
		_, largest, in := components(adj)
		if largest < n*98/100 {
			t.Errorf("%s: %d of %d vertices in the largest component", spec, largest, n)
		}
		// The component's first vertex is in the upper left corner; the lower
		// right one is half of the sides' sum in links away.
		r := g.(*road)
		_, depth := bfs(adj, in, make([]bool, n))
		if half := int(r.w+r.h) / 2; depth < half*11/10 || depth > half*18/10 {
			t.Errorf("%s: %d levels from vertex %d", spec, depth, in)
		}
		if longest := longestChain(adj); longest < 12 {
			t.Errorf("%s: the longest chain has %d vertices", spec, longest)
		}
	}
}

// longestChain returns the most vertices of degree 2 in a row. Rings without
// a junction don't count.
func longestChain(adj [][]uint32) int {
	longest := 0
	for v := range adj {
		if len(adj[v]) == 2 {
			continue
		}
		for _, at := range adj[v] {
			from, length := uint32(v), 0
			for len(adj[at]) == 2 {
				from, at = at, adj[at][0]+adj[at][1]-from
				length++
			}
			longest = max(longest, length)
		}
	}
	return longest
}

// At the benchmark's size the counts are these.
func TestRoadBenchmarkSize(t *testing.T) {
	g := parse(t, "road")
	if g.NumVertices() != 4_000_000 || g.NumEdges() != 4_795_125 {
		t.Errorf("%d vertices, %d edges", g.NumVertices(), g.NumEdges())
	}
}

// A graph of any size matches the construction. The uncut graph is connected,
// and each cut adds at most one component. The number of edges is the number
// of links and chain edges, less the cuts. One link in ten is cut, rounded in
// each tile.
func TestRoadOfAnySize(t *testing.T) {
	s := newStream(3, 0, 0)
	sizes := [][2]uint64{{4, 4}, {4, 1000}, {1000, 4}, {16, 16}, {18, 18}, {16, 32}, {34, 48}}
	for range 100 {
		sizes = append(sizes, [2]uint64{4 + 2*s.below(40), 4 + 2*s.below(40)})
	}
	for i, z := range sizes {
		chain, even := []int{3, 12, 0, 32}[i%4], i%8 >= 4
		g, err := newRoad(z[0], z[1], uint64(chain), even, uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		src, dst := all(t, g)
		simple(t, g, src, dst)
		jw, jh := int(z[0]/2), int(z[1]/2)
		n := (chain + 1) * jw * jh
		if uint64(n) != g.NumVertices() {
			t.Fatalf("%s: %d vertices, want %d", g.Name(), g.NumVertices(), n)
		}
		links := (jw-1)*jh + jw*(jh-1)
		cuts := links + chain*jw*jh - len(src)
		tiles := ((jw + 7) / 8) * ((jh + 7) / 8)
		if off := cuts*10 - links; off < -5*tiles || off > 5*tiles {
			t.Errorf("%s: %d of %d links are cut", g.Name(), cuts, links)
		}
		if count, _, _ := components(adjacency(g, src, dst)); count > 1+cuts || count < n-len(src) {
			t.Errorf("%s: %d components, %d cuts", g.Name(), count, cuts)
		}
	}
}

// TestRoadEven: with even the chains of a tile have one length, to within one vertex.
func TestRoadEven(t *testing.T) {
	g := parse(t, "road:400x400,chain=12,even")
	src, dst := all(t, g)
	simple(t, g, src, dst)
	if mean := 2 * float64(len(src)) / float64(g.NumVertices()); mean < 2.1 || mean > 2.15 {
		t.Errorf("mean degree %.3f", mean)
	}
	// Two links and 12 vertices a junction: 6 on each; cuts join no chains.
	adj := adjacency(g, src, dst)
	if longest := longestChain(adj); longest < 6 || longest > 30 {
		t.Errorf("the longest chain has %d vertices", longest)
	}
}
