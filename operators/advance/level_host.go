// This file holds PushLevel on the host: the level array is read in order.

package advance

import (
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
)

// levelHost is one PushLevel. It is a host.Job. The tiles are those of a Push
// whose output is only counted.
type levelHost struct {
	a      *Advancer
	levels []int32
	level  int32
	next   counter
}

func (j *levelHost) run(levels []int32, level int32, f Functor) (Edges, int, error) {
	s := j.a.s
	if err := j.a.ready("push by level"); err != nil {
		return 0, 0, err
	}
	if err := checkFunctor("push by level", f, j.a.p, nil); err != nil {
		return 0, 0, err
	}
	p := &j.a.push
	p.csr = j.a.p.Graph().Out()
	if len(levels) != p.csr.NumVertices() {
		return 0, 0, fmt.Errorf("advance: push by level: %w: %d levels for %d vertices", graph.ErrMalformed, len(levels), p.csr.NumVertices())
	}
	p.f, p.room, p.out, p.in, p.all, p.ranged = f, nil, nil, nil, 0, false
	p.rows, _ = f.(RowsFunctor)
	p.alone = s.Workers() == 1
	p.hubs.reset()
	p.fault.clear() // of a call that panicked
	j.levels, j.level = levels, level
	j.a.reset()
	j.next.n.Store(0)
	s.Run(j)
	edges, emitted := j.a.totals()
	j.levels, p.f, p.rows = nil, nil, nil
	if err := p.fault.clear(); err != nil {
		return 0, 0, err
	}
	return edges, emitted, s.Err()
}

// Run is the share of one worker.
func (j *levelHost) Run(worker int) {
	l, p := &j.a.own[worker], &j.a.push
	j.read(worker, l)
	p.visitHubs(worker, l)
}

// read reads what a worker gets of the level array.
func (j *levelHost) read(worker int, l *local) {
	p := &j.a.push
	p.hubs.enter()
	defer p.hubs.leave() // the others wait for this, even after a panic
	for !j.a.push.stopped() {
		i := int(j.next.n.Add(levelVertices)) - levelVertices
		if i >= len(j.levels) {
			break
		}
		j.scan(worker, l, i, min(i+levelVertices, len(j.levels)))
	}
	p.tile(worker, l)
}

// scan reads a range of the level array and adds the vertices that match.
func (j *levelHost) scan(worker int, l *local, lo, hi int) {
	var match [64]uint32
	k, level := 0, j.level
	levels := j.levels[lo:hi]
	for i := range levels {
		if atomic.LoadInt32(&levels[i]) == level {
			match[k] = uint32(lo + i)
			if k++; k == len(match) {
				j.a.push.add(worker, l, match[:])
				k = 0
			}
		}
	}
	j.a.push.add(worker, l, match[:k])
}
