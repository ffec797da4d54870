// This file holds items whose sizes have a power-law distribution, and their division into blocks.

package gen

import "math"

// A power law gives a number x the weight x^-2.5 or x^-1.75. Weights are products and square roots of floats
// alone, which every machine rounds in the same way.
func toMinus5Halves(x float64) float64   { return 1 / (x * x * math.Sqrt(x)) }
func toMinus7Quarters(x float64) float64 { return 1 / (x * math.Sqrt(x) * math.Sqrt(math.Sqrt(x))) }

// groupItems is how many items a group has, as a power of two.
const (
	groupBits  = 12
	groupItems = 1 << groupBits
)

// sized are items with sizes that follow a power law. The items of a group of 4096 have the distribution's
// quantiles, one each, so the number of edges of any number of groups is known without a look at them. The sizes of a
// group are in ascending order; a permutation of the group maps each size to an item.
type sized struct {
	items      uint64
	full, last stretches // of a group, and of the rest of the items, which may be empty
	seed       uint64    // of the permutations
}

// stretches are the sizes of a group's items, cut into blocks: those of block i are sizes[first[i]:first[i+1]].
type stretches struct {
	sizes []uint32
	first []int
	edges uint64
}

// newSized returns so many items with sizes from least to largest. An item has so many edges, at most BlockEdges.
func newSized(items, least, largest, seed uint64, weight func(x float64) float64, edges func(size uint64) uint64) sized {
	const unit = 1 << 40
	total := uint64(0)
	weightOf := func(x uint64) uint64 { return uint64(unit * weight(float64(x))) }
	for x := least; x <= largest; x++ {
		total += weightOf(x)
	}
	s := sized{items: items, seed: seed}
	x, below := least, weightOf(least)
	for i := range uint64(groupItems) {
		for quantile := (2*i + 1) * (total / (2 * groupItems)); below <= quantile && x < largest; {
			x++
			below += weightOf(x)
		}
		s.full.sizes = append(s.full.sizes, uint32(x))
	}
	for rest, i := items%groupItems, uint64(0); i < rest; i++ {
		s.last.sizes = append(s.last.sizes, s.full.sizes[(2*i+1)*groupItems/(2*rest)])
	}
	for _, t := range []*stretches{&s.full, &s.last} {
		filled := uint64(BlockEdges)
		for i, size := range t.sizes {
			e := edges(uint64(size))
			if filled+e > BlockEdges {
				t.first, filled = append(t.first, i), 0
			}
			filled += e
			t.edges += e
		}
		t.first = append(t.first, len(t.sizes))
	}
	return s
}

// NumEdges is the number of edges of all items.
func (s *sized) NumEdges() uint64 { return s.items/groupItems*s.full.edges + s.last.edges }

func (s *sized) Blocks() int {
	return int(s.items/groupItems)*(len(s.full.first)-1) + len(s.last.first) - 1
}

// block calls yield for each item of a block, with its size.
func (s *sized) block(i int, yield func(item, size uint64)) {
	group, part := uint64(i/(len(s.full.first)-1)), i%(len(s.full.first)-1)
	t := &s.full
	if whole := s.items / groupItems; group >= whole {
		group, part, t = whole, i-int(whole)*(len(s.full.first)-1), &s.last
	}
	p := newPermutation(groupBits, s.seed+group)
	for at := t.first[part]; at < t.first[part+1]; at++ {
		item := p.apply(uint32(at))
		for int(item) >= len(t.sizes) { // of a part of a group: the permutation's next that is in it
			item = p.apply(item)
		}
		yield(group*groupItems+uint64(item), uint64(t.sizes[at]))
	}
}
