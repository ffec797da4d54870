// This file holds the tests of R-MAT, its table and the permutation.

package gen

import (
	"fmt"
	"math"
	"math/bits"
	"testing"
)

// The naive definition of a table's outcome: levels choices in a row.
func TestTableHasTheProbabilities(t *testing.T) {
	for _, abc := range [][3]float64{
		{graph500A, graph500B, graph500C}, {.25, .25, .25}, {.45, .15, .15}, {.1, .2, .3}, {0, .5, .5}, {0, 0, 1}, {1, 0, 0}, {0, 0, 0},
	} {
		abcd, err := quadrants(abc[0], abc[1], abc[2])
		if err != nil {
			t.Fatal(err)
		}
		for levels := 1; levels <= rmatLevels; levels++ {
			table := newRMATTable(levels, abcd)
			columns := 1 << (2 * levels)
			mass := map[uint32]float64{}
			for i, c := range table.columns {
				if i >= columns {
					if c != 0 {
						t.Fatalf("%v, %d levels: column %d is in use", abc, levels, i)
					}
					continue
				}
				first := uint64(i) << table.shift
				threshold := c >> 32
				mass[table.draw(first|1<<32-1)] += (1<<32 - float64(threshold)) / (1 << 32) / float64(columns)
				if threshold > 0 {
					if table.draw(first) != table.draw(first|threshold-1) {
						t.Fatalf("%v, %d levels: column %d changes below its threshold", abc, levels, i)
					}
					mass[table.draw(first)] += float64(threshold) / (1 << 32) / float64(columns)
				}
				if table.draw(first|threshold) != table.draw(first|1<<32-1) {
					t.Fatalf("%v, %d levels: column %d changes above its threshold", abc, levels, i)
				}
			}
			for u := range uint32(1) << levels {
				for v := range uint32(1) << levels {
					want := 1.0
					for l := range levels {
						want *= abcd[u>>l&1<<1|v>>l&1]
					}
					got := mass[u<<8|v]
					delete(mass, u<<8|v)
					if math.Abs(got-want) > 1.0/(1<<32) || (abc[0] == graph500A && math.Abs(got/want-1) > 1e-6) {
						t.Errorf("%v, %d levels: outcome (%d, %d) has probability %g, want %g", abc, levels, u, v, got, want)
					}
				}
			}
			if len(mass) > 0 {
				t.Errorf("%v, %d levels: outcomes past the matrix: %v", abc, levels, mass)
			}
		}
	}
}

// A scale of 13 has two draws of five levels and one of three.
func TestRMATQuadrants(t *testing.T) {
	abcd, _ := quadrants(graph500A, graph500B, graph500C)
	for _, seed := range []uint64{0, 1, 12345} {
		const scale = 13
		g, err := newRMAT(scale, rmatOptions{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		r := g.(*rmat)
		var count [scale][4]int
		var pairs [scale - 1][4][4]int // of neighboring levels, which are independent
		src, dst := make([]uint32, BlockEdges), make([]uint32, BlockEdges)
		edges := 0
		for b := range g.Blocks() {
			n := r.raw(b, src, dst)
			edges += n
			for e := range n {
				last := -1
				for l := range scale {
					q := int(src[e]>>l&1<<1 | dst[e]>>l&1)
					count[l][q]++
					if last >= 0 {
						pairs[l-1][last][q]++
					}
					last = q
				}
			}
		}
		for l := range scale {
			for q, p := range abcd {
				likely(t, fmt.Sprintf("seed %d, level %d, quadrant %c", seed, l, "ABCD"[q]), count[l][q], edges, p)
				for q2, p2 := range abcd {
					if l > 0 {
						likely(t, fmt.Sprintf("seed %d, levels %d and %d, quadrants %c and %c", seed, l-1, l, "ABCD"[q2], "ABCD"[q]),
							pairs[l-1][q2][q], edges, p*p2)
					}
				}
			}
		}
	}
}

// Block is raw, permuted.
func TestRMATPermutes(t *testing.T) {
	g := parse(t, "kron12:seed=3").(*rmat)
	src, dst := make([]uint32, BlockEdges), make([]uint32, BlockEdges)
	n := g.raw(0, src, dst)
	got, to := all(t, g)
	perm := newPermutation(12, 3)
	for e := range n {
		if got[e] != perm.apply(src[e]) || to[e] != perm.apply(dst[e]) {
			t.Fatalf("edge %d is %d to %d, from %d to %d", e, got[e], to[e], src[e], dst[e])
		}
	}
}

// The degrees of R-MAT are skewed: the largest is far above the mean, and
// many vertices have none. An edge starts, and as likely ends, at a vertex
// whose id before the permutation has k ones with probability
// (A+B)^(scale-k) * (C+D)^k, and is its self-loop with A^(scale-k) * D^k.
func TestRMATIsSkewed(t *testing.T) {
	const scale = 14
	g := parse(t, "kron14")
	src, dst := all(t, g)
	isolated, most := 0, 0
	for _, d := range degrees(g, src, dst) {
		most = max(most, d)
		if d == 0 {
			isolated++
		}
	}
	likely(t, "largest degree", most, 2*len(src), math.Pow(graph500A+graph500B, scale))
	want, ways := 0.0, 1.0
	for k := range scale + 1 {
		end := math.Pow(.76, float64(scale-k)) * math.Pow(.24, float64(k))
		loop := math.Pow(.57, float64(scale-k)) * math.Pow(.05, float64(k))
		want += ways * math.Pow(1-2*end+loop, float64(len(src)))
		ways = ways * float64(scale-k) / float64(k+1)
	}
	n := int(g.NumVertices())
	likely(t, "isolated vertices", isolated, n, want/float64(n))
}

func TestPermutationIsABijection(t *testing.T) {
	for bits := 1; bits <= 20; bits++ {
		for seed := range uint64(3) {
			p := newPermutation(bits, seed)
			seen := make([]bool, 1<<bits)
			for v := range uint32(1) << bits {
				w := p.apply(v)
				if w >= 1<<bits || seen[w] {
					t.Fatalf("%d bits, seed %d: %d goes to %d, which is taken or none", bits, seed, v, w)
				}
				seen[w] = true
			}
		}
	}
}

// At the widths that can't be listed, each step is undone.
func TestPermutationCanBeUndone(t *testing.T) {
	s := newStream(1, 0, 0)
	for width := 20; width <= 32; width++ {
		p := newPermutation(width, uint64(width))
		for range 1000 {
			v := uint32(s.next()) & p.mask
			w := p.apply(v)
			for r := permRounds - 1; r >= 0; r-- {
				w ^= w >> p.shift // at least half of the bits, so once is enough
				inverse := p.mul[r]
				for range 5 { // Newton: each step doubles the 3 right bits that an odd number starts with
					inverse *= 2 - p.mul[r]*inverse
				}
				w = (w - p.add[r]) * inverse & p.mask
			}
			if w != v {
				t.Fatalf("%d bits: %d goes to %d, which comes from %d", width, v, p.apply(v), w)
			}
		}
	}
}

// Flipping any bit of an id flips every bit of its image about half of the
// time, over ids and seeds: hubs, whose ids before have few bits set, end up
// anywhere.
func TestPermutationMixes(t *testing.T) {
	for _, width := range []int{8, 20, 27, 31} {
		const trials = 1 << 14
		s := newStream(7, 0, 0)
		flips := make([][]int, width)
		for in := range flips {
			flips[in] = make([]int, width)
			for range trials {
				p := newPermutation(width, s.next())
				v := uint32(s.next()) & p.mask
				for d := p.apply(v) ^ p.apply(v^1<<in); d != 0; d &= d - 1 {
					flips[in][bits.TrailingZeros32(d)]++
				}
			}
			for out, n := range flips[in] {
				if n < trials*4/10 || n > trials*6/10 {
					t.Errorf("%d bits: flipping bit %d flips bit %d %d times in %d", width, in, out, n, trials)
				}
			}
		}
	}
}
