// This file holds peeling on the host: lists of edges that leave, and rows from which edges that left are dropped.

package ktruss

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/traverse"
)

// remaining is the round of an edge that hasn't left.
const remaining = math.MaxUint32

// edge is an edge by its larger end and its number in the graph's rows.
type edge struct{ from, number uint32 }

// peeling is a run on the host. The number of the direction from the larger vertex stands for an edge.
type peeling struct {
	ctx     context.Context
	workers int

	to      []uint32 // of every edge: the smaller end, in the graph's own rows
	support []uint32 // of every edge: triangles that remain
	round   []uint32 // of every edge: the round in which it leaves

	// Rows of neighbors. They ascend, and have the numbers of edges. Edges that left are dropped now and then.
	begin, end []uint64
	neighbor   []uint32
	number     []uint32
	own        bool // neighbor is a copy

	level uint32 // edges with so many triangles leave
	now   uint32 // the round
	rest  []edge // edges that may remain
	list  []edge // edges that leave now
	next  [][]edge
	scans []scan
}

// scan is what a worker has found.
type scan struct {
	rest  int    // edges, from the beginning of its part
	least uint32 // the least support of the rest
	_     [112]byte
}

// peelLists peels on the host.
func peelLists(t *traverse.Traversal, of *edges) error {
	if err := t.Sync(); err != nil {
		return err
	}
	c, n, workers := t.Placed().Graph().Out(), t.Placed().NumVertices(), 1
	if d, ok := t.Placed().Device().(interface{ Workers() int }); ok {
		workers = max(1, d.Workers())
	}
	support, numbers, truss := of.triangles.Host(), of.numbers.Host(), of.truss.Host()
	p := &peeling{ctx: t.Context(), workers: workers, to: c.Targets, support: support, round: truss,
		neighbor: c.Targets, number: numbers, next: make([][]edge, workers), scans: make([]scan, workers)}
	p.begin, p.end = make([]uint64, n), make([]uint64, n)
	for v := range n {
		p.begin[v], p.end[v] = c.Offsets[v], c.Offsets[v+1]
	}
	p.rest = make([]edge, 0, len(c.Targets)/2)
	for v := range uint32(n) {
		for e, end := c.Offsets[v], c.Offsets[v+1]; e < end && c.Targets[e] < v; e++ {
			p.rest = append(p.rest, edge{v, uint32(e)})
			truss[e] = remaining
		}
		if v%lookVertices == 0 && p.ctx.Err() != nil {
			return p.ctx.Err()
		}
	}
	compact := len(p.rest)
	levels := []uint32{0} // of each round
	cur := t.All()
	for t.Next(cur) {
		if err := p.due(); err != nil {
			return err
		}
		for len(p.list) > 0 {
			p.now++
			levels = append(levels, p.level)
			if err := p.peel(); err != nil {
				return err
			}
		}
		p.level++
		if len(p.rest) == 0 {
			t.Replace(cur)
		} else if len(p.rest) < compact/2 {
			compact = len(p.rest)
			if err := p.drop(); err != nil {
				return err
			}
		}
	}
	if err := t.Err(); err != nil {
		return err
	}
	return p.each(len(truss), listAtOnce, func(_, lo, hi int) {
		for e, r := range truss[lo:hi] {
			if r != 0 {
				truss[lo+e] = levels[r] + 2
			}
		}
	})
}

// each calls do for ranges of n items, on all workers if there are enough. The error is the context's.
func (p *peeling) each(n, grain int, do func(worker, lo, hi int)) error {
	workers := min(p.workers, (n+grain-1)/grain)
	if workers <= 1 {
		for lo := 0; lo < n && p.ctx.Err() == nil; lo += grain {
			do(0, lo, min(lo+grain, n))
		}
		return p.ctx.Err()
	}
	var next atomic.Int64
	var wg panics.Group
	for w := range workers {
		wg.Go(func() {
			for p.ctx.Err() == nil {
				lo := int(next.Add(int64(grain))) - grain
				if lo >= n {
					return
				}
				do(w, lo, min(lo+grain, n))
			}
		})
	}
	if err := wg.Err(); err != nil {
		return err
	}
	return p.ctx.Err()
}

// due lists the edges that leave next, and drops edges that left from rest. The level rises to the least support.
func (p *peeling) due() error {
	for {
		n := len(p.rest)
		workers := max(min(p.workers, (n+listAtOnce-1)/listAtOnce), 1)
		part := max((n+workers-1)/workers, 1)
		p.list = p.list[:0]
		for w := range p.next {
			p.next[w] = p.next[w][:0]
		}
		if err := p.each(n, part, func(_, lo, hi int) { // each worker gets one part
			w := lo / part
			s, list := scan{least: remaining}, p.next[w]
			for i := lo; i < hi; i++ {
				e := p.rest[i]
				if p.round[e.number] != remaining {
					continue
				}
				if own := p.support[e.number]; own <= p.level {
					p.round[e.number] = p.now + 1
					list = append(list, e)
				} else {
					s.least = min(s.least, own)
					p.rest[lo+s.rest] = e
					s.rest++
				}
			}
			p.next[w], p.scans[w] = list, s
		}); err != nil {
			return err
		}
		least, kept := uint32(remaining), 0
		for w := range (n + part - 1) / part {
			s := p.scans[w]
			copy(p.rest[kept:], p.rest[w*part:w*part+s.rest])
			kept += s.rest
			least = min(least, s.least)
			p.list = append(p.list, p.next[w]...)
		}
		p.rest = p.rest[:kept]
		if len(p.list) > 0 || kept == 0 {
			return nil
		}
		p.level = least
	}
}

// peel takes the triangles of the list's edges away, and lists the edges that leave therefore.
func (p *peeling) peel() error {
	for w := range p.next {
		p.next[w] = p.next[w][:0]
	}
	if err := p.each(len(p.list), edgesAtOnce, func(w, lo, hi int) {
		next := p.next[w]
		for _, e := range p.list[lo:hi] {
			next = p.triangles(e, next)
		}
		p.next[w] = next
	}); err != nil {
		return err
	}
	p.list = p.list[:0]
	for _, next := range p.next {
		p.list = append(p.list, next...)
	}
	return nil
}

// triangles takes the triangles of an edge away from its other edges, and appends those that leave therefore. If two edges of a triangle leave in
// the same round, the one of the smaller number takes it away from the third edge.
func (p *peeling) triangles(e edge, next []edge) []edge {
	u, v := e.from, p.to[e.number]
	if p.end[u]-p.begin[u] > p.end[v]-p.begin[v] {
		u, v = v, u
	}
	short, shorts := p.neighbor[p.begin[u]:p.end[u]], p.number[p.begin[u]:p.end[u]]
	long, longs := p.neighbor[p.begin[v]:p.end[v]], p.number[p.begin[v]:p.end[v]]
	shorts, longs = shorts[:len(short)], longs[:len(long)]
	at, now, gallop := 0, p.now, len(long) > gallopFactor*len(short)
	for i, w := range short {
		a := shorts[i]
		first := atomic.LoadUint32(&p.round[a])
		if first < now || w == v {
			continue
		}
		if gallop {
			at = search(long, at, w)
		} else {
			for at < len(long) && long[at] < w {
				at++
			}
		}
		if at == len(long) {
			break
		}
		if long[at] != w {
			continue
		}
		b := longs[at]
		second := atomic.LoadUint32(&p.round[b])
		if second < now {
			continue
		}
		if first > now && (second > now || e.number < b) && p.lower(a) {
			next = append(next, edge{max(u, w), a})
		}
		if second > now && (first > now || e.number < a) && p.lower(b) {
			next = append(next, edge{max(v, w), b})
		}
	}
	return next
}

// lower takes a triangle away from an edge, and reports whether the edge leaves therefore.
func (p *peeling) lower(e uint32) bool {
	if atomic.AddUint32(&p.support[e], ^uint32(0)) != p.level {
		return false
	}
	atomic.StoreUint32(&p.round[e], p.now+1)
	return true
}

// search returns the place of the first entry of a row from v on, not before at.
func search(row []uint32, at int, v uint32) int {
	step := 1
	for at+step < len(row) && row[at+step] <= v {
		at += step
		step *= 2
	}
	end := min(at+step, len(row))
	for at < end {
		if m := int(uint(at+end) >> 1); row[m] < v {
			at = m + 1
		} else {
			end = m
		}
	}
	return at
}

// drop drops edges that left from rows. The first time it copies the graph's rows.
func (p *peeling) drop() error {
	from, numbers := p.neighbor, p.number
	if !p.own {
		p.own = true
		at := uint64(0)
		places := make([]uint64, len(p.begin)+1)
		if err := p.each(len(p.begin), rowsAtOnce, func(_, lo, hi int) {
			for v := lo; v < hi; v++ {
				k := uint64(0)
				for _, e := range numbers[p.begin[v]:p.end[v]] {
					if p.round[e] == remaining {
						k++
					}
				}
				places[v+1] = k
			}
		}); err != nil {
			return err
		}
		for v := range places {
			at += places[v]
			places[v] = at
		}
		p.neighbor, p.number = make([]uint32, at), make([]uint32, at)
		return p.each(len(p.begin), rowsAtOnce, func(_, lo, hi int) {
			for v := lo; v < hi; v++ {
				p.end[v] = p.keep(from, numbers, p.begin[v], p.end[v], places[v])
				p.begin[v] = places[v]
			}
		})
	}
	return p.each(len(p.begin), rowsAtOnce, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			p.end[v] = p.keep(from, numbers, p.begin[v], p.end[v], p.begin[v])
		}
	})
}

// keep copies a row's edges that remain, and returns the end of the copy.
func (p *peeling) keep(from, numbers []uint32, begin, end, to uint64) uint64 {
	for i := begin; i < end; i++ {
		if e := numbers[i]; p.round[e] == remaining {
			p.neighbor[to], p.number[to] = from[i], e
			to++
		}
	}
	return to
}
