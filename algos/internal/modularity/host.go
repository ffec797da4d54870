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
	own []moverShare
	c   *contractor
}

func (h *hostWorker) move(l *level, p *partition, seed uint64) (rounds int, moved bool, err error) {
	m := &mover{team: h.team, l: l, p: p, s: h.s, seed: seed, own: h.own}
	return m.run()
}

func (h *hostWorker) refine(l *level, p, r *partition, seed uint64) error {
	f := &refiner{team: h.team, l: l, p: p, r: r, s: h.s, seed: seed, own: h.own}
	return f.run()
}

func (h *hostWorker) contract(l *level, r *partition) (*level, []uint32, error) { return h.c.run(l, r) }

func (h *hostWorker) cut(l *level, p *partition) (int64, error) {
	var cut atomic.Int64
	err := h.each(len(l.cuts)-1, func(_, i int) {
		sum := int64(0)
		for v := l.cuts[i]; v < l.cuts[i+1]; v++ {
			own := p.label[v]
			for e := l.offsets[v]; e < l.offsets[v+1]; e++ {
				if p.label[l.targets[e]] == own {
					continue
				}
				if l.weights == nil {
					sum++
				} else {
					sum += l.weights[e]
				}
			}
		}
		cut.Add(sum)
	})
	return cut.Load(), err
}

func (*hostWorker) rows(*level) error  { return nil }
func (*hostWorker) leave(*level) error { return nil }

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

// table totals weights by label for one vertex at a time. It is one worker's.
type table struct {
	slots []slot
	met   []uint32 // slots that are taken
	shift uint
	mask  uint32
}

type slot struct {
	key uint32
	sum int64
}

// begin empties the table, and makes room for so many labels.
func (t *table) begin(labels uint64) {
	for _, s := range t.met {
		t.slots[s].key = none
	}
	t.met = t.met[:0]
	size, shift := uint64(8), uint(29)
	for size < 2*labels {
		size, shift = 2*size, shift-1
	}
	if uint64(len(t.slots)) < size {
		t.slots = make([]slot, size)
		for i := range t.slots {
			t.slots[i].key = none
		}
	}
	t.mask, t.shift = uint32(size-1), shift
}

// add adds a weight to a label's total.
func (t *table) add(key uint32, w int64) {
	slots, at := t.slots[:t.mask+1], key*hashFactor>>t.shift
	for {
		at &= t.mask
		s := &slots[at]
		if s.key == key {
			s.sum += w
			return
		}
		if s.key == none {
			s.key, s.sum = key, w
			t.met = append(t.met, at)
			return
		}
		at++
	}
}
