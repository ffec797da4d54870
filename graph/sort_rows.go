// This file holds the sorting of many short rows together.

package graph

import "math/bits"

// batch is the rows that are sorted together.
type batch struct {
	keys, spare []uint64 // target<<32 | row<<16 | entry
	// Where the rows begin, and where the next entry of each goes.
	starts, next []uint64
	weights      []float32 // of the entries, or nil
	ids          []uint64  // or nil
	most         uint32    // the largest target
}

// rows sorts the rows from first to end-1 of c; row v ends at ends[v]. Rows of middling length are
// sorted as many together as the cache has room for: what a radix sort costs besides its entries is
// then shared by all, and unlike a sort by comparison it has nothing to guess.
func (s *rowSorter) rows(c *CSR, ends []uint64, first, end int) {
	b := &s.batch
	if room := int(min(togetherMax, c.Offsets[end]-c.Offsets[first])); cap(b.keys) < room {
		b.keys, b.spare = make([]uint64, 0, room), make([]uint64, room)
	}
	for v := first; v < end; v++ {
		lo, hi := c.Offsets[v], ends[v]
		switch n := hi - lo; {
		case n < 2:
			continue
		case n <= insertionMax || n > togetherMax:
			s.sort(c.row(lo, hi))
			continue
		case uint64(len(b.keys))+n > togetherMax:
			s.together(c)
		}
		b.add(c.row(lo, hi), lo)
	}
	s.together(c)
}

// add adds a row, which begins at entry lo.
func (b *batch) add(row cells, lo uint64) {
	n := len(b.keys)
	b.keys = b.keys[:n+len(row.targets)]
	k, most := uint64(len(b.next))<<16|uint64(n), b.most
	for i, t := range row.targets {
		most = max(most, t)
		b.keys[n+i] = uint64(t)<<32 | (k + uint64(i))
	}
	b.most = most
	b.starts, b.next = append(b.starts, lo), append(b.next, lo)
	b.weights, b.ids = append(b.weights, row.weights...), append(b.ids, row.ids...)
}

// together sorts the rows of the batch, and empties it.
func (s *rowSorter) together(c *CSR) {
	b := &s.batch
	for _, k := range b.sorted() {
		row := uint16(k >> 16)
		i := b.next[row]
		b.next[row] = i + 1
		c.Targets[i] = uint32(k >> 32)
		if c.Weights != nil {
			c.Weights[i] = b.weights[uint16(k)]
		}
		if c.EdgeIDs != nil {
			c.EdgeIDs[i] = b.ids[uint16(k)]
		}
	}
	if c.Weights != nil || c.EdgeIDs != nil {
		for row, lo := range b.starts { // entries of one target
			for i, hi := lo, b.next[row]; i < hi; {
				j := i + 1
				for j < hi && c.Targets[j] == c.Targets[i] {
					j++
				}
				if j > i+1 {
					s.sort(c.row(i, j))
				}
				i = j
			}
		}
	}
	b.keys, b.starts, b.next, b.weights, b.ids, b.most = b.keys[:0], b.starts[:0], b.next[:0], b.weights[:0], b.ids[:0], 0
}

// sorted returns the keys in the order of their targets, those of one target in the order in which they
// are.
func (b *batch) sorted() []uint64 {
	var at [1 << digitMax]uint32
	width := bits.Len32(b.most)
	passes := (width + digitMax - 1) / digitMax
	for pass := range passes {
		low, high := width*pass/passes, width*(pass+1)/passes
		shift, counts := uint(32+low), at[:1<<(high-low)]
		mask := uint64(len(counts) - 1)
		clear(counts)
		for _, k := range b.keys {
			counts[k>>shift&mask]++
		}
		sum := uint32(0)
		for i, n := range counts {
			counts[i] = sum
			sum += n
		}
		to := b.spare[:len(b.keys)]
		for _, k := range b.keys {
			d := k >> shift & mask
			to[counts[d]] = k
			counts[d]++
		}
		b.keys, b.spare = to, b.keys[:cap(b.keys)]
	}
	return b.keys
}
