// This file holds the last phase of Build: pairs become rows.

package graph

import (
	"math"
	"slices"

	"github.com/foray-graph/foray/internal/osmem/hugepage"
)

// rowBuckets cuts rows into buckets of about equal numbers of entries, so that
// a bucket's part of the rows fits the cache while it is filled.
type rowBuckets struct {
	shift  uint     // rows are cut in groups of 1<<shift, so that of stays small
	of     []uint16 // the bucket of a group
	starts []int    // the first row of every bucket, and the end
}

func newRowBuckets(offsets []uint64, buckets int) *rowBuckets {
	n := len(offsets) - 1
	r := &rowBuckets{}
	for n>>r.shift > maxRowGroups {
		r.shift++
	}
	size := 1 << r.shift
	r.of = make([]uint16, (n+size-1)>>r.shift)
	r.starts = append(r.starts, 0)
	target := offsets[n]/uint64(buckets) + 1
	for g := range r.of {
		if at := offsets[g<<r.shift]; at >= uint64(len(r.starts))*target && len(r.starts) < math.MaxUint16 {
			r.starts = append(r.starts, g<<r.shift)
		}
		r.of[g] = uint16(len(r.starts) - 1)
	}
	r.starts = append(r.starts, n)
	return r
}

func (r *rowBuckets) len() int { return len(r.starts) - 1 }

// rows makes the rows of a graph of the settled pairs.
//
// In an undirected graph a row is made in two halves. First every edge goes to
// the row of its larger end, which in an order by degree is the one with fewer
// edges: that half, the neighbors up to the vertex itself, is short and soon
// sorted. The other half is the transpose of the first, which comes out sorted
// because rows are read in order. The reverse of a directed graph is made the
// same way.
func (b *build) rows(n int, final []uint32) (out, in *CSR, err error) {
	offsets, err := b.offsets(n, final, b.deg.out)
	if err != nil {
		return nil, nil, err
	}
	out = newCSR(offsets, b.o)
	var inOffsets []uint64
	if b.o.Directed && b.o.Reverse {
		if inOffsets, err = b.offsets(n, final, b.deg.in); err != nil {
			return nil, nil, err
		}
	}
	if b.frugal {
		b.deg.release()
	}
	b.deg = degrees{}
	r := newRowBuckets(offsets, bucketCount(b.stats.InputEdges, b.workers))
	if err := b.renumber(final); err != nil {
		return nil, nil, err
	}
	if err := b.scatterRows(r); err != nil {
		return nil, nil, err
	}
	ends := make([]uint64, n)
	if err := b.fillSorted(r, out, ends); err != nil {
		return nil, nil, err
	}
	switch {
	case !b.o.Directed:
		return out, out, b.transpose(r, out, ends, out, true)
	case inOffsets != nil:
		in = newCSR(inOffsets, b.o)
		r = newRowBuckets(inOffsets, bucketCount(b.stats.InputEdges, b.workers))
		return out, in, b.transpose(r, out, ends, in, false)
	}
	return out, nil, nil
}

func newCSR(offsets []uint64, o Options) *CSR {
	m := offsets[len(offsets)-1]
	c := &CSR{Offsets: offsets, Targets: make([]uint32, m)}
	hugepage.Expect(c.Targets)
	if o.Weights {
		c.Weights = make([]float32, m)
		hugepage.Expect(c.Weights)
	}
	if o.EdgeIDs {
		c.EdgeIDs = make([]uint64, m)
		hugepage.Expect(c.EdgeIDs)
	}
	return c
}

// renumber gives the ends of the pairs their vertices' numbers. It goes from tile to tile, so that
// most of them are in the cache; partitioning by row can't, since it empties block by block.
func (b *build) renumber(final []uint32) error {
	if final == nil {
		return nil
	}
	chunks := b.chunks()
	return b.each("renumber edges", groups(len(chunks)), func(_, i int) error {
		for _, c := range group(chunks, i) {
			pairs := c.pair[:c.n]
			for j, p := range pairs {
				pairs[j] = pairOf(final[p>>32], final[uint32(p)])
			}
		}
		return nil
	})
}

// scatterRows partitions the pairs by row: the source, in undirected graphs the
// larger end.
func (b *build) scatterRows(r *rowBuckets) error {
	chunks := b.chunks()
	b.lists = nil
	writers := make([]*scatter, b.workers)
	var pieces [][]*chunk
	if b.frugal {
		b.blocks, pieces = newRowBlocks(b.pool, chunks, r.len(), b.workers)
	} else {
		pieces = slices.Collect(slices.Chunk(chunks, chunkGroup))
	}
	err := b.each("partition rows", len(pieces), func(w, i int) error {
		if writers[w] == nil {
			writers[w] = newScatter(b.pool, r.len())
			writers[w].from = b.blocks
		}
		for _, c := range pieces[i] {
			b.scatterByRow(c, writers[w], r)
			if b.blocks == nil {
				b.pool.put(c)
			}
		}
		if b.blocks != nil {
			b.blocks.put(pieces[i][0].of)
		}
		return nil
	})
	b.lists = gather(writers, r.len())
	return err
}

func (b *build) scatterByRow(c *chunk, s *scatter, r *rowBuckets) {
	cur, pos := s.cur, s.pos[:len(s.cur)]
	larger := !b.o.Directed
	for j, p := range c.pair[:c.n] {
		u, v := uint32(p>>32), uint32(p)
		if larger {
			u, v = max(u, v), min(u, v)
		}
		k := r.of[u>>r.shift]
		i := pos[k]
		if i == chunkLen {
			s.turn(int(k))
			i = 0
		}
		cur[k][i] = pairOf(u, v)
		if c.w != nil {
			s.weigh(int(k), i, c.w[j])
		}
		if c.id != nil {
			s.mark(int(k), i, c.id[j])
		}
		pos[k] = i + 1
	}
}

// fillSorted moves the partitioned pairs into the starts of their rows and
// sorts those. ends receives where each row's entries end.
func (b *build) fillSorted(r *rowBuckets, c *CSR, ends []uint64) error {
	sorters := make([]rowSorter, b.workers)
	lists := b.lists
	b.lists = nil
	blocks := b.blocks
	b.blocks = nil
	if blocks != nil {
		blocks.begin()
		defer blocks.end()
	}
	return b.each("fill rows", r.len(), func(w, k int) error {
		first, end := r.starts[k], r.starts[k+1]
		copy(ends[first:end], c.Offsets[first:end])
		fill(c, ends, lists[k])
		if blocks != nil { // the rows fill the memory that the pairs leave
			blocks.filled(k)
		} else {
			b.pool.putAll(lists[k])
		}
		if lists[k].head == nil {
			return nil
		}
		sorters[w].rows(c, ends, first, end)
		return nil
	})
}

// fill appends pairs to their rows, which end at ends.
func fill(c *CSR, ends []uint64, l chunkList) {
	for from := l.head; from != nil; from = from.next {
		for j, p := range from.pair[:from.n] {
			at := ends[p>>32]
			ends[p>>32] = at + 1
			c.Targets[at] = uint32(p)
			if from.w != nil {
				c.Weights[at] = from.w[j]
			}
			if from.id != nil {
				c.EdgeIDs[at] = from.id[j]
			}
		}
	}
}
