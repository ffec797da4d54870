// This file holds the tests of meshes, KKT systems, finite elements, banded graphs, unions of cliques and web-like
// graphs against their definitions.

package gen

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// sizesOfBoxes are small boxes of any shape, and some of several blocks.
func sizesOfBoxes() [][3]int {
	sizes := [][3]int{{1, 1, 1}, {1, 1, 2}, {2, 1, 1}, {1, 3, 1}, {2, 2, 2}, {70, 40, 1}, {1, 1, 6000}, {20, 19, 18}}
	s := newStream(5, 0, 0)
	for range 60 {
		sizes = append(sizes, [3]int{1 + int(s.below(7)), 1 + int(s.below(7)), 1 + int(s.below(7))})
	}
	return sizes
}

// naiveBox returns the pairs of cells of a box whose coordinates differ by one at most, ordered.
func naiveBox(w, h, d int) [][2]uint32 {
	var pairs [][2]uint32
	for a := range w * h * d {
		for _, z := range []int{-1, 0, 1} {
			for _, y := range []int{-1, 0, 1} {
				for _, x := range []int{-1, 0, 1} {
					i, j, k := a%w+x, a/w%h+y, a/w/h+z
					if i >= 0 && i < w && j >= 0 && j < h && k >= 0 && k < d {
						pairs = append(pairs, [2]uint32{uint32(a), uint32((k*h+j)*w + i)})
					}
				}
			}
		}
	}
	return pairs
}

// same fails unless a generator makes each edge of a set once, and no other.
func same(t *testing.T, g Generator, want map[[2]uint32]bool) {
	t.Helper()
	src, dst := all(t, g)
	got := simple(t, g, src, dst)
	if len(got) != len(want) {
		t.Fatalf("%s: %d edges, want %d", g.Name(), len(got), len(want))
	}
	for e := range got {
		if !want[e] {
			t.Fatalf("%s: has the edge %v", g.Name(), e)
		}
	}
}

func TestKKT(t *testing.T) {
	for _, z := range sizesOfBoxes() {
		w, h, d := z[0], z[1], z[2]
		g := parse(t, fmt.Sprintf("kkt:%dx%dx%d", w, h, d))
		cells := uint32(w * h * d)
		want := map[[2]uint32]bool{}
		for _, p := range naiveBox(w, h, d) {
			want[undirected(p[0], cells+p[1])] = true
		}
		control := 2 * cells
		face := func(inFace func(x, y, z int) bool) {
			for c := range int(cells) {
				if inFace(c%w, c/w%h, c/w/h) {
					want[undirected(control, cells+uint32(c))] = true
					control++
				}
			}
		}
		face(func(_, _, z int) bool { return z == 0 })
		face(func(_, _, z int) bool { return z == d-1 })
		face(func(_, y, _ int) bool { return y == 0 })
		face(func(_, y, _ int) bool { return y == h-1 })
		face(func(x, _, _ int) bool { return x == 0 })
		face(func(x, _, _ int) bool { return x == w-1 })
		if uint64(control) != g.NumVertices() {
			t.Fatalf("%s: %d vertices, want %d", g.Name(), g.NumVertices(), control)
		}
		same(t, g, want)
	}
}

func TestElements(t *testing.T) {
	testlong.Project(t)
	for i, z := range sizesOfBoxes() {
		w, h, d, dof := z[0], z[1], z[2], 1+i%4
		if w*h*d*dof < 2 {
			dof = 2
		}
		g := parse(t, fmt.Sprintf("fem:%dx%dx%d,dof=%d", w, h, d, dof))
		want := map[[2]uint32]bool{}
		for _, p := range naiveBox(w, h, d) {
			for a := range dof {
				for b := range dof {
					if u, v := p[0]*uint32(dof)+uint32(a), p[1]*uint32(dof)+uint32(b); u != v {
						want[undirected(u, v)] = true
					}
				}
			}
		}
		same(t, g, want)
	}
}

// A triangle has one neighbor at each side, and none beyond the border; the mesh is connected; squares have both
// diagonals equally often.
func TestMesh(t *testing.T) {
	s := newStream(6, 0, 0)
	sizes := [][2]uint64{{1, 1}, {1, 2}, {2, 1}, {300, 200}, {1, 30000}, {30000, 1}}
	for range 60 {
		sizes = append(sizes, [2]uint64{1 + s.below(20), 1 + s.below(20)})
	}
	for i, z := range sizes {
		w, h := z[0], z[1]
		g, err := newMesh(w, h, uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		src, dst := all(t, g)
		simple(t, g, src, dst)
		adj := adjacency(g, src, dst)
		if count, _, _ := components(adj); count != 1 {
			t.Fatalf("%s: %d components", g.Name(), count)
		}
		rising := 0
		for c := range w * h {
			x, y := c%w, c/w
			left, right := adj[2*c], adj[2*c+1]
			if !slices.Contains(left, uint32(2*c+1)) {
				t.Fatalf("%s: the triangles of square %d aren't joined", g.Name(), c)
			}
			if x+1 < w && !slices.Contains(right, uint32(2*c+2)) {
				t.Fatalf("%s: squares %d and %d aren't joined", g.Name(), c, c+1)
			}
			lower := func(v []uint32) bool {
				return y+1 < h && slices.ContainsFunc(v, func(u uint32) bool { return uint64(u)/2 == c+w })
			}
			upper := func(v []uint32) bool {
				return y > 0 && slices.ContainsFunc(v, func(u uint32) bool { return uint64(u)/2 == c-w })
			}
			if y+1 < h && lower(left) == lower(right) || y > 0 && upper(left) == upper(right) {
				t.Fatalf("%s: not one triangle of square %d at its lower and upper side", g.Name(), c)
			}
			if y > 0 && y+1 < h && lower(left) == upper(left) {
				t.Fatalf("%s: a triangle of square %d has three sides of the square", g.Name(), c)
			}
			if lower(right) || y+1 == h && upper(left) {
				rising++
			}
		}
		if h > 1 {
			likely(t, g.Name()+": diagonals that rise", rising, int(w*h), .5)
		}
	}
}

func TestBanded(t *testing.T) {
	for _, tc := range []struct{ n, k, band int }{{3, 1, 1}, {3, 5, 1}, {10, 3, 8}, {5000, 30, 100}, {100000, 2, 99998}} {
		g, err := newBanded(uint64(tc.n), tc.k, uint64(tc.band), 1)
		if err != nil {
			t.Fatal(err)
		}
		src, dst := all(t, g)
		var count [4]int
		inner := 0
		for e := range src {
			if want := e / tc.k; int(src[e]) != want {
				t.Fatalf("%s: edge %d starts at %d, want %d", g.Name(), e, src[e], want)
			}
			by := int(dst[e]) - int(src[e])
			if by > tc.band || by < -tc.band {
				t.Fatalf("%s: edge %d is from %d to %d", g.Name(), e, src[e], dst[e])
			}
			if v := int(src[e]); v >= tc.band && v < tc.n-tc.band {
				if by == 0 {
					t.Fatalf("%s: edge %d is a self-loop", g.Name(), e)
				}
				inner++
				rank := by + tc.band // 0 to 2*band-1, without the vertex itself
				if by > 0 {
					rank--
				}
				count[rank*4/(2*tc.band)]++
			}
		}
		if tc.band >= 100 && inner > 1000 {
			for q, c := range count {
				likely(t, fmt.Sprintf("%s: edges to quarter %d of the band", g.Name(), q), c, inner, .25)
			}
		}
	}
}

// Cliques are complete, within their window, in the order of their windows, and of the sizes that were drawn.
func TestCliques(t *testing.T) {
	for _, spec := range []string{"cliques:n=2,count=1,largest=2,window=2", "cliques:n=10,count=7,largest=3,window=10", "cliques:n=40000,count=20000,window=1500",
		"cliques:n=50000,count=5000,largest=360,window=360,seed=3"} {
		g := parse(t, spec).(*cliques)
		src, dst := all(t, g)
		simpleWithin := func(s, d []uint32) (members []uint32) {
			for e := range s {
				if s[e] >= d[e] {
					t.Fatalf("%s: edge %d to %d", spec, s[e], d[e])
				}
				members = append(members, s[e], d[e])
			}
			slices.Sort(members)
			return slices.Compact(members)
		}
		e, pairs := 0, 0
		var sizes []int
		for b := range g.Blocks() {
			g.block(b, func(_, size uint64) { sizes = append(sizes, int(size)) })
		}
		if uint64(len(sizes)) != g.count {
			t.Fatalf("%s: %d cliques", spec, len(sizes))
		}
		for c, size := range sizes {
			if size == 2 {
				pairs++
			}
			n := size * (size - 1) / 2
			members := simpleWithin(src[e:e+n], dst[e:e+n])
			if len(members) != size {
				t.Fatalf("%s: clique %d has %d members, %d were drawn", spec, c, len(members), size)
			}
			if uint64(members[size-1]-members[0]) >= g.window {
				t.Fatalf("%s: clique %d is from %d to %d", spec, c, members[0], members[size-1])
			}
			e += n
		}
		if e != len(src) {
			t.Fatalf("%s: %d edges in cliques, %d in all", spec, e, len(src))
		}
		if g.largest > 100 {
			sum := 0.0
			for x := 2; x <= int(g.largest); x++ {
				sum += toMinus5Halves(float64(x))
			}
			// Of a group's quantiles as many are 2 as its probability says, to within one.
			if p := toMinus5Halves(2) / sum; math.Abs(float64(pairs)/float64(g.count)-p) > .002 {
				t.Errorf("%s: %d pairs of %d cliques, expected %.3f of them", spec, pairs, g.count, p)
			}
		}
	}
}

// Pages have as many links as were drawn; of the first 16 half stay within the host; popular pages have about the share that their rank
// gives them; a page of a chain has one link to it, from the page before.
func TestWeb(t *testing.T) {
	for _, spec := range []string{"web:n=1280,chain=64", "web:n=60000", "web:60000,most=100,chain=3,seed=5"} {
		g := parse(t, spec).(*web)
		src, dst := all(t, g)
		in, out, links := make([]int, g.n), make([]int, g.n), make([]int, g.n)
		for b := range g.Blocks() {
			g.block(b, func(v, size uint64) { links[v] += int(size) })
		}
		inner, local := 0, 0
		for e := range src {
			u, v := uint64(src[e]), uint64(dst[e])
			if v >= g.core {
				if in[v]++; in[v] > 1 {
					t.Fatalf("%s: page %d of a chain is linked twice", spec, v)
				}
				if first := (v-g.core)%g.chain == 0; first != (u < g.core) || !first && u != v-1 {
					t.Fatalf("%s: page %d is linked from %d", spec, v, u)
				}
				continue
			}
			in[v]++
			out[u]++
			if u < g.core && links[u] <= mostLocal {
				inner++
				if u/hostPages == v/hostPages {
					local++
				}
			}
		}
		for v := range g.n {
			if out[v] != links[v] || v >= g.core && in[v] != 1 {
				t.Fatalf("%s: page %d has %d links, %d were drawn, and %d to it", spec, v, out[v], links[v], in[v])
			}
		}
		// Links to any page stay within the host by chance alone: one in hundreds of those.
		if share := float64(local) / float64(inner); share < .49 || share > .56 {
			t.Errorf("%s: %.3f of the first links stay within the host", spec, share)
		}
		slices.Sort(in)
		popular, sum := 0, 0
		for i, c := range in {
			if sum += c; uint64(i) >= g.n-g.n/1000 {
				popular += c
			}
		}
		// A thousandth of the pages has a tenth of the links that don't stay.
		if share := float64(popular) / float64(sum); share < .04 || share > .1 {
			t.Errorf("%s: a thousandth of the pages has %.3f of the links", spec, share)
		}
	}
}

// Items are there once each, whatever their number; sizes have the share that the power law gives them.
func TestSized(t *testing.T) {
	for _, items := range []uint64{1, 2, 1000, groupItems - 1, groupItems, groupItems + 1, 5*groupItems + 77} {
		s := newSized(items, 2, 300, 7, toMinus5Halves, func(size uint64) uint64 { return size * (size - 1) / 2 })
		seen := make([]int, items)
		count := map[uint64]int{}
		edges := uint64(0)
		for b := range s.Blocks() {
			s.block(b, func(item, size uint64) {
				seen[item]++
				count[size]++
				edges += size * (size - 1) / 2
			})
		}
		if slices.Min(seen) != 1 || slices.Max(seen) != 1 || edges != s.NumEdges() {
			t.Fatalf("%d items: each is there %d to %d times, with %d edges of %d", items, slices.Min(seen), slices.Max(seen), edges, s.NumEdges())
		}
		sum := 0.0
		for x := 2.0; x <= 300; x++ {
			sum += toMinus5Halves(x)
		}
		for _, x := range []uint64{2, 3, 4, 10} {
			if want := float64(items) * toMinus5Halves(float64(x)) / sum; math.Abs(float64(count[x])-want) > float64(items/groupItems)+2 {
				t.Errorf("%d items: %d of size %d, expected %.1f", items, count[x], x, want)
			}
		}
	}
}
