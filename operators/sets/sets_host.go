// This file holds the set operators on the host.

package sets

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/filter"
)

// onHost is the part of a Combiner that runs on the workers of a stream.
type onHost struct {
	s   *host.Stream
	job setsHost
}

func (h *onHost) bind(s device.Stream) { h.s = s.(*host.Stream) }
func (h *onHost) err() error           { return h.s.Err() }

func (h *onHost) run(o op, a, b, out, mask *frontier.Frontier, form frontier.Form) error {
	return h.job.run(h.s, o, a, b, out, mask, form)
}

// setsHost is one operator. It is a host.Job.
type setsHost struct {
	s     *host.Stream
	op    op
	n     uint32 // vertices
	phase phase
	list  []uint32 // read
	mask  []uint64 // written: marks, and what was emitted
	a, b  []uint64 // words to combine
	to    []uint64 // into these
	out   *frontier.Frontier
	room  []uint32 // of out, as a queue
	own   [][chunk]uint32
	next  atomic.Int64
	count atomic.Int64 // bits set in to
	bad   atomic.Uint64
}

// phase is one pass over a list or over words.
type phase uint8

const (
	marking   phase = iota // the list's bits in mask are set
	emitting               // entries whose bit this sets go to out
	taking                 // entries whose bit this clears go to out
	combining              // words
)

func (j *setsHost) run(s *host.Stream, o op, a, b, out, mask *frontier.Frontier, form frontier.Form) error {
	j.s, j.op, j.out, j.n = s, o, out, uint32(out.Placed().NumVertices())
	j.bad.Store(0)
	j.count.Store(0)
	if len(j.own) < s.Workers() {
		j.own = make([][chunk]uint32, s.Workers())
	}
	err := j.steps(a, b, mask, form)
	j.s, j.list, j.mask, j.a, j.b, j.to, j.out, j.room = nil, nil, nil, nil, nil, nil, nil, nil
	if err != nil {
		return err
	}
	if v := j.bad.Load(); v != 0 {
		if err := out.Clear(form); err != nil {
			return err
		}
		return fmt.Errorf("sets: %s: %w: vertex %d of %d; a functor or caller wrote it there", o, graph.ErrNoVertex, v-1, j.n)
	}
	return s.Err()
}

// steps does the passes that an operator consists of.
func (j *setsHost) steps(a, b, mask *frontier.Frontier, form frontier.Form) error {
	if form == frontier.Queue {
		list, other := a, b
		if j.op == intersection && a.Form() == frontier.Bitmap {
			list, other = b, a
		}
		if j.op == union {
			other = nil // nothing is marked beforehand
		}
		if err := j.marks(mask, other); err != nil {
			return err
		}
		if err := j.out.Reset(frontier.Queue); err != nil {
			return err
		}
		j.room = j.out.Room()
		how := emitting
		if j.op == intersection {
			how = taking
		}
		j.pass(how, list.Queue(), len(list.Queue()))
		if j.op == union {
			j.pass(how, b.Queue(), len(b.Queue()))
		}
		return nil
	}
	words := [2][]uint64{a.Bits(), b.Bits()}
	for i, f := range []*frontier.Frontier{a, b} { // one of them at most is a queue
		if f.Form() == frontier.Queue {
			if err := j.marks(mask, f); err != nil {
				return err
			}
			words[i] = j.mask
		}
	}
	if err := j.out.Reset(frontier.Bitmap); err != nil {
		return err
	}
	j.a, j.b, j.to = words[0], words[1], j.out.Bits()
	j.pass(combining, nil, len(j.to))
	j.out.SetLen(int(j.count.Load()))
	return nil
}

// marks makes the mask the vertices of a frontier, or empty for nil.
func (j *setsHost) marks(mask, f *frontier.Frontier) error {
	if f != nil && f.Form() == frontier.Bitmap {
		if err := mask.Reset(frontier.Bitmap); err != nil {
			return err
		}
		j.mask = mask.Bits()
		copy(j.mask, f.Bits())
		return nil
	}
	if err := mask.Clear(frontier.Bitmap); err != nil {
		return err
	}
	j.mask = mask.Bits()
	if f != nil {
		j.pass(marking, f.Queue(), f.Len())
	}
	return nil
}

// pass runs over n entries of a list, or words.
func (j *setsHost) pass(p phase, list []uint32, n int) {
	j.phase, j.list = p, list
	j.next.Store(0)
	if n <= serialBelow || j.s.Workers() == 1 {
		j.Run(0)
	} else {
		j.s.Run(j)
	}
}

// Run is the share of one worker.
func (j *setsHost) Run(worker int) {
	n := len(j.list)
	if j.phase == combining {
		n = len(j.to)
	}
	for !j.s.Stopped() && j.bad.Load() == 0 {
		i := int(j.next.Add(chunk)) - chunk
		if i >= n {
			return
		}
		hi := min(i+chunk, n)
		if j.phase == combining {
			j.words(i, hi)
		} else {
			j.entries(&j.own[worker], j.list[i:hi])
		}
	}
}

// entries marks, emits or takes a part of the list.
func (j *setsHost) entries(own *[chunk]uint32, vs []uint32) {
	k, mask := 0, j.mask
	for _, v := range vs {
		if v >= j.n {
			j.bad.Store(uint64(v) + 1)
			return
		}
		switch j.phase {
		case marking:
			filter.Claim(mask, v)
			continue
		case emitting:
			if !filter.Claim(mask, v) {
				continue
			}
		case taking:
			w, bit := &mask[v>>6], uint64(1)<<(v&63)
			if atomic.LoadUint64(w)&bit == 0 || atomic.AndUint64(w, ^bit)&bit == 0 {
				continue
			}
		}
		own[k] = v
		k++
	}
	if k > 0 {
		copy(j.room[j.out.Reserve(k):], own[:k]) // a vertex once: there is room
	}
}

// words combines a part of the words.
func (j *setsHost) words(lo, hi int) {
	a, b, to, set := j.a[lo:hi], j.b[lo:hi], j.to[lo:hi], 0
	for i, x := range a {
		switch j.op {
		case union:
			x |= b[i]
		case intersection:
			x &= b[i]
		case difference:
			x &^= b[i]
		}
		to[i] = x
		set += bits.OnesCount64(x)
	}
	j.count.Add(int64(set))
}
