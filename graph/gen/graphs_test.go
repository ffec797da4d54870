// This file holds the tests of uniform graphs, small worlds, lattices, stars,
// paths and cycles against their definitions.

package gen

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestUniform(t *testing.T) {
	for _, spec := range []string{"urand14", "urand:n=10007,seed=5", "urand:n=3,edgefactor=100000"} {
		g := parse(t, spec)
		src, dst := all(t, g)
		n := int(g.NumVertices())
		// Pairs of classes of ends, so that the ends are seen to be independent.
		classes := min(n, 16)
		count := make([]int, classes*classes)
		for e := range src {
			count[int(src[e])*classes/n*classes+int(dst[e])*classes/n]++
		}
		size := make([]int, classes)
		for v := range n {
			size[v*classes/n]++
		}
		for i, c := range count {
			p := float64(size[i/classes]) / float64(n) * float64(size[i%classes]) / float64(n)
			likely(t, fmt.Sprintf("%s: edges between classes %d and %d", spec, i/classes, i%classes), c, len(src), p)
		}
	}
}

func TestSmallWorld(t *testing.T) {
	for _, tc := range []struct {
		n, k int
		p    float64
	}{{3, 2, 0}, {7, 6, 0}, {100, 4, 0}, {20000, 8, 0}, {20000, 8, .1}, {30000, 6, .5}, {20000, 8, 1}, {5, 2, 1}} {
		g, err := newSmallWorld(uint64(tc.n), tc.k, tc.p, 1)
		if err != nil {
			t.Fatal(err)
		}
		src, dst := all(t, g)
		if len(src)*2 != tc.n*tc.k { // a mean degree of k
			t.Fatalf("%s: %d edges", g.Name(), len(src))
		}
		moved := 0
		steps := make([]int, 4)
		for e := range src {
			if want := e / (tc.k / 2); int(src[e]) != want {
				t.Fatalf("%s: edge %d starts at %d, want %d", g.Name(), e, src[e], want)
			}
			if src[e] == dst[e] {
				t.Fatalf("%s: edge %d is a self-loop", g.Name(), e)
			}
			step := (int(dst[e]) - int(src[e]) + tc.n) % tc.n
			if step != e%(tc.k/2)+1 {
				moved++
				steps[(step-1)*len(steps)/(tc.n-1)]++
			}
		}
		if tc.p == 0 {
			simple(t, g, src, dst)
			if moved != 0 {
				t.Errorf("%s: %d edges moved", g.Name(), moved)
			}
			continue
		}
		// One in n-1 of the rewired edges comes back to where it was.
		likely(t, g.Name()+": edges moved", moved, len(src), tc.p*float64(tc.n-2)/float64(tc.n-1))
		if tc.n > 100 {
			for q, c := range steps {
				likely(t, fmt.Sprintf("%s: edges moved into quarter %d of the ring", g.Name(), q), c, moved, .25)
			}
		}
	}
}

// The naive definition of a lattice: vertices whose coordinates differ by one
// along one axis, around the torus if it is one.
func naiveLattice(w, h, d int, torus bool) map[[2]uint32]bool {
	set := map[[2]uint32]bool{}
	id := func(x, y, z int) uint32 { return uint32((z*h+y)*w + x) }
	join := func(u uint32, x, y, z int) {
		if torus {
			set[undirected(u, id(x%w, y%h, z%d))] = true
		} else if x < w && y < h && z < d {
			set[undirected(u, id(x, y, z))] = true
		}
	}
	for z := range d {
		for y := range h {
			for x := range w {
				join(id(x, y, z), x+1, y, z)
				join(id(x, y, z), x, y+1, z)
				if d > 1 {
					join(id(x, y, z), x, y, z+1)
				}
			}
		}
	}
	return set
}

func TestLattices(t *testing.T) {
	type size struct {
		w, h, d int
		torus   bool
	}
	sizes := []size{
		{1, 2, 1, false}, {2, 1, 1, false}, {3, 3, 1, true}, {3, 3, 3, true}, {1, 1, 2, false},
		{70000, 1, 1, false}, {1, 70000, 1, false}, {1, 1, 70000, false}, {300, 200, 1, false}, {40, 41, 39, true}, {40, 41, 39, false},
		{33000, 3, 1, true}, {3, 33000, 1, true}, {3, 3, 12000, true}, {32768, 3, 1, false},
	}
	s := newStream(2, 0, 0)
	for range 200 {
		z := size{w: 1 + int(s.below(9)), h: 1 + int(s.below(9)), d: 1 + int(s.below(9))}
		if z.torus = s.below(2) == 0; z.torus {
			z.w, z.h, z.d = z.w+2, z.h+2, z.d+2
		}
		if z.w*z.h*z.d > 1 {
			sizes = append(sizes, z)
		}
		if z.d = 1; z.w*z.h > 1 {
			sizes = append(sizes, z)
		}
	}
	for _, z := range sizes {
		o := latticeOptions{Torus: z.torus}
		g, err := newGrid3D(uint64(z.w), uint64(z.h), uint64(z.d), o)
		if z.d == 1 {
			g, err = newGrid2D(uint64(z.w), uint64(z.h), o)
		}
		if err != nil {
			t.Fatal(err)
		}
		src, dst := all(t, g)
		got, want := simple(t, g, src, dst), naiveLattice(z.w, z.h, z.d, z.torus)
		if len(got) != len(want) {
			t.Fatalf("%s: %d edges, want %d", g.Name(), len(got), len(want))
		}
		for e := range got {
			if !want[e] {
				t.Fatalf("%s: has the edge %v", g.Name(), e)
			}
		}
		if full := 4 + 2*min(1, z.d-1); z.torus {
			for v, d := range degrees(g, src, dst) {
				if d != full {
					t.Fatalf("%s: vertex %d has degree %d, want %d", g.Name(), v, d, full)
				}
			}
		}
	}
}

// A three-dimensional lattice of depth 1 has the edges of a flat one.
func TestFlatGrid3D(t *testing.T) {
	src, dst := all(t, parse(t, "grid3d:30x20x1"))
	src2, dst2 := all(t, parse(t, "grid2d:30x20"))
	if hashEdges(src, dst) != hashEdges(src2, dst2) {
		t.Error("other edges")
	}
}

// A lattice with hubs has the edges of the lattice, and of each range of vertices one that is a hub, whose other edges
// lead anywhere but to itself.
func TestHubs(t *testing.T) {
	for _, tc := range []struct {
		w, h   int
		p      float64
		degree int
	}{{1, 2, .001, 1}, {2, 1, 1, 1}, {9, 7, .001, 62}, {9, 7, 1, 5}, {10, 1, .35, 4}, {300, 200, .001, 1000}, {300, 200, .5, 7}, {1, 70000, .001, 3000}} {
		g, err := newHubs(uint64(tc.w), uint64(tc.h), tc.p, uint64(tc.degree), 3)
		if err != nil {
			t.Fatal(err)
		}
		src, dst := all(t, g)
		flatSrc, flatDst := all(t, parse(t, fmt.Sprintf("grid2d:%dx%d", tc.w, tc.h)))
		m := len(flatSrc)
		if !slices.Equal(src[:m], flatSrc) || !slices.Equal(dst[:m], flatDst) {
			t.Fatalf("%s: other edges of the lattice", g.Name())
		}
		src, dst = src[m:], dst[m:]
		n := tc.w * tc.h
		count := max(1, int(math.Round(tc.p*float64(n))))
		if len(src) != count*tc.degree {
			t.Fatalf("%s: %d edges of hubs, want %d of %d each", g.Name(), len(src), count, tc.degree)
		}
		steps, places := make([]int, 4), make([]int, 4)
		for e := range src {
			k, v := e/tc.degree, int(src[e])
			if first, last := k*n/count, (k+1)*n/count; v < first || v >= last || v != int(src[k*tc.degree]) {
				t.Fatalf("%s: hub %d is %d, with an edge of %d", g.Name(), k, src[k*tc.degree], v)
			} else if e%tc.degree == 0 && last-first >= 100 {
				places[(v-first)*len(places)/(last-first)]++
			}
			if src[e] == dst[e] {
				t.Fatalf("%s: a self-loop at %d", g.Name(), v)
			}
			steps[((int(dst[e])-v+n)%n-1)*len(steps)/(n-1)]++
		}
		for q := range steps {
			if n > 1000 {
				likely(t, fmt.Sprintf("%s: edges to quarter %d", g.Name(), q), steps[q], len(src), .25)
			}
			if hubs := places[0] + places[1] + places[2] + places[3]; hubs > 0 {
				likely(t, fmt.Sprintf("%s: hubs in quarter %d of their range", g.Name(), q), places[q], hubs, .25)
			}
		}
	}
}

func TestStarPathCycle(t *testing.T) {
	for _, n := range []int{2, 3, 1000, BlockEdges, BlockEdges + 1, BlockEdges + 2, 3 * BlockEdges} {
		for _, name := range []string{"star", "path", "cycle"} {
			if name == "cycle" && n < 3 {
				continue
			}
			g := parse(t, fmt.Sprintf("%s:%d", name, n))
			src, dst := all(t, g)
			for e := range src {
				u, v := e, (e+1)%n
				if name == "star" {
					u = 0
				}
				if int(src[e]) != u || int(dst[e]) != v {
					t.Fatalf("%s: edge %d is %d to %d, want %d to %d", g.Name(), e, src[e], dst[e], u, v)
				}
			}
			if want := n - 1; name != "cycle" && len(src) != want || name == "cycle" && len(src) != n {
				t.Errorf("%s: %d edges", g.Name(), len(src))
			}
		}
	}
}

// The last edges of the largest graphs, where ids and counts are near their
// limits.
func TestLargest(t *testing.T) {
	src, dst := make([]uint32, BlockEdges), make([]uint32, BlockEdges)
	const last = uint32(maxVertices - 1)
	for _, tc := range []struct {
		spec     string
		from, to uint32
	}{
		{"star:4294967295", 0, last},
		{"path:4294967295", last - 1, last},
		{"cycle:4294967295", last, 0},
		{"grid2d:65537x65535", last - 1, last},
		{"grid2d:65537x65535,torus", last, 65536},
		{"grid3d:1431655765x3x1", last - 1, last},
		{"smallworld:n=4294967295,k=2,p=0", last, 0},
	} {
		g, err := Parse(tc.spec)
		if err != nil {
			t.Fatal(err)
		}
		n := g.Block(g.Blocks()-1, src, dst)
		if src[n-1] != tc.from || dst[n-1] != tc.to {
			t.Errorf("%s ends with %d to %d, want %d to %d", tc.spec, src[n-1], dst[n-1], tc.from, tc.to)
		}
		if full := uint64(g.Blocks()-1) * BlockEdges; full+uint64(n) != g.NumEdges() {
			t.Errorf("%s: the last block has %d edges of %d", tc.spec, n, g.NumEdges())
		}
	}
	for _, spec := range []string{"kron31", "kron31:edgefactor=8192", "urand:n=4294967295,edgefactor=4096", "hubs:65537x65535", "road:65534x65536"} {
		g := parse(t, spec)
		n := g.Block(g.Blocks()-1, src, dst)
		high := uint32(0)
		for e := range n {
			high = max(high, src[e], dst[e])
			if uint64(max(src[e], dst[e])) >= g.NumVertices() {
				t.Fatalf("%s: edge %d to %d", spec, src[e], dst[e])
			}
		}
		if uint64(high) < g.NumVertices()/4*3 {
			t.Errorf("%s: the largest id of the last block is %d", spec, high)
		}
	}
}
