// This file holds the workers of the host, and what they share work by.

package modularity

import (
	"sync/atomic"

	"github.com/foray-graph/foray/internal/host"
)

// team runs functions on all workers of a host stream.
type team struct {
	s     *host.Stream
	next  atomic.Int64
	count int
	do    func(worker, i int)
}

// Run is the share of a worker: it takes items until none is left.
func (t *team) Run(worker int) {
	for !t.s.Stopped() {
		i := int(t.next.Add(1)) - 1
		if i >= t.count {
			return
		}
		t.do(worker, i)
	}
}

// each calls do for the items from 0 to count-1. The error is the context's.
func (t *team) each(count int, do func(worker, i int)) error {
	if err := t.s.Err(); err != nil || count == 0 {
		return err
	}
	t.next.Store(0)
	t.count, t.do = count, do
	if t.s.Workers() == 1 || count == 1 {
		t.Run(0)
	} else {
		t.s.RunOn(min(t.s.Workers(), count), t)
	}
	t.do = nil
	return t.s.Err()
}

// hostWorker is a worker on the host.
type hostWorker struct {
	*team
	s   *scale
	own []share
	c   *contractor
}

func (h *hostWorker) move(l *level, p *partition, seed uint64) (rounds int, moved bool, err error) {
	m := &mover{team: h.team, l: l, p: p, s: h.s, seed: seed, groups: &h.c.groups, own: h.own}
	h.c.prepare(l)
	return m.run()
}

func (h *hostWorker) refine(l *level, p, r *partition, seed uint64) error {
	f := &refiner{team: h.team, l: l, p: p, r: r, s: h.s, seed: seed, groups: &h.c.groups, own: h.own}
	h.c.prepare(l)
	return f.run()
}

func (h *hostWorker) contract(l *level, r *partition) (*level, []uint32, error) { return h.c.run(l, r) }

func (h *hostWorker) cut(l *level, p *partition) (int64, error) {
	var cut atomic.Int64
	err := h.each(len(l.cuts)-1, func(_, i int) {
		sum := int64(0)
		for v := l.cuts[i]; v < l.cuts[i+1]; v++ {
			own, lo, hi := p.label[v], l.offsets[v], l.ends[v]
			if l.weights == nil {
				for _, u := range l.targets[lo:hi] {
					if p.label[u] != own {
						sum++
					}
				}
				continue
			}
			weights := l.weights[lo:hi]
			for i, u := range l.targets[lo:hi] {
				if p.label[u] != own {
					sum += weights[i]
				}
			}
		}
		cut.Add(sum)
	})
	return cut.Load(), err
}

func (*hostWorker) rows(*level) error  { return nil }
func (*hostWorker) leave(*level) error { return nil }

// newHostWorker returns a worker of a search.
func newHostWorker(x *search) *hostWorker {
	h := &hostWorker{team: x.team, s: &x.s, own: make([]share, len(x.c.own)), c: x.c}
	for i := range h.own {
		h.own[i].tally = &x.c.own[i]
	}
	return h
}

// pieces calls do for pieces of the numbers from 0 to n-1.
func (t *team) pieces(n int, do func(worker, lo, hi int)) error {
	return t.each((n+pieceVertices-1)/pieceVertices, func(w, i int) {
		do(w, i*pieceVertices, min(n, (i+1)*pieceVertices))
	})
}

// byRows calls do for pieces of rows with about equally many edges.
func (t *team) byRows(l *level, do func(worker, lo, hi int)) error {
	return t.each(len(l.cuts)-1, func(w, i int) { do(w, int(l.cuts[i]), int(l.cuts[i+1])) })
}
