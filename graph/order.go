// This file holds the numbering of vertices: which order is taken, and which
// vertex a provisional number becomes.

package graph

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/foray-graph/foray/internal/osmem/hugepage"
)

// degrees are the degrees by provisional number, duplicates left out if the
// graph has none.
type degrees struct {
	out []uint32
	in  []uint32 // nil for undirected graphs, and if not requested
}

// total is what OrderDegree orders by.
func (d degrees) total(p uint32) uint64 {
	if d.in == nil {
		return uint64(d.out[p])
	}
	return uint64(d.out[p]) + uint64(d.in[p])
}

// skewed applies the criterion of OrderAuto.
func (d degrees) skewed(c *crew) (bool, error) {
	type sums struct{ n, sum, hi, lo uint64 } // hi, lo: the sum of squares
	parts := make([]sums, c.parts(len(d.out)))
	err := c.each("", len(parts), func(_, i int) error {
		var s sums
		first, end := span(len(d.out), len(parts), i)
		for p := first; p < end; p++ {
			if x := d.total(uint32(p)); x > 0 {
				s.n++
				s.sum += x
				hi, lo := bits.Mul64(x, x)
				var carry uint64
				s.lo, carry = bits.Add64(s.lo, lo, 0)
				s.hi += hi + carry
			}
		}
		parts[i] = s
		return nil
	})
	// Whole numbers up to here, so that the answer doesn't depend on the parts.
	var s sums
	for _, p := range parts {
		s.n += p.n
		s.sum += p.sum
		var carry uint64
		s.lo, carry = bits.Add64(s.lo, p.lo, 0)
		s.hi += p.hi + carry
	}
	squares := float64(s.hi)*(1<<64) + float64(s.lo)
	return squares*float64(s.n) >= skewed*float64(s.sum)*float64(s.sum) && s.n > 0, err
}

// number decides the order and returns the vertex of every provisional number,
// nil if they are the same.
func (c *crew) number(s *idSource, d degrees, order Order) ([]uint32, Order, error) {
	if order == OrderAuto {
		skew, err := d.skewed(c)
		if err != nil {
			return nil, 0, err
		}
		order = OrderGiven
		if skew {
			order = OrderDegree
		}
	}
	if order == OrderGiven && (s.dense || s.ranked) {
		return nil, order, nil
	}
	parts, err := s.cut(c)
	if err != nil {
		return nil, 0, err
	}
	final := make([]uint32, s.space)
	hugepage.Expect(final)
	if order == OrderGiven {
		err = parts.all(func(v ranked) { final[v.number] = uint32(v.rank) })
	} else {
		err = d.rank(parts, final)
	}
	return final, order, err
}

// rank gives final[p] for the number p of every vertex: its rank by descending degree, ties in the order
// of ids.
func (d degrees) rank(parts *idParts, final []uint32) error {
	// A counting sort by degree, stable in the order of ids; the few that
	// exceed its counters are sorted by comparison and come first. A part has
	// counters up to its greatest degree.
	const huge = 1 << 16
	hubsOf, starts := make([][]uint32, len(parts.firsts)), make([][]uint32, len(parts.firsts))
	err := parts.each(func(part int) error {
		counts := make([]uint32, 0, 256)
		parts.numbers(part, func(p uint32) {
			x := d.total(p)
			if x >= huge {
				hubsOf[part] = append(hubsOf[part], p)
				return
			}
			if x := int(x); x >= len(counts) {
				counts = slices.Grow(counts, x+1-len(counts))[:x+1]
			}
			counts[x]++
		})
		starts[part] = counts
		return nil
	})
	if err != nil {
		return err
	}
	hubs := slices.Concat(hubsOf...)
	slices.SortStableFunc(hubs, func(p, q uint32) int { return cmp.Compare(d.total(q), d.total(p)) })
	for v, p := range hubs {
		final[p] = uint32(v)
	}
	most := 0
	for _, counts := range starts {
		most = max(most, len(counts))
	}
	sum := uint32(len(hubs))
	for x := most - 1; x >= 0; x-- {
		for _, counts := range starts {
			if x < len(counts) {
				counts[x], sum = sum, sum+counts[x]
			}
		}
	}
	return parts.each(func(part int) error {
		next := starts[part]
		parts.numbers(part, func(p uint32) {
			if x := d.total(p); x < huge {
				final[p] = next[x]
				next[x]++
			}
		})
		return nil
	})
}

// offsets returns the offsets of rows of the given lengths.
func (c *crew) offsets(n int, final, lengths []uint32) ([]uint64, error) {
	offsets := make([]uint64, n+1)
	parts := c.parts(len(lengths))
	err := c.each("", parts, func(_, i int) error {
		first, end := span(len(lengths), parts, i)
		for p := first; p < end; p++ {
			switch x := lengths[p]; {
			case x == 0:
			case final == nil:
				offsets[p+1] = uint64(x)
			default:
				offsets[final[p]+1] = uint64(x)
			}
		}
		return nil
	})
	for v := range n {
		offsets[v+1] += offsets[v]
	}
	return offsets, err
}
