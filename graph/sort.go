// This file holds the sorting of rows.

package graph

import (
	"math/bits"
	"slices"
)

// rowSorter sorts rows, one goroutine at a time; it owns the scratch memory.
type rowSorter struct {
	spare []uint32
	keys  []uint64
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
	case low == 0:
	case len(row) <= insertionMax:
		insertionSort(row)
	case !slices.IsSorted(row):
		s.radix(row)
	}
}

func insertionSort(row []uint32) {
	for i := 1; i < len(row); i++ {
		x := row[i]
		j := i
		for ; j > 0 && row[j-1] > x; j-- {
			row[j] = row[j-1]
		}
		row[j] = x
	}
}

// radix sorts by one byte after the other, least first, leaving out the ones
// that all entries share.
func (s *rowSorter) radix(row []uint32) {
	if cap(s.spare) < len(row) {
		s.spare = make([]uint32, min(scratchMax, 1<<bits.Len(uint(len(row)))))
	}
	all, some := ^uint32(0), uint32(0)
	for _, x := range row {
		all, some = all&x, some|x
	}
	from, to := row, s.spare[:len(row)]
	for shift := uint(0); shift < 32; shift += 8 {
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
	if &from[0] != &row[0] {
		copy(row, from)
	}
}

func (s *rowSorter) weighted(row []uint32, weights []float32) {
	if cap(s.keys) < len(row) {
		s.keys = make([]uint64, 1<<bits.Len(uint(len(row))))
	}
	keys := s.keys[:len(row)]
	for i, t := range row {
		keys[i] = uint64(t)<<32 | uint64(weightKey(weights[i]))
	}
	slices.Sort(keys)
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
