// This file holds buckets, which collect the entries from which rows are made.

package engine

import (
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

// buckets are entries by ranges of rows.
type buckets struct {
	each  int
	n     int             // rows
	fine  uint32          // rows that are counted one by one
	shift uint            // by which the numbers of later rows are shifted
	of    []uint16        // the buckets of rows, by group
	rows  []uint32        // the first row of each bucket
	ends  []atomic.Uint64 // the end of each bucket's entries so far, in words of entries
	start []uint64        // where each begins; even, so that the result can have entries of twice the width
	entry []uint32        // the words of all
	give  bool            // memory back to the system
}

// group returns which rows are counted together with a row: the first ones on their own.
func (b *buckets) group(row uint32) uint32 {
	if row < b.fine {
		return row
	}
	return b.fine + (row-b.fine)>>b.shift
}

// newBuckets divides n rows, which get m entries.
func newBuckets(ctx context.Context, t *team, n int, m uint64, s supply, both bool) *buckets {
	b := &buckets{each: s.each, n: n, fine: fineRows, give: m*uint64(4*s.each) >= releaseBytes}
	groups := n
	if n > int(b.fine) {
		b.shift = uint(bits.Len32((uint32(n-1) - b.fine) / coarseRows))
		groups = int(b.group(uint32(n-1))) + 1
	}
	counts := make([][]uint32, t.workers)
	scratch := make([][]uint32, t.workers)
	t.tiles(ctx, s.tiles, 1, func(w, i, _ int) {
		c := counts[w]
		if c == nil {
			c = make([]uint32, groups)
			counts[w] = c
		}
		words := s.words(i, &scratch[w])
		for i := 0; i < len(words); i += s.each {
			c[b.group(words[i])]++
			if both {
				c[b.group(words[i+1])]++
			}
		}
	})
	b.of = make([]uint16, groups)
	weight := m + uint64(n)/rowWeighs
	most := max(min(weight/uint64(8*t.workers), bucketEntries), weight/maxBuckets, 1)
	entries, at := uint64(0), uint64(0)
	for g := range b.of {
		row := uint32(g)
		if row > b.fine {
			row = b.fine + (row-b.fine)<<b.shift
		}
		if g == 0 || entries+uint64(row-b.rows[len(b.rows)-1])/rowWeighs >= most {
			at += entries * uint64(s.each)
			at += at & 1
			b.rows, b.start, entries = append(b.rows, row), append(b.start, at), 0
		}
		b.of[g] = uint16(len(b.rows) - 1)
		for _, c := range counts {
			if c != nil {
				entries += uint64(c[g])
			}
		}
	}
	b.ends = make([]atomic.Uint64, len(b.rows))
	for k, at := range b.start {
		b.ends[k].Store(at)
	}
	b.entry = as[uint32](uncleared(4 * (at + entries*uint64(s.each))))
	return b
}

// uncleared returns memory of at least the given number of bytes.
func uncleared(bytes uint64) []uint64 {
	s := pages.Uncleared[uint64](int((bytes + 7) / 8))
	hugepage.Expect(s)
	return s
}

// end returns the end of a bucket's rows.
func (b *buckets) end(k int) uint32 {
	if k+1 < len(b.rows) {
		return b.rows[k+1]
	}
	return uint32(b.n)
}

// words returns the words of a bucket's entries.
func (b *buckets) words(k int) []uint32 { return b.entry[b.start[k]:b.ends[k].Load()] }

// release frees the memory of a bucket behind its first from words.
func (b *buckets) release(k, from int) {
	if b.give {
		pages.Release(b.words(k)[from:])
	}
}

// fill puts entries into buckets, some at a time.
func (b *buckets) fill(ctx context.Context, t *team, s supply, both bool) {
	fillers := make([]filler, t.workers)
	for w := range fillers {
		fillers[w].buckets = b
	}
	t.tiles(ctx, s.tiles, 1, func(w, i, _ int) {
		f := &fillers[w]
		if f.n == nil {
			f.n, f.buffer = make([]uint8, len(b.rows)), make([]uint32, len(b.rows)*flushEntries*s.each)
		}
		words := s.words(i, &f.scratch)
		switch {
		case s.each == 3:
			for i := 0; i+2 < len(words); i += 3 {
				f.far(words[i], words[i+1], words[i+2])
			}
		case both:
			for i := 0; i+1 < len(words); i += 2 {
				f.near(words[i], words[i+1])
				f.near(words[i+1], words[i])
			}
		default:
			for i := 0; i+1 < len(words); i += 2 {
				f.near(words[i], words[i+1])
			}
		}
		s.done(i)
	})
	t.tiles(ctx, len(fillers), 1, func(_, w, _ int) {
		for k, n := range fillers[w].n {
			if n > 0 {
				fillers[w].flush(k, int(n))
			}
		}
	})
}

// filler is a worker's entries on their way into buckets.
type filler struct {
	*buckets
	n       []uint8  // entries in the buffer of each bucket
	buffer  []uint32 // of all of them
	scratch []uint32
}

func (f *filler) near(row, to uint32) {
	k := int(f.of[f.group(row)])
	n := int(f.n[k])
	at := f.buffer[(k*flushEntries+n)*2:]
	at[0], at[1] = row, to
	if n++; n < flushEntries {
		f.n[k] = uint8(n)
		return
	}
	f.flush(k, n)
}

func (f *filler) far(row, owner, local uint32) {
	k := int(f.of[f.group(row)])
	n := int(f.n[k])
	at := f.buffer[(k*flushEntries+n)*3:]
	at[0], at[1], at[2] = row, owner, local
	if n++; n < flushEntries {
		f.n[k] = uint8(n)
		return
	}
	f.flush(k, n)
}

// flush moves n entries into a bucket.
func (f *filler) flush(k, n int) {
	words := uint64(n * f.each)
	end := f.ends[k].Add(words)
	copy(f.entry[end-words:end], f.buffer[k*flushEntries*f.each:][:words])
	f.n[k] = 0
}
