// This file holds how TwoPass counts degrees in the first pass and puts edges
// into their rows in the second, from several goroutines.

package graph

import (
	"sync"
	"sync/atomic"
)

// openRows are rows that are being filled, in any order. They are locked in
// parts: the entries of a batch are sorted by part first, so that a lock is
// taken once for some hundred of them. An atomic counter per row was measured
// slower: every locked instruction waits for the entry before to reach memory.
type openRows struct {
	csr   *CSR
	ends  []uint64 // where the entries of a row end so far
	parts *rowBuckets
	locks []paddedMutex
}

type paddedMutex struct {
	sync.Mutex
	_ [56]byte
}

func newOpenRows(offsets []uint64, o Options) *openRows {
	r := &openRows{csr: newCSR(offsets, o), parts: newRowBuckets(offsets, openParts)}
	r.ends = make([]uint64, len(offsets)-1)
	copy(r.ends, offsets)
	r.locks = make([]paddedMutex, r.parts.len())
	return r
}

// rowEntry is an entry on its way to its row.
type rowEntry struct {
	row, target uint32
	weight      float32
}

// entryBatch is the scratch memory of put: entries as they come, and by part.
type entryBatch struct {
	from, to []rowEntry
	// Edge ids of the same, where there are any: few graphs have them.
	fromIDs, toIDs []uint64
	ends           []uint32
}

// put appends the entries of s.from to their rows, or reports that one is full.
func (r *openRows) put(s *entryBatch) bool {
	if cap(s.to) < len(s.from) {
		s.to = make([]rowEntry, max(len(s.from), idBatchLen))
	}
	to := s.to[:len(s.from)]
	ids := r.csr.EdgeIDs != nil
	if ids && cap(s.toIDs) < len(s.from) {
		s.toIDs = make([]uint64, max(len(s.from), idBatchLen))
	}
	toIDs := s.toIDs[:cap(s.toIDs)]
	s.ends = append(s.ends[:0], make([]uint32, len(r.locks))...)
	of, shift := r.parts.of, r.parts.shift
	for _, e := range s.from {
		s.ends[of[e.row>>shift]]++
	}
	sum := uint32(0)
	for k, n := range s.ends {
		s.ends[k] = sum
		sum += n
	}
	for i, e := range s.from {
		k := of[e.row>>shift]
		to[s.ends[k]] = e
		if ids {
			toIDs[s.ends[k]] = s.fromIDs[i]
		}
		s.ends[k]++
	}
	if len(to) == 0 {
		return true
	}
	// Goroutines start at different parts, so that they rarely wait.
	first := int(mix(uint64(to[0].target)) % uint64(len(s.ends)))
	for i := range s.ends {
		k := (first + i) % len(s.ends)
		lo := uint32(0)
		if k > 0 {
			lo = s.ends[k-1]
		}
		r.locks[k].Lock()
		entryIDs := toIDs
		if ids {
			entryIDs = toIDs[lo:s.ends[k]]
		}
		ok := r.append(to[lo:s.ends[k]], entryIDs)
		r.locks[k].Unlock()
		if !ok {
			return false
		}
	}
	return true
}

// append puts entries into their rows. Their part is locked.
func (r *openRows) append(entries []rowEntry, ids []uint64) bool {
	c := r.csr
	for i, e := range entries {
		at := r.ends[e.row]
		if at >= c.Offsets[e.row+1] {
			return false
		}
		r.ends[e.row] = at + 1
		c.Targets[at] = e.target
		if c.Weights != nil {
			c.Weights[at] = e.weight
		}
		if c.EdgeIDs != nil {
			c.EdgeIDs[at] = ids[i]
		}
	}
	return true
}

// counters are counters by provisional number. They grow while they count.
type counters struct {
	mu       sync.Mutex
	blocks   atomic.Pointer[[]*[counterBlock]uint32]
	overflow atomic.Bool
}

// add counts every number once.
func (c *counters) add(numbers []uint32) {
	most := uint32(0)
	for _, x := range numbers {
		most = max(most, x)
	}
	blocks := c.upTo(most)
	for _, x := range numbers {
		if atomic.AddUint32(&blocks[x/counterBlock][x%counterBlock], 1) == 0 {
			c.overflow.Store(true)
		}
	}
}

// upTo returns the blocks, which reach to number most at least.
func (c *counters) upTo(most uint32) []*[counterBlock]uint32 {
	need := int(most/counterBlock) + 1
	if b := c.blocks.Load(); b != nil && len(*b) >= need {
		return *b
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var old []*[counterBlock]uint32
	if b := c.blocks.Load(); b != nil {
		old = *b
	}
	if len(old) >= need {
		return old
	}
	// A new list, since others may be reading the old one.
	blocks := make([]*[counterBlock]uint32, max(need, len(old)+len(old)/4))
	copy(blocks, old)
	for i := len(old); i < len(blocks); i++ {
		blocks[i] = new([counterBlock]uint32)
	}
	c.blocks.Store(&blocks)
	return blocks
}

// array returns the counts of the numbers below space.
func (c *counters) array(space int) []uint32 {
	all := make([]uint32, 0, space)
	if b := c.blocks.Load(); b != nil {
		for _, block := range *b {
			all = append(all, block[:min(counterBlock, space-len(all))]...)
		}
	}
	return append(all, make([]uint32, space-len(all))...)
}
