// This file holds the sorting of rows.

package graph

import (
	"math/bits"
	"slices"
)

// rowSorter sorts rows, one goroutine at a time; it owns the scratch memory.
type rowSorter struct {
	spare           []uint32
	keys, spareKeys []uint64
}

const (
	insertionMax = 32      // rows up to this length: insertion sort
	scratchMax   = 1 << 18 // longer rows are split in place first
)

// sort sorts a row by target, and entries of one target by weight. weights is
// nil or as long as the row.
func (s *rowSorter) sort(row []uint32, weights []float32) { s.part(row, weights, 32) }

// part sorts entries whose targets agree above the low bits.
func (s *rowSorter) part(row []uint32, weights []float32, low uint) {
	switch {
	case len(row) > scratchMax && low > 0:
		s.split(row, weights, low)
	case weights != nil:
		s.weighted(row, weights)
	case low > 0:
		s.spare = sortKeys(row, s.spare, 0)
	}
}

// weighted sorts a row with weights: by target as sortKeys does, then the
// entries of one target, which are few, by weight.
func (s *rowSorter) weighted(row []uint32, weights []float32) {
	if cap(s.keys) < len(row) {
		s.keys = make([]uint64, 1<<bits.Len(uint(len(row))))
	}
	keys := s.keys[:len(row)]
	for i, t := range row {
		keys[i] = uint64(t)<<32 | uint64(weightKey(weights[i]))
	}
	s.spareKeys = sortKeys(keys, s.spareKeys, 32)
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

// sortKeys sorts keys by the 32 bits from shift up. It returns spare, which it
// may have made larger. Short rows are sorted by insertion, long ones by one
// byte after the other, least first, leaving out the bytes that all keys share.
func sortKeys[K uint32 | uint64](keys, spare []K, shift uint) []K {
	if len(keys) <= insertionMax {
		for i := 1; i < len(keys); i++ {
			x := keys[i]
			j := i
			for ; j > 0 && keys[j-1] > x; j-- {
				keys[j] = keys[j-1]
			}
			keys[j] = x
		}
		return spare
	}
	all, some, sorted := ^K(0), K(0), true
	for i, x := range keys {
		all, some = all&x, some|x
		sorted = sorted && (i == 0 || keys[i-1] <= x)
	}
	if sorted {
		return spare
	}
	if cap(spare) < len(keys) {
		spare = make([]K, 1<<bits.Len(uint(len(keys))))
	}
	from, to := keys, spare[:len(keys)]
	for end := shift + 32; shift < end; shift += 8 {
		if uint8((all^some)>>shift) == 0 {
			continue
		}
		var at [256]uint32
		for _, x := range from {
			at[uint8(x>>shift)]++
		}
		sum := uint32(0)
		for i, n := range at {
			at[i] = sum
			sum += n
		}
		for _, x := range from {
			i := uint8(x >> shift)
			to[at[i]] = x
			at[i]++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
	return spare
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
