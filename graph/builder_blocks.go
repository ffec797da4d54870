// This file holds blocks of chunks, by which the memory of pairs goes back to the system while rows
// fill. A call for a chunk of two pages, wherever it lies, costs more than filling its rows: for so few
// pages the TLB is flushed page by page.

package graph

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

// block is up to blockLen chunks that lie behind one another.
type block struct {
	at     int // in the pool's blocks
	chunks []chunk
	pair   [][chunkLen]uint64
	w      [][chunkLen]float32 // nil where the graph has no weights
	id     [][chunkLen]uint64  // nil where it has no edge ids
	full   atomic.Int32        // chunks of edges that are full; see early
	early  bool                // a device has the pairs
}

// grow adds unused chunks: as many as there are, slabLen at most. p.mu is held.
func (p *chunkPool) grow() []*block {
	k := min(max(p.made, 1), slabLen)
	p.made += k
	slab := make([]chunk, k)
	raw := pages.Uncleared[uint64](k * chunkLen)
	pairs := unsafe.Slice((*[chunkLen]uint64)(unsafe.Pointer(unsafe.SliceData(raw))), k)
	hugepage.Expect(pairs)
	var w [][chunkLen]float32
	if p.weights {
		w = make([][chunkLen]float32, k)
		hugepage.Expect(w)
	}
	var id [][chunkLen]uint64
	if p.edgeIDs {
		id = make([][chunkLen]uint64, k)
		hugepage.Expect(id)
	}
	had := len(p.blocks)
	for lo := 0; lo < k; lo += blockLen {
		hi := min(lo+blockLen, k)
		b := &block{at: len(p.blocks), chunks: slab[lo:hi], pair: pairs[lo:hi]}
		if w != nil {
			b.w = w[lo:hi]
		}
		if id != nil {
			b.id = id[lo:hi]
		}
		for i := range b.chunks {
			c := &b.chunks[i]
			c.of, c.pair = b, &b.pair[i]
			if w != nil {
				c.w = &b.w[i]
			}
			if id != nil {
				c.id = &b.id[i]
			}
		}
		p.blocks = append(p.blocks, b)
	}
	return p.blocks[had:]
}

// hold makes the chunks of a block those that get returns next. p.mu is held.
func (p *chunkPool) hold(b *block) {
	for i := len(b.chunks) - 1; i >= 0; i-- {
		c := &b.chunks[i]
		c.next = p.free
		p.free = c
	}
}

// release gives a block's pages back.
func (b *block) release() {
	pages.Release(b.pair)
	pages.Release(b.w)
	pages.Release(b.id)
}

// rowBlocks hands out blocks to the partition by row, so that those of a group of buckets go back when
// the rows of the group are filled. No other caller takes chunks meanwhile.
type rowBlocks struct {
	pool    *chunkPool
	buckets int
	mu      sync.Mutex
	free    []*block
	groups  []blockGroup
}

// blockGroup is what buckets that lie behind one another have.
type blockGroup struct {
	blocks []*block
	left   atomic.Int32 // buckets whose rows aren't filled yet
}

// openBlock is a block from which a worker takes chunks.
type openBlock struct {
	*block
	taken int
}

// newRowBlocks returns the blocks of a pool for so many buckets and workers, with the chunks of
// pairs by block.
func newRowBlocks(pool *chunkPool, chunks []*chunk, buckets, workers int) (*rowBlocks, [][]*chunk) {
	by := make([][]*chunk, len(pool.blocks))
	for _, c := range chunks {
		by[c.of.at] = append(by[c.of.at], c)
	}
	r := &rowBlocks{pool: pool, buckets: buckets, groups: make([]blockGroup, min(buckets, blockGroups(uint64(len(chunks)), workers)))}
	for k := range buckets {
		r.groups[r.group(k)].left.Add(1)
	}
	used := by[:0]
	for i, list := range by {
		if len(list) > 0 {
			used = append(used, list)
		} else {
			r.free = append(r.free, pool.blocks[i])
		}
	}
	pool.free = nil
	return r, used
}

// blockGroups is how many groups there are: each worker has a block open for each, and the pairs of
// a group stay while its rows fill.
func blockGroups(chunks uint64, workers int) int {
	return int(min(max(chunks/(8*blockLen*uint64(workers)), 2), mostGroups))
}

func (r *rowBlocks) group(bucket int) int { return bucket * len(r.groups) / r.buckets }

// put takes a block back whose pairs were partitioned.
func (r *rowBlocks) put(b *block) {
	r.mu.Lock()
	r.free = append(r.free, b)
	r.mu.Unlock()
}

// take returns a block for a group.
func (r *rowBlocks) take(group int) *block {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.free) == 0 {
		r.pool.mu.Lock()
		r.free = append(r.free, r.pool.grow()...)
		r.pool.mu.Unlock()
	}
	last := len(r.free) - 1
	b := r.free[last]
	r.free = r.free[:last]
	r.groups[group].blocks = append(r.groups[group].blocks, b)
	return b
}

// inGroup returns a chunk for bucket k.
func (s *scatter) inGroup(k int) *chunk {
	g := s.from.group(k)
	if s.open == nil {
		s.open = make([]openBlock, len(s.from.groups))
	}
	o := &s.open[g]
	if o.block == nil || o.taken == len(o.chunks) {
		o.block, o.taken = s.from.take(g), 0
	}
	c := &o.chunks[o.taken]
	o.taken++
	c.next, c.n = nil, 0
	return c
}

// begin frees the unused blocks.
func (r *rowBlocks) begin() {
	for _, b := range r.free {
		b.release()
	}
}

// filled records that the rows of a bucket are filled.
func (r *rowBlocks) filled(k int) {
	i := r.group(k)
	if g := &r.groups[i]; g.left.Add(-1) == 0 && i < len(r.groups)-1 {
		for _, b := range g.blocks {
			b.release()
		}
	}
}

// end lets the pool have all chunks again, first those of the last group, whose pages are there still.
func (r *rowBlocks) end() {
	last := r.groups[len(r.groups)-1].blocks
	there := make([]bool, len(r.pool.blocks))
	for _, b := range last {
		there[b.at] = true
	}
	for _, b := range r.pool.blocks {
		if !there[b.at] {
			r.pool.hold(b)
		}
	}
	for _, b := range last {
		r.pool.hold(b)
	}
}
