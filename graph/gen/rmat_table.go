// This file holds the table by which one random number decides several levels
// of R-MAT.

package gen

// rmatLevels is how many levels one draw decides. 4^5 columns of 8 bytes are
// a quarter of an L1 cache; 6 levels would fill one, and save nothing at the
// usual scales of 20 to 30.
const rmatLevels = 5

// rmatTable draws from the 4^levels outcomes of so many levels by the alias
// method (Walker, "An efficient method for generating discrete random
// variables with general distributions", ACM TOMS 1977; Vose's construction).
// Each column has the weight 1 and holds two outcomes: the first up to a
// threshold, the second above it.
type rmatTable struct {
	// columns: threshold in units of 2^-32 in the upper half of the word, then
	// the two outcomes, 16 bits each. Only the first 4^levels are used; the
	// array's fixed length lets the compiler drop the bounds check.
	columns [1 << (2 * rmatLevels)]uint64
	shift   uint8 // leaves the index of a column of a random number
}

// draw returns the outcome of a random number: the source's bits in the upper
// byte, the target's in the lower.
func (t *rmatTable) draw(r uint64) uint32 {
	c := t.columns[(r>>(t.shift&63))%(1<<(2*rmatLevels))]
	// Without a branch, which would be mispredicted half of the time: above is
	// all ones where the low half of r has reached the threshold.
	above := (c>>32 - r&(1<<32-1) - 1) >> 63
	return uint32(uint16(c >> (above * 16 & 63)))
}

// extend decides the next levels of every edge.
func (t *rmatTable) extend(s *stream, levels int, src, dst []uint32) {
	local, shift := *s, levels&31
	dst = dst[:len(src)]
	for e, u := range src {
		x := t.draw(local.next())
		src[e] = u<<shift | x>>8
		dst[e] = dst[e]<<shift | x&0xff
	}
	*s = local
}

// newRMATTable returns the table of so many levels, 1 to rmatLevels, of
// quadrants with the probabilities A, B, C and D.
//
// Only products of floats enter, and their conversion to integers: both are
// exact or rounded the same way on every machine, so the graphs of a seed are
// the same everywhere.
func newRMATTable(levels int, abcd [4]float64) *rmatTable {
	n := 1 << (2 * levels)
	t := &rmatTable{shift: uint8(64 - 2*levels)}
	// Weights in units of which all together have 2^62: what rounding leaves
	// over goes to the likeliest outcome, where it matters least.
	const unit uint64 = 1 << 62
	column := unit / uint64(n)
	weight := make([]uint64, n)
	sum, likeliest := uint64(0), 0
	for x := range weight {
		p := 1.0
		for l := levels - 1; l >= 0; l-- {
			p *= abcd[x>>l&1|x>>(levels+l)&1<<1]
		}
		weight[x] = uint64(p * float64(unit))
		sum += weight[x]
		if weight[x] > weight[likeliest] {
			likeliest = x
		}
	}
	weight[likeliest] += unit - sum // modulo 2^64, so a sum too large is taken off as well

	var small, large []int
	for x, w := range weight {
		if w < column {
			small = append(small, x)
		} else {
			large = append(large, x)
		}
	}
	outcome := func(x int) uint64 { return uint64(x>>levels<<8 | x&(1<<levels-1)) }
	for i := 0; i < len(small); i++ {
		x := small[i]
		y := large[len(large)-1] // the weights' sum is n columns, so while one is below a column another is above
		t.columns[x] = weight[x]/(column>>32)<<32 | outcome(y)<<16 | outcome(x)
		weight[y] -= column - weight[x]
		if weight[y] < column {
			large = large[:len(large)-1]
			small = append(small, y)
		}
	}
	for _, x := range large { // exactly one column each
		t.columns[x] = (1<<32-1)<<32 | outcome(x)<<16 | outcome(x)
	}
	return t
}
