// This file holds PushLevel on the host: the level array is read in order.

package advance

import (
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
)

// levelHost is one PushLevel. It is a host.Job. It has the tiles of a Push.
type levelHost struct {
	a      *onHost
	levels []int32
	level  int32
	next   counter
}

func (j *levelHost) run(levels *device.Buffer[int32], level int32, out *frontier.Frontier, f Functor) (uint64, int, error) {
	s, p, g := j.a.s, &j.a.push, j.a.p.Graph().Out()
	p.csr, p.in, p.all, p.ranged, p.room, p.out = g, nil, 0, false, nil, nil
	if out != nil {
		if err := out.Reset(frontier.Queue); err != nil {
			return 0, 0, err
		}
		if !isUnique(f) {
			if err := out.Grow(int(g.NumEdges())); err != nil {
				return 0, 0, err
			}
		}
		p.out, p.room = out, out.Room()
	}
	p.call(f)
	p.alone = s.Workers() == 1
	j.levels, j.level = levels.Host(), level
	j.a.reset()
	j.next.n.Store(0)
	s.Run(j)
	for w := range j.a.own {
		p.flush(&j.a.own[w])
	}
	edges, found := j.a.totals()
	j.levels = nil
	if err := p.end(); err != nil {
		if out != nil {
			out.SetLen(0)
		}
		return 0, 0, err
	}
	if out != nil {
		found = out.Len()
	}
	return edges, found, s.Err()
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
