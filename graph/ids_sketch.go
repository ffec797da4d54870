// This file holds the estimate of how many distinct integer ids came in, for
// telling early that memory won't do.

package graph

import (
	"math"
	"math/bits"
)

// sketch counts distinct ids to within a few percent: HyperLogLog (Flajolet,
// Fusy, Gandouet and Meunier 2007), with linear counting while few.
type sketch struct{ rank [1 << sketchBits]uint8 }

func countInts[T Integer](s *sketch, ids []T) {
	for _, x := range ids {
		h := mix(uint64(uint32(x)))
		r := uint8(bits.LeadingZeros64(h<<sketchBits|1<<(sketchBits-1))) + 1
		if at := &s.rank[h>>(64-sketchBits)]; r > *at {
			*at = r
		}
	}
}

// countKeys counts ids by all of their bits.
func countKeys(s *sketch, keys []uint64) {
	for _, x := range keys {
		h := mix(x)
		r := uint8(bits.LeadingZeros64(h<<sketchBits|1<<(sketchBits-1))) + 1
		if at := &s.rank[h>>(64-sketchBits)]; r > *at {
			*at = r
		}
	}
}

// add makes s count what t counted too.
func (s *sketch) add(t *sketch) {
	for i, r := range t.rank {
		s.rank[i] = max(s.rank[i], r)
	}
}

func (s *sketch) count() float64 {
	const m = 1 << sketchBits
	sum, zeros := 0.0, 0
	for _, r := range s.rank {
		sum += math.Ldexp(1, -int(r))
		if r == 0 {
			zeros++
		}
	}
	n := 0.7213 / (1 + 1.079/m) * m * m / sum
	if n < 2.5*m && zeros > 0 {
		n = m * math.Log(m/float64(zeros))
	}
	return n
}
