package chunks

import (
	"math/rand/v2"
	"testing"
)

// TestCut: chunks of random rows follow one another, fit into a buffer, and don't mix rows on the device with others.
func TestCut(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(48, seed))
		offsets, n := []uint64{0}, 1+r.IntN(60)
		for range n {
			d := uint64(0)
			if r.IntN(3) > 0 {
				d = r.Uint64N(1 + r.Uint64N(90))
			}
			offsets = append(offsets, offsets[len(offsets)-1]+d)
		}
		split, most := offsets[0], 1+r.Uint64N(80)
		if r.IntN(2) == 0 {
			split = offsets[r.IntN(n+1)]
		}
		next := uint32(0)
		for _, c := range cut(offsets, split, most) {
			if c.First != next || c.Last <= c.First || c.Begin != offsets[c.First] || c.End != offsets[c.Last] {
				t.Fatalf("seed %d: %+v follows %d", seed, c, next)
			}
			next = c.Last
			size := c.End - c.Begin
			ok := false
			switch c.where {
			case inBuffer:
				ok = size > 0 && size <= most && c.Begin >= split
			case onHost:
				ok = size == 0 || c.Count() == 1 && size > most
			case onDevice:
				ok = c.End <= split
			}
			if !ok {
				t.Fatalf("seed %d: %+v, buffers of %d, split at %d", seed, c, most, split)
			}
		}
		if int(next) != n {
			t.Fatalf("seed %d: %d vertices of %d", seed, next, n)
		}
	}
}
