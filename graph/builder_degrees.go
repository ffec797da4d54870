// This file holds how Build counts degrees.

package graph

import (
	"sync/atomic"

	"github.com/foray-graph/foray/internal/osmem/pages"
)

// startCounting allocates arrays of degrees: one per worker if that is little
// memory compared with the edges, otherwise a shared one. Two workers that
// keep writing to the same cache lines take twice as long.
func (b *build) startCounting() {
	in := b.o.Directed && (b.o.Reverse || b.o.Order != OrderGiven)
	each := uint64(b.ids.space) * 4
	if in {
		each *= 2
	}
	n := b.workers
	if uint64(n-1)*each > b.stats.InputEdges*8/countsShare {
		n = 1
	}
	b.counts = make([]degrees, n)
	for i := range b.counts {
		b.counts[i].out = make([]uint32, b.ids.space)
		if in {
			b.counts[i].in = make([]uint32, b.ids.space)
		}
	}
}

// count counts the degrees of plain pairs, and reports an overflow.
func (b *build) count(worker int, pairs []uint64) (over bool) {
	if len(b.counts) == 1 {
		return b.countShared(b.counts[0], pairs)
	}
	d := b.counts[worker]
	second := d.in
	if !b.o.Directed {
		second = d.out
	}
	for _, p := range pairs {
		u, v := uint32(p>>32), uint32(p)
		d.out[u]++
		over = over || d.out[u] == 0
		switch {
		case second != nil && (u != v || b.o.Directed):
			second[v]++
			over = over || second[v] == 0
		case second == nil && b.ids.direct:
			b.ids.seen.set(uint64(v))
		}
	}
	return over
}

// countShared is count where all workers have the same counters.
func (b *build) countShared(d degrees, pairs []uint64) (over bool) {
	// A locked instruction waits for its cache line, and everything after it
	// waits too. So the lines of some pairs are fetched first, all at once.
	const lookahead = 32
	second := d.in
	if !b.o.Directed {
		second = d.out
	}
	for len(pairs) > 0 {
		now := pairs[:min(lookahead, len(pairs))]
		pairs = pairs[len(now):]
		for _, p := range now {
			atomic.LoadUint32(&d.out[p>>32])
			if second != nil {
				atomic.LoadUint32(&second[uint32(p)])
			}
		}
		for _, p := range now {
			u, v := uint32(p>>32), uint32(p)
			over = atomic.AddUint32(&d.out[u], 1) == 0 || over
			switch {
			case second != nil && (u != v || b.o.Directed):
				over = atomic.AddUint32(&second[v], 1) == 0 || over
			case second == nil && b.ids.direct:
				b.ids.seen.set(uint64(v))
			}
		}
	}
	return over
}

// sumDegrees adds up what the workers counted.
func (b *build) sumDegrees() error {
	b.deg = b.counts[0]
	rest := b.counts[1:]
	b.counts = nil
	if len(rest) == 0 {
		return nil
	}
	parts := b.parts(b.ids.space)
	var over atomic.Bool
	err := b.each("", parts, func(_, i int) error {
		lo, hi := span(b.ids.space, parts, i)
		for _, d := range rest {
			if addCounts(b.deg.out[lo:hi], d.out[lo:hi]) || d.in != nil && addCounts(b.deg.in[lo:hi], d.in[lo:hi]) {
				over.Store(true)
			}
		}
		return nil
	})
	if err == nil && over.Load() {
		err = errRowTooLong
	}
	if b.frugal {
		for _, d := range rest {
			d.release()
		}
	}
	return err
}

// release frees the memory of degrees, which are no longer read, before the garbage collector runs.
func (d degrees) release() {
	pages.Release(d.out)
	pages.Release(d.in)
}

func addCounts(to, from []uint32) (over bool) {
	for i, x := range from {
		to[i] += x
		over = over || to[i] < x
	}
	return over
}

// seeDegrees adds all vertices with edges to b.ids.seen, which has those with
// self-loops only.
func (b *build) seeDegrees() error {
	words := len(b.ids.seen)
	parts := b.parts(words)
	return b.each("", parts, func(_, i int) error {
		first, end := span(words, parts, i)
		for at := first; at < end; at++ {
			word := b.ids.seen[at]
			for bit := 0; bit < 64 && at*64+bit < b.ids.space; bit++ {
				p := at*64 + bit
				if b.deg.out[p] != 0 || b.deg.in != nil && b.deg.in[p] != 0 {
					word |= 1 << bit
				}
			}
			b.ids.seen[at] = word
		}
		return nil
	})
}
