// This file holds the set in which duplicates of an edge meet.

package graph

import "math/bits"

// noPair is no edge: NoVertex is no vertex.
const noPair = ^uint64(0)

// pairSet is a set of pairs, with the lightest edge of each: its weight, and of
// the edges of that weight the least id.
type pairSet struct {
	pairs   []uint64 // noPair where free
	weights []float32
	ids     []uint64
	n       int
	seed    uint64
	was     *pairSet // what the set outgrew, to be grown into again
}

// reset empties the set and makes room for about n pairs.
func (s *pairSet) reset(n int, weights, ids bool) {
	size := 1 << bits.Len(uint(max(n+n/3, 64)))
	if cap(s.pairs) < size {
		s.pairs = make([]uint64, size)
	}
	s.pairs, s.n = s.pairs[:size], 0
	for i := range s.pairs {
		s.pairs[i] = noPair
	}
	if weights {
		if cap(s.weights) < size {
			s.weights = make([]float32, size)
		}
		s.weights = s.weights[:size]
	}
	if ids {
		if cap(s.ids) < size {
			s.ids = make([]uint64, size)
		}
		s.ids = s.ids[:size]
	}
}

// put sets what the pair at place at has, from edge j of c.
func (s *pairSet) put(at int, c *chunk, j int) {
	if c.w != nil {
		s.weights[at] = c.w[j]
	}
	if c.id != nil {
		s.ids[at] = c.id[j]
	}
}

// lighter is put where the edge is to be kept rather than the one that is there.
func (s *pairSet) lighter(at int, c *chunk, j int) {
	var have, new uint32
	if c.w != nil {
		have, new = weightKey(s.weights[at]), weightKey(c.w[j])
	}
	if new < have || new == have && c.id != nil && c.id[j] < s.ids[at] {
		s.put(at, c, j)
	}
}

// full reports whether the set must grow before the next pair.
func (s *pairSet) full() bool { return s.n > len(s.pairs)/4*3 }

// grow doubles the room. What was outgrown stays for the next time: one bucket after the other may be
// larger than it seemed, and each would leave memory behind.
func (s *pairSet) grow() {
	old := *s
	if old.was == nil {
		old.was = &pairSet{}
	}
	*s = *old.was
	s.seed = old.seed
	s.reset(len(old.pairs), old.weights != nil, old.ids != nil)
	for i, p := range old.pairs {
		if p != noPair {
			at := s.find(p)
			s.pairs[at] = p
			s.n++
			if old.weights != nil {
				s.weights[at] = old.weights[i]
			}
			if old.ids != nil {
				s.ids[at] = old.ids[i]
			}
		}
	}
	old.was = nil
	s.was = &old
}

// find returns where p is or belongs.
func (s *pairSet) find(p uint64) int {
	mask := len(s.pairs) - 1
	i := int(mix(p^s.seed)) & mask
	for s.pairs[i] != p && s.pairs[i] != noPair {
		i = (i + 1) & mask
	}
	return i
}
