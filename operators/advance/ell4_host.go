// This file holds Push on the host over ELL4 rows: a part of the
// frontier for each worker, each of which writes into a separate range. At its end are the ELL4 rows of pushes without
// rounds.

package advance

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/osmem/prefetch"
	"github.com/foray-graph/foray/operators"
)

// ell4Host is one Push over ELL4 rows. It is a host.Job.
//
// A mesh has thousands of levels of a few thousand vertices, which take each
// worker about a microsecond. So nothing is done per worker by worker 0, and a
// worker touches few cache lines that another one has written: the call, its
// part of the frontier, and the neighbors that parts share. What the workers
// find stays where they wrote it, as pieces of the next frontier, in the order of
// the parts: each worker then mostly expands what it has found itself and still
// has in its cache.
type ell4Host struct {
	p    *pushHost
	f    ell4Functor
	next aheadFunctor // f, where it is one
	four *placed.Ell4

	in     []uint32      // the input's buffer
	pieces []front.Piece // of the input, in that buffer
	from   int           // the entries from to from+n of the input are visited
	n      int
	parts  int
	base   int // where the ranges begin in the output's buffer

	cut    bool    // there may be rows long enough to be cut up
	number uint64  // counts calls of share
	shares []share // by part
	found  []front.Piece

	mu    sync.Mutex
	aside []uint32 // what a range had no room for
}

// share is the progress of a part, on separate cache lines.
type share struct {
	taken   atomic.Uint64 // the number of the call that the part was last taken in
	k       int           // entries of the part's range
	visited uint64        // edges
	_       [104]byte
}

// ell4Of returns f if it takes the graph's ELL4 rows, else nil. A functor written in
// Go sees self-loops and must not see filling, which rows don't tell apart.
func (a *onHost) ell4Of(f Functor) ell4Functor {
	ell4, _ := f.(ell4Functor)
	if ell4 == nil || a.push.within != nil || a.p.State().Ell4() == nil {
		return nil
	}
	if _, ok := link.Of(f); ok && a.p.State().Ell4().Loops() {
		return nil
	}
	return ell4
}

// run does it: in several steps where the output's buffer is too small for four
// entries for each vertex of the frontier.
func (j *ell4Host) run(in *frontier.Frontier, f ell4Functor) (edges uint64) {
	p := j.p
	j.f, j.four = f, p.a.p.State().Ell4()
	j.next, _ = f.(aheadFunctor)
	j.in, j.pieces = in.Pieces()
	j.cut = j.four.Long != nil && p.a.p.State().MaxDegree() >= hubEdges+4
	p.ranged = true
	if workers := p.a.s.Workers(); len(j.shares) != workers {
		j.shares = make([]share, workers)
	}
	total := in.Len()
	for j.from = 0; j.from < total && !p.stopped(); j.from += j.n {
		if j.from > 0 {
			p.out.Queue() // moves the pieces together
		}
		j.base = p.out.Len()
		if j.n = min(total-j.from, (len(p.room)-j.base)/4); j.n <= 0 {
			p.tooMany()
			break
		}
		edges += j.step()
	}
	j.f, j.next, j.four, j.in, j.pieces = nil, nil, nil, nil, nil
	return edges
}

// step visits n vertices and adds what was found to the output.
func (j *ell4Host) step() (edges uint64) {
	p := j.p
	j.number++
	j.aside = j.aside[:0]
	p.alone = p.a.s.Workers() == 1 || j.n <= aloneEll4
	if p.alone {
		j.parts = 1
		j.take(0)
	} else {
		j.parts = min(j.n/ell4Share, len(j.shares))
		p.a.s.RunOn(j.parts, j)
	}
	j.found = j.found[:0]
	if j.base > 0 {
		j.found = append(j.found, front.Piece{Len: j.base})
	}
	for w := range j.parts {
		s := &j.shares[w]
		if s.taken.Load() != j.number {
			continue // the push was stopped
		}
		edges += s.visited
		if s.k > 0 {
			lo, _ := j.part(w)
			j.found = append(j.found, front.Piece{First: j.base + 4*lo, Len: s.k})
		}
	}
	p.out.SetPieces(j.found)
	if len(j.aside) > 0 {
		p.out.Queue()
		at := p.out.Reserve(len(j.aside))
		if copy(p.room[min(at, len(p.room)):], j.aside) < len(j.aside) {
			p.tooMany()
		}
	}
	return edges
}

// part returns which of the n vertices are part w.
func (j *ell4Host) part(w int) (lo, hi int) { return j.n * w / j.parts, j.n * (w + 1) / j.parts }

// Run is the share of one worker.
func (j *ell4Host) Run(worker int) {
	if !j.cut {
		j.take(worker)
		return
	}
	mine := j.takeOfMany(worker)
	if mine == nil {
		return // too late for any part: there is no range to write to
	}
	l := &j.p.a.own[worker]
	j.p.visitHubs(worker, l)
	j.keep(l)
	mine.k, mine.visited = l.at, l.visited
}

// takeOfMany is take where others wait for the rows that may be cut up.
func (j *ell4Host) takeOfMany(worker int) *share {
	j.p.hubs.enter()
	defer j.p.hubs.leave() // the others wait for this, even after a panic
	return j.take(worker)
}

// take visits the worker's part, and those of others who don't come: worker 0
// looks for all of these, another worker only behind its own part, since a look
// costs a cache line. It returns the share of the last part taken.
func (j *ell4Host) take(worker int) (last *share) {
	for i := range j.parts {
		w := worker + i
		if w >= j.parts {
			w -= j.parts
		}
		s := &j.shares[w]
		if was := s.taken.Load(); was == j.number || !s.taken.CompareAndSwap(was, j.number) {
			if worker != 0 {
				break
			}
			continue
		}
		lo, hi := j.part(w)
		j.visit(worker, lo, hi, s)
		last = s
	}
	return last
}

// visit visits the vertices lo to hi of the n.
func (j *ell4Host) visit(worker, lo, hi int, s *share) {
	l := &j.p.a.own[worker]
	l.n, l.edges, l.k, l.visited = 0, 0, 0, 0
	l.dst, l.at = j.p.room[j.base+4*lo:j.base+4*hi], 0
	lo, hi = j.from+lo, j.from+hi
	for _, piece := range j.pieces {
		if lo < piece.Len {
			n := min(hi, piece.Len)
			j.list(worker, l, j.in[piece.First+lo:piece.First+n])
			lo = n
			if lo == hi {
				break
			}
		}
		lo, hi = lo-piece.Len, hi-piece.Len
	}
	if l.n > 0 {
		j.p.tile(worker, l)
	}
	j.keep(l)
	s.k, s.visited = l.at, l.visited
}

// list visits a list of vertices, prefetching a group ahead.
func (j *ell4Host) list(worker int, l *local, vs []uint32) {
	j.ahead(vs[:min(ell4Group, len(vs))])
	for i := 0; i < len(vs) && !j.p.stopped(); i += ell4Group {
		hi := min(i+ell4Group, len(vs))
		j.ahead(vs[hi:min(hi+ell4Group, len(vs))])
		j.group(worker, l, vs[i:hi])
	}
}

func (j *ell4Host) ahead(vs []uint32) {
	prefetch.Ell4(j.four.Rows, vs)
	if j.next != nil {
		j.next.Ahead(vs)
	}
}

// group calls the functor on a group of rows, and passes on what rows have
// beyond four targets.
func (j *ell4Host) group(worker int, l *local, vs []uint32) {
	p := j.p
	if !p.vertices(vs) {
		return
	}
	if p.a.CountExactly {
		for _, v := range vs {
			l.visited += min(4, p.csr.Offsets[v+1]-p.csr.Offsets[v])
		}
	} else {
		l.visited += 4 * uint64(len(vs))
	}
	w := operators.Worker{ID: worker, Alone: p.alone, Level: p.a.Level}
	most := 4 * len(vs)
	if out := l.dst[l.at:]; len(out) >= most {
		l.at += p.through(out, p.emits("VisitEll4", j.f.VisitEll4(w, vs, j.four.Rows, out), most))
	} else { // longer rows took the room
		if len(l.out)-l.k < most {
			j.keep(l)
		}
		out := l.out[l.k:]
		l.k += p.through(out, p.emits("VisitEll4", j.f.VisitEll4(w, vs, j.four.Rows, out), most))
	}
	if j.four.Long == nil {
		return
	}
	for _, v := range vs {
		if j.four.Long[v>>6]>>(v&63)&1 != 0 {
			first := p.csr.Offsets[v] + 4
			p.row(worker, l, v, first, p.csr.Offsets[v+1]-first)
		}
	}
}

// keep moves what a worker gathered beside its range into it, or aside.
func (j *ell4Host) keep(l *local) {
	if l.k == 0 {
		return
	}
	if found := l.out[:l.k]; len(found) <= len(l.dst)-l.at {
		l.at += copy(l.dst[l.at:], found)
	} else {
		j.mu.Lock()
		j.aside = append(j.aside, found...)
		j.mu.Unlock()
	}
	l.k = 0
}

// shorten lets a push without rounds go over ELL4 rows, if the graph has such rows and the functor doesn't look at weights
// or at what edges are numbered by.
func (j *pushHost) shorten(c *link.Code) {
	if j.rows == nil || j.within != nil || c.Weights || c.Wide > 0 || c.Index || c.IDs {
		return
	}
	ell4 := j.a.p.State().Ell4()
	if ell4 == nil || len(ell4.Rows) == 0 || ell4.Loops() { // which look like padding
		return
	}
	j.short, j.targets = ell4, unsafe.Slice(&ell4.Rows[0][0], 4*len(ell4.Rows))
}

// addShort is add over ELL4 rows.
func (j *pushHost) addShort(worker int, l *local, vs []uint32) {
	rows, long := j.short.Rows, j.short.Long
	for _, v := range vs {
		if uint64(v) >= uint64(len(rows)) {
			j.fault.report(j.noVertex(v))
			return
		}
		r, x := &rows[v], uint64(v)
		d := 4 - isZero(uint64(r[0])^x) - isZero(uint64(r[1])^x) - isZero(uint64(r[2])^x) - isZero(uint64(r[3])^x)
		if d == 0 {
			continue
		}
		if l.n == groupVertices || l.edges+d > tileEdges {
			j.tile(worker, l)
		}
		l.rows[l.n] = operators.Row{First: 4 * x, Source: v, Len: uint32(d)}
		l.n++
		l.edges += d
		if long != nil && long[v>>6]>>(v&63)&1 != 0 {
			j.tile(worker, l)
			j.beyond(worker, l, v)
		}
	}
}

// isZero returns 1 for 0, and 0 for other numbers of 32 bits. It has no branch: lengths of rows come in no order.
func isZero(x uint64) uint64 { return (x - 1) >> 63 }

// beyond visits what a row has beyond four targets.
func (j *pushHost) beyond(worker int, l *local, v uint32) {
	first, end := j.csr.Offsets[v]+4, j.csr.Offsets[v+1]
	for first < end {
		n := min(end-first, tileEdges)
		l.rows[0], l.n, l.edges = operators.Row{First: first, Source: v, Len: uint32(n)}, 1, n
		j.tileOf(worker, l, j.csr.Targets)
		first += n
	}
}
