// This file holds PushLevel on the host: the level array is read in order.

package advance

import (
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
	if err := s.Err(); err != nil {
		return 0, 0, err
	}
	p := &j.a.push
	p.csr = j.a.p.Graph().Out()
	if len(levels) != p.csr.NumVertices() {
		return 0, 0, graph.ErrMalformed
	}
	p.f, p.room, p.out, p.in = f, nil, nil, nil
	p.rows, _ = f.(RowsFunctor)
	p.alone = s.Workers() == 1
	p.hubs.reset()
	j.levels, j.level = levels, level
	j.a.reset()
	j.next.n.Store(0)
	s.Run(j)
	edges, emitted := j.a.totals()
	j.levels, p.f, p.rows = nil, nil, nil
	return edges, emitted, s.Err()
}

// Run is the share of one worker.
func (j *levelHost) Run(worker int) {
	l, p := &j.a.own[worker], &j.a.push
	p.hubs.busy.Add(1)
	for !j.a.s.Stopped() {
		i := int(j.next.n.Add(levelVertices)) - levelVertices
		if i >= len(j.levels) {
			break
		}
		j.scan(worker, l, i, min(i+levelVertices, len(j.levels)))
	}
	p.tile(worker, l)
	p.hubs.busy.Add(-1)
	for !j.a.s.Stopped() {
		r, ok := p.hubs.take()
		if !ok {
			break
		}
		l.rows[0], l.n, l.edges = r, 1, uint64(r.Len)
		p.tile(worker, l)
	}
	l.emitted += l.k
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
