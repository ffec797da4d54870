// This file holds Refill on the host.

package pile

import (
	"slices"
	"sync/atomic"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/farpile"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/operators"
)

// blocks is how many blocks go through a pile, whose length the host doesn't know.
const blocks = 1 << 10

// refillChunk is how many vertices of a pile a worker of the host asks at a time: some
// microseconds.
const refillChunk = 1 << 10

// packTogether is how many entries workers move together. Fewer take one worker less than some 20 microseconds.
const packTogether = 1 << 16

// refillHost is one Refill. It is a host.Job, in two phases: chunks of the pile's list are asked
// when they are due; then what is due is sent to the frontier, and what stays moves to the front of
// its chunk.
type refillHost struct {
	s     *host.Stream
	p     *farpile.OnHost
	f     Functor
	out   *frontier.Frontier
	room  []uint32
	level int32
	alone bool
	phase phase
	next  atomic.Int64
	least uint32
	*refillScratch
}

// refillScratch is the memory of steps on the host.
type refillScratch struct {
	due   []uint32 // of the entries of the list
	parts []refillPart

	packed []uint32 // the list after it was packed
}

type phase uint8

const (
	askPhase phase = iota
	sendPhase
	packPhase
)

// refillPart is what a chunk has come to.
type refillPart struct {
	least uint32 // the earliest stage after the present one
	later int    // entries that stay
	at    int    // where these go
}

func (j *refillHost) begin(s *host.Stream, far *farpile.Pile, f Functor, x *step.Env) {
	j.s, j.p, j.f, j.out, j.room, j.level = s, &far.Host, f, x.Spare, x.Spare.Room(), x.Level
	j.refillScratch = step.Scratch[refillScratch](x)
	n := len(j.p.List)
	j.alone = n <= refillChunk || s.Workers() == 1
	j.due = slices.Grow(j.due[:0], n)[:n]
	chunks := (n + refillChunk - 1) / refillChunk
	j.parts = slices.Grow(j.parts[:0], chunks)[:chunks]
}

// end releases the arguments of the step.
func (j *refillHost) end() {
	j.s, j.p, j.f, j.out, j.room, j.refillScratch = nil, nil, nil, nil, nil, nil
}

func (j *refillHost) run(p phase) {
	j.phase = p
	j.next.Store(0)
	if j.alone {
		j.Run(0)
	} else {
		j.s.RunOn(len(j.parts), j)
	}
}

// settle advances to the earliest stage.
func (j *refillHost) settle() {
	j.least = Never
	for _, part := range j.parts {
		j.least = min(j.least, part.least)
	}
}

// pack moves the entries that stay together: if they are many, to another list, since workers do it together then.
func (j *refillHost) pack() {
	at, now := 0, j.p.Now
	for i := range j.parts {
		j.parts[i].at = at
		at += j.parts[i].later
	}
	if j.alone || at < packTogether {
		for i, part := range j.parts {
			lo := i * refillChunk
			copy(j.p.List[part.at:], j.p.List[lo:lo+part.later])
		}
		j.p.List = j.p.List[:at]
	} else {
		j.packed = slices.Grow(j.packed[:0], at)[:at]
		j.run(packPhase)
		j.p.List, j.packed = j.packed, j.p.List[:0]
	}
	if j.least != Never {
		now = j.least
	}
	j.p.Now = now
}

// Run is the share of one worker.
func (j *refillHost) Run(worker int) {
	w := operators.Worker{ID: worker, Level: j.level, Alone: j.alone}
	for {
		c := int(j.next.Add(1)) - 1
		if c >= len(j.parts) {
			return
		}
		lo, hi := c*refillChunk, min((c+1)*refillChunk, len(j.p.List))
		vs, due, part := j.p.List[lo:hi], j.due[lo:hi], &j.parts[c]
		if j.phase == packPhase {
			copy(j.packed[part.at:], vs[:part.later])
			continue
		}
		if j.phase == askPhase {
			j.f.Due(w, vs, due)
			part.least = Never
			for _, d := range due {
				if d > j.p.Now {
					part.least = min(part.least, d)
				}
			}
			continue
		}
		j.send(vs, due, part)
	}
}

// send sends the due vertices of a chunk to the frontier. Vertices due at an earlier stage were
// expanded then.
func (j *refillHost) send(vs, due []uint32, part *refillPart) {
	now := 0
	for _, d := range due {
		if d != Never && d > j.p.Now && d <= j.least {
			now++
		}
	}
	at := 0
	if now > 0 {
		at = j.out.Reserve(now)
	}
	later := vs[:0]
	for i, v := range vs {
		switch d := due[i]; {
		case d != Never && d > j.least:
			later = append(later, v)
			continue
		case d != Never && d > j.p.Now:
			j.room[at] = v
			at++
		}
		if word, bit := &j.p.Far[v>>6], uint64(1)<<(v&63); j.alone {
			*word &^= bit
		} else {
			atomic.AndUint64(word, ^bit)
		}
	}
	part.later = len(later)
}
