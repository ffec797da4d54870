// This file holds the store of edges while a graph is built: chunks of pairs,
// recycled from phase to phase, so that no phase needs more memory than one
// pair per edge.

package graph

import "sync"

// chunkBytes is what a chunk takes, and what weights and edge ids add.
const (
	chunkBytes       = 8*chunkLen + 48
	chunkWeightBytes = 4 * chunkLen
	chunkIDBytes     = 8 * chunkLen
)

// chunk is up to chunkLen edges, source<<32 | target. What they are stands
// apart, in pages that can be returned to the system.
type chunk struct {
	next *chunk
	of   *block
	n    int
	pair *[chunkLen]uint64
	w    *[chunkLen]float32 // nil where the graph has no weights
	id   *[chunkLen]uint64  // nil where it has no edge ids
	keys *chunkKeys         // nil where float32 holds its weights
}

func pairOf(src, dst uint32) uint64 { return uint64(src)<<32 | uint64(dst) }

// chunkList is a list of chunks in order.
type chunkList struct{ head, tail *chunk }

func (l *chunkList) append(c *chunk) {
	if l.head == nil {
		l.head = c
	} else {
		l.tail.next = c
	}
	l.tail = c
}

// join appends all of m, in order.
func (l *chunkList) join(m chunkList) {
	switch {
	case m.head == nil:
	case l.head == nil:
		*l = m
	default:
		l.tail.next = m.head
		l.tail = m.tail
	}
}

func (l *chunkList) edges() (n int) {
	for c := l.head; c != nil; c = c.next {
		n += c.n
	}
	return n
}

// chunkPool hands out chunks and takes them back.
type chunkPool struct {
	mu      sync.Mutex
	free    *chunk
	made    int // chunks ever made
	blocks  []*block
	weights bool
	edgeIDs bool
	early   *early // nil: no device gets chunks that are full
}

// get returns an empty chunk.
func (p *chunkPool) get() *chunk {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free == nil {
		for _, b := range p.grow() {
			p.hold(b)
		}
	}
	c := p.free
	p.free = c.next
	c.next, c.n = nil, 0
	return c
}

// put takes a chunk back.
func (p *chunkPool) put(c *chunk) {
	p.mu.Lock()
	c.next = p.free
	p.free = c
	p.mu.Unlock()
}

// putAll takes a list back.
func (p *chunkPool) putAll(l chunkList) {
	if l.head == nil {
		return
	}
	p.mu.Lock()
	l.tail.next = p.free
	p.free = l.head
	p.mu.Unlock()
}

// scatter is what one worker of a partition writes: a list of chunks per
// bucket, in the order of writing. The hot loops write to cur and pos
// themselves and call turn where a chunk is full:
//
//	i := s.pos[k]
//	if i == chunkLen {
//		s.turn(k)
//		i = 0
//	}
//	s.cur[k][i] = pair
//	s.pos[k] = i + 1
type scatter struct {
	pool *chunkPool
	from *rowBlocks // where chunks come from, else nil: from the pool
	open []openBlock
	list []chunkList
	cur  []*[chunkLen]uint64 // the pairs of the last chunk of every list
	pos  []uint32            // how much of cur is filled
}

func newScatter(pool *chunkPool, buckets int) *scatter {
	s := &scatter{
		pool: pool,
		list: make([]chunkList, buckets),
		cur:  make([]*[chunkLen]uint64, buckets),
		pos:  make([]uint32, buckets),
	}
	for k := range s.pos {
		s.pos[k] = chunkLen
	}
	return s
}

// turn gives bucket k a new chunk to write to.
func (s *scatter) turn(k int) {
	if c := s.list[k].tail; c != nil {
		c.n = chunkLen
	}
	var c *chunk
	if s.from != nil {
		c = s.inGroup(k)
	} else {
		c = s.pool.get()
	}
	s.list[k].append(c)
	s.cur[k], s.pos[k] = c.pair, 0
}

// weigh writes a weight beside pair i of the last chunk of bucket k.
func (s *scatter) weigh(k int, i uint32, w float32) { s.list[k].tail.w[i] = w }

// mark writes an edge's id beside pair i of the last chunk of bucket k.
func (s *scatter) mark(k int, i uint32, id uint64) { s.list[k].tail.id[i] = id }

// close settles the lengths of the chunks last written to.
func (s *scatter) close() {
	for k := range s.list {
		if c := s.list[k].tail; c != nil {
			c.n = int(s.pos[k])
		}
	}
}

// gather joins what the workers wrote into one list per bucket, in the order
// of the workers.
func gather(ss []*scatter, buckets int) []chunkList {
	all := make([]chunkList, buckets)
	for _, s := range ss {
		if s == nil {
			continue
		}
		s.close()
		for k := range s.list {
			all[k].join(s.list[k])
		}
	}
	return all
}

// bucketCount returns how many buckets to partition so many edges into:
// buckets of 256 KiB, which fit into a core's second-level cache together
// with what they are sorted into, but not so many that the workers' chunks
// being filled, one per bucket each, take more than an eighth of the edges.
func bucketCount(edges uint64, workers int) int {
	k := edges / minBucket
	k = min(k, edges/(8*chunkLen*uint64(workers)), 2048)
	return max(1, int(k))
}
