// This file has a functor with local arrays.

package composed

import (
	"github.com/foray-graph/foray/random"
	"github.com/foray-graph/foray/traverse"
)

// Commonest finds the commonest remainder of the neighbors' numbers, and mixes the first few of them with random numbers.
//
//foray:functor
type Commonest struct {
	Offsets   []uint64
	Targets   []uint32
	Remainder []uint32 // the least of the commonest ones; 8 without neighbors
	Mixed     []uint64
	Seed      uint64
}

// Vertex looks at a row. It returns how many neighbors have the remainder.
func (c *Commonest) Vertex(v traverse.Vertex) uint64 {
	var counts [8]uint32
	var first [4]uint64
	begin, end := c.Offsets[v.ID], c.Offsets[int(v.ID)+1]
	for e := begin; e < end; e++ {
		counts[c.Targets[e]%8]++
		if e-begin < 4 {
			first[e-begin] = random.Uint64(c.Seed, uint64(v.ID), e-begin) ^ uint64(c.Targets[e])
		}
	}
	best, most := uint32(len(counts)), uint32(0)
	for i, n := range counts {
		if n > most {
			best, most = uint32(i), n
		}
	}
	c.Remainder[v.ID] = best
	for i := len(first) - 1; i > 0; i-- {
		j := random.Below(uint64(i+1), c.Seed, uint64(v.ID), uint64(4+i))
		first[i], first[j] = first[j], first[i]
	}
	mixed := uint64(0)
	for _, x := range first {
		mixed = mixed*31 + x
	}
	c.Mixed[v.ID] = mixed
	return uint64(most)
}
