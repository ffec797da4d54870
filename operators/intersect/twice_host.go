// This file holds how the host counts triangles whose edges may count twice.

package intersect

import "math/bits"

// isTwice returns 1 for an edge that counts twice, else 0.
func (j *trianglesHost) isTwice(edge uint64) uint64 { return j.twice[edge>>6] >> (edge & 63) & 1 }

// markTwice adds to the words of u's row which edges count twice.
func (j *trianglesHost) markTwice(l *corner, u uint32, row []uint32) {
	first, k := j.o.begin[u], 0
	for i, w := range row {
		if l.words[k].at != w>>6 {
			k++
		}
		l.words[k].twice |= j.isTwice(first+uint64(i)) << (w & 63)
	}
}

// hubsTwice is hubsAt. It returns also what the opposite edges of u add up to.
func (j *trianglesHost) hubsTwice(l *corner, u uint32, row []uint32) (total, weight uint64) {
	first, k := j.o.begin[u], 0
	for i, v := range row[1:] {
		k = l.upTo(v, k)
		lo, hi := words(v), words(v+1)
		other, twice := j.o.bits[lo:hi], j.twiceBits[lo:hi]
		found, more := 0, 0
		own := 1 + j.isTwice(first+uint64(i)+1)
		for _, w := range l.words[:k] {
			x := w.mask & other[w.at]
			found += bits.OnesCount64(x)
			more += bits.OnesCount64(x & w.twice)
			weight += uint64(bits.OnesCount64(x & twice[w.at]))
			for ; x != 0; x &= x - 1 {
				l.hubs[w.at<<6+uint32(bits.TrailingZeros64(x))] += own
			}
		}
		l.hubs[v] += uint64(found + more)
		total += uint64(found)
	}
	return total, weight + total
}

// streamTwice is stream for the neighbors from a place in the row of u on.
func (j *trianglesHost) streamTwice(l *corner, u uint32, row []uint32, from int) (total, weight uint64) {
	o := j.o
	first := o.begin[u]
	for i, w := range row {
		l.twice[w>>6] |= j.isTwice(first+uint64(i)) << (w & 63)
	}
	for i, v := range row[from:] {
		own := 1 + j.isTwice(first+uint64(from+i))
		found := uint64(0)
		for e := o.begin[v]; e < o.end[v]; e++ {
			w := o.targets[e]
			if !l.has(w) {
				continue
			}
			total++
			weight += 1 + j.isTwice(e)
			found += 1 + l.twice[w>>6]>>(w&63)&1
			j.addFrom(l, w, own)
		}
		if found > 0 {
			j.addFrom(l, v, found)
		}
	}
	for _, w := range row {
		l.twice[w>>6] = 0
	}
	return total, weight
}
