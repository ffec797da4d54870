// This file holds the first phase of Build: self-loops and duplicates go, and
// degrees are counted.

package graph

import (
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/engine/placed"
)

// errRowTooLong can only come of duplicates: otherwise a row has at most one
// entry for every vertex.
var errRowTooLong = fmt.Errorf("%w: a vertex with 2^32 edges or more; build without KeepDuplicates", ErrMalformed)

// build is one run of Builder.Build.
type build struct {
	*crew
	o           Options
	maxVertices uint64
	pool        *chunkPool
	ids         idSource
	stats       BuildStats
	deg         degrees
	counts      []degrees // a worker's own, or those of all
	seed        uint64    // of hashing pairs: random, so that no input can make all edges collide

	load   load
	refuse func(l load, need uint64) error

	made    *placed.Maker // makes the edges; nil: they were added
	there   *pairsThere   // or a device has them alone
	combine Combine       // of parallel edges, if a device builds the rows; CombineMin: they stay
	items   uint64        // edges, and ids given as vertices
	low     []chunkList   // edges by the low 32 bits of their ids
	// Vertices so, two to a pair.
	lowVertices []chunkList
	early       *early      // edges that a device has
	raw         bool        // lists are of raw edges, see builder_raw.go
	rawVertices []chunkList // and these of raw vertices
	last        uint64      // the largest ordered key among them
	lists       []chunkList // edges by provisional numbers
	base        uint32      // to be taken from the numbers in the first phase
	direct      bool        // low needs no ranks
	wideIDs     bool        // as intake has it
	weightType  WeightType
	inexact     bool       // as intake has it
	window      uint64     // windowEdges; tests lower it
	frugal      bool       // memory goes back to the system on the way
	blocks      *rowBlocks // then, from partitioning by row to filling rows
}

// chunks returns all chunks of the lists, to hand them out one by one.
func (b *build) chunks() []*chunk { return chunksOf(b.lists) }

func chunksOf(lists []chunkList) []*chunk {
	var all []*chunk
	for _, l := range lists {
		for c := l.head; c != nil; c = c.next {
			all = append(all, c)
		}
	}
	return all
}

// normalizePairs makes the pairs plain: numbers from 0, in undirected graphs the
// smaller one first, no self-loops and duplicates unless they are kept. It
// counts degrees.
func (b *build) normalizePairs() error {
	b.startCounting()
	var err error
	if b.o.KeepDuplicates {
		err = b.countAll()
	} else {
		err = b.dropDuplicates()
	}
	if err == nil {
		err = b.sumDegrees()
	}
	if err == nil && b.ids.direct {
		err = b.seeDegrees()
	}
	return err
}

// plain returns the pair as settle leaves it, and whether it is a self-loop.
func (b *build) plain(pair uint64) (uint64, bool) {
	u, v := uint32(pair>>32)-b.base, uint32(pair)-b.base
	if !b.o.Directed {
		u, v = min(u, v), max(u, v)
	}
	return pairOf(u, v), u == v
}

// countAll is settle where duplicates are kept: chunks stay where they are.
func (b *build) countAll() error {
	chunks := b.chunks()
	var loops atomic.Uint64
	var overflow atomic.Bool
	err := b.each("count degrees", groups(len(chunks)), func(w, i int) error {
		dropped := 0
		for _, c := range group(chunks, i) {
			n := 0
			for j, p := range c.pair[:c.n] {
				p, loop := b.plain(p)
				if loop && !b.o.KeepSelfLoops {
					dropped++
					b.seeLoop(p)
					continue
				}
				c.pair[n] = p
				if c.w != nil {
					c.w[n] = c.w[j]
				}
				if c.id != nil {
					c.id[n] = c.id[j]
				}
				n++
			}
			c.n = n
			if b.count(w, c.pair[:n]) {
				overflow.Store(true)
			}
		}
		loops.Add(uint64(dropped))
		return nil
	})
	b.stats.SelfLoops = loops.Load()
	if err == nil && overflow.Load() {
		err = errRowTooLong
	}
	return err
}

// groups and group cut chunks into pieces of chunkGroup.
func groups(n int) int { return (n + chunkGroup - 1) / chunkGroup }

func group(chunks []*chunk, i int) []*chunk {
	return chunks[i*chunkGroup : min((i+1)*chunkGroup, len(chunks))]
}

// seeLoop remembers that a vertex is there although its self-loop is dropped.
func (b *build) seeLoop(pair uint64) {
	if b.ids.direct {
		b.ids.seen.set(uint64(uint32(pair)))
	}
}

// dropDuplicates partitions the pairs by tile, so that equal ones meet in one
// bucket however skewed the degrees are, and drops them there by a hash set
// that fits the cache.
func (b *build) dropDuplicates() error {
	chunks := b.chunks()
	b.lists = nil
	t := b.newTiles(chunks, bucketCount(b.stats.InputEdges, b.workers))
	writers := make([]*scatter, b.workers)
	var loops atomic.Uint64
	err := b.each("partition", groups(len(chunks)), func(w, i int) error {
		if writers[w] == nil {
			writers[w] = newScatter(b.pool, t.buckets)
		}
		dropped := 0
		for _, c := range group(chunks, i) {
			dropped += b.scatterByTile(c, writers[w], t)
			b.pool.put(c)
		}
		loops.Add(uint64(dropped))
		return nil
	})
	b.stats.SelfLoops = loops.Load()
	if err != nil {
		return err
	}
	b.lists = gather(writers, t.buckets)
	sets := make([]pairSet, b.workers)
	var duplicates atomic.Uint64
	usual := max(int(b.stats.InputEdges)/t.buckets, minBucket) * 5 / 4
	err = b.each("drop duplicates", t.buckets, func(w, i int) error {
		duplicates.Add(b.uniqueBucket(w, &sets[w], &b.lists[i], usual))
		return nil
	})
	b.stats.Duplicates = duplicates.Load()
	return err
}

// scatterByTile writes the pairs of c to their buckets and returns how many
// self-loops it dropped.
func (b *build) scatterByTile(c *chunk, s *scatter, t *tiles) (dropped int) {
	cur, pos := s.cur, s.pos[:len(s.cur)]
	for j, p := range c.pair[:c.n] {
		p, loop := b.plain(p)
		if loop && !b.o.KeepSelfLoops {
			dropped++
			b.seeLoop(p)
			continue
		}
		k := t.bucket(p)
		i := pos[k]
		if i == chunkLen {
			s.turn(int(k))
			i = 0
		}
		cur[k][i] = p
		if c.w != nil {
			s.weigh(int(k), i, c.w[j])
		}
		if c.id != nil {
			s.mark(int(k), i, c.id[j])
		}
		pos[k] = i + 1
	}
	return dropped
}

// uniqueBucket drops the duplicates of a bucket and counts degrees. It returns
// how many directed edges it dropped.
func (b *build) uniqueBucket(w int, set *pairSet, l *chunkList, usual int) (dropped uint64) {
	// A bucket far beyond the ordinary size is one of many duplicates.
	set.seed = b.seed
	set.reset(min(l.edges(), usual), b.o.Weights, b.o.EdgeIDs)
	extra := b.o.Weights || b.o.EdgeIDs
	each := uint64(2)
	if b.o.Directed {
		each = 1
	}
	to, n := l.head, 0
	for c := l.head; c != nil; c = c.next {
		for j, p := range c.pair[:c.n] {
			loop := uint32(p>>32) == uint32(p)
			at := set.find(p)
			if set.pairs[at] == p {
				if loop {
					dropped++
				} else {
					dropped += each
				}
				if extra {
					set.lighter(at, c, j)
				}
				continue
			}
			set.pairs[at] = p
			set.n++
			if extra {
				set.put(at, c, j)
			}
			if set.full() {
				set.grow()
			}
			// At most as many were written as were read.
			if n == chunkLen {
				to.n = n
				to, n = to.next, 0
			}
			to.pair[n] = p
			n++
		}
	}
	if to == nil {
		return 0
	}
	to.n = n
	b.pool.putAll(chunkList{to.next, l.tail})
	to.next, l.tail = nil, to
	for c := l.head; c != nil; c = c.next {
		b.count(w, c.pair[:c.n])
		if !extra {
			continue
		}
		for j, p := range c.pair[:c.n] {
			at := set.find(p)
			if c.w != nil {
				c.w[j] = set.weights[at]
			}
			if c.id != nil {
				c.id[j] = set.ids[at]
			}
		}
	}
	return dropped
}
