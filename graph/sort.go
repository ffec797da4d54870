// This file holds the sorting of rows.

package graph

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"

	"github.com/foray-graph/foray/internal/calls/looks"
)

// rowSorter sorts rows, one goroutine at a time; it owns the scratch memory.
type rowSorter struct {
	spare           []uint32
	keys, spareKeys []uint64
	cells           []cell
	batch           batch
}

// sort sorts a row by target, entries of one target by weight, and those of one
// weight by edge id.
func (s *rowSorter) sort(c cells) {
	if c.ids != nil {
		s.identified(c)
		return
	}
	s.part(c.targets, c.weights, 32)
}

// part sorts entries whose targets agree above the low bits.
func (s *rowSorter) part(row []uint32, weights []float32, low uint) {
	switch {
	case len(row) > scratchMax && low > 0:
		s.split(row, weights, low)
	case weights != nil:
		s.weighted(row, weights)
	case low > 0:
		s.spare = looks.SortBits(row, s.spare, 0)
	}
}

// weighted sorts a row with weights: by target as looks.SortBits does, then the
// entries of one target, which are few, by weight.
func (s *rowSorter) weighted(row []uint32, weights []float32) {
	if cap(s.keys) < len(row) {
		s.keys = make([]uint64, 1<<bits.Len(uint(len(row))))
	}
	keys := s.keys[:len(row)]
	for i, t := range row {
		keys[i] = uint64(t)<<32 | uint64(weightKey(weights[i]))
	}
	s.spareKeys = looks.SortBits(keys, s.spareKeys, 32)
	for i := 0; i < len(keys); {
		j := i + 1
		for j < len(keys) && keys[j]>>32 == keys[i]>>32 {
			j++
		}
		if j > i+1 {
			slices.Sort(keys[i:j])
		}
		i = j
	}
	for i, k := range keys {
		row[i] = uint32(k >> 32)
		weights[i] = weightOf(uint32(k))
	}
}

// split sorts a row in place by the highest byte of its low bits, then each of
// the parts by the bits that are left (American flag sort, McIlroy, Bostic and
// McIlroy 1993).
func (s *rowSorter) split(row []uint32, weights []float32, low uint) {
	low -= 8
	var at, end [256]int
	for _, x := range row {
		end[uint8(x>>low)]++
	}
	sum := 0
	for i, n := range end {
		at[i] = sum
		sum += n
		end[i] = sum
	}
	starts := at
	for i := range at {
		for at[i] < end[i] {
			x := row[at[i]]
			k := uint8(x >> low)
			to := at[k]
			at[k]++
			if int(k) == i {
				continue
			}
			row[to], row[at[i]] = x, row[to]
			if weights != nil {
				weights[to], weights[at[i]] = weights[at[i]], weights[to]
			}
		}
	}
	for i, lo := range starts {
		if weights == nil {
			s.part(row[lo:end[i]], nil, low)
		} else {
			s.part(row[lo:end[i]], weights[lo:end[i]], low)
		}
	}
}

// cells are some entries of a CSR: targets, and weights and edge ids or nil.
type cells struct {
	targets []uint32
	weights []float32
	ids     []uint64
}

// row returns entries lo to hi-1.
func (c *CSR) row(lo, hi uint64) cells {
	return cells{c.Targets, c.Weights, c.EdgeIDs}.span(int(lo), int(hi))
}

// span returns entries lo to hi-1.
func (r cells) span(lo, hi int) cells {
	r.targets = r.targets[lo:hi]
	if r.weights != nil {
		r.weights = r.weights[lo:hi]
	}
	if r.ids != nil {
		r.ids = r.ids[lo:hi]
	}
	return r
}

// cell is one entry, to be sorted by key, then id.
type cell struct{ key, id uint64 }

func (c cells) at(i int) cell {
	k := uint64(c.targets[i]) << 32
	if c.weights != nil {
		k |= uint64(weightKey(c.weights[i]))
	}
	return cell{k, c.ids[i]}
}

func (x cell) compare(y cell) int { return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.id, y.id)) }

// identified sorts a row with edge ids: long ones in place, so that a hub's row
// isn't held twice.
func (s *rowSorter) identified(c cells) {
	if len(c.targets) > scratchMax {
		sort.Sort(c)
		return
	}
	s.cells = s.cells[:0]
	for i := range c.targets {
		s.cells = append(s.cells, c.at(i))
	}
	slices.SortFunc(s.cells, cell.compare)
	for i, x := range s.cells {
		c.targets[i], c.ids[i] = uint32(x.key>>32), x.id
		if c.weights != nil {
			c.weights[i] = weightOf(uint32(x.key))
		}
	}
}

// Len, Less and Swap are for sort.Sort.
func (c cells) Len() int           { return len(c.targets) }
func (c cells) Less(i, j int) bool { return c.at(i).compare(c.at(j)) < 0 }
func (c cells) Swap(i, j int) {
	c.targets[i], c.targets[j] = c.targets[j], c.targets[i]
	c.ids[i], c.ids[j] = c.ids[j], c.ids[i]
	if c.weights != nil {
		c.weights[i], c.weights[j] = c.weights[j], c.weights[i]
	}
}
