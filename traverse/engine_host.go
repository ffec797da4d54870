// This file holds the engine of the host: steps run one after the other, each on a team of
// goroutines.

package traverse

import (
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/step"
)

type onHost struct {
	space *space
	lease *run.Host

	filler filler
	one    [1]step.Step // that does all rounds
}

func (*onHost) kind() Engine                       { return LevelByLevel }
func (*onHost) begin() error                       { return nil }
func (*onHost) close() error                       { return nil }
func (*onHost) takes(*step.Env, []step.Step) error { return nil }
func (e *onHost) sync() error                      { return e.space.env.Stream.Sync() }
func (*onHost) settle() error                      { return nil }

func (e *onHost) room(frontiers uint64) uint64 {
	n := uint64(e.space.p.NumVertices())
	bitmap := run.BitmapBytes(n)
	return frontiers*(4*(n+front.Slack)+bitmap) + bitmap + uint64(e.lease.Workers())*run.WorkerBytes
}

func (*onHost) keyed() uint64 { return 0 }

func (e *onHost) piled() uint64 {
	return min(uint64(e.lease.Workers())*pileWorkerBytes, uint64(e.space.p.NumVertices())*pileVertexBytes)
}

func (*onHost) notes() bool { return true }

func (*onHost) step(x *step.Env, s step.Step) error { return s.Host(x) }

func (e *onHost) forRepeat(*Traversal, *Frontier, []step.Step) (engine, error) { return e, nil }

func (e *onHost) repeat(t *Traversal, cur *Frontier, steps []step.Step) {
	if w := whole(t, steps); w != nil {
		e.one[0] = w
		steps = e.one[:]
		defer clear(steps)
	}
	t.rounds(cur, steps)
}

// whole returns the step that does all rounds of a Repeat, or nil: where each round is told, too.
func whole(t *Traversal, steps []step.Step) step.Step {
	if len(steps) != 2 || t.o.EachLevel != nil {
		return nil
	}
	if s, ok := steps[0].(step.Whole); ok {
		return s.Whole(steps[1])
	}
	return nil
}

func (*onHost) empty(c *Frontier) error { return c.f.Clear(frontier.Queue) }

func (*onHost) add(f *frontier.Frontier, vs []uint32) error { return f.Add(vs...) }

func (*onHost) list(f *frontier.Frontier) (twice bool, err error) {
	return f.Form() == frontier.Queue, nil
}

func (*onHost) roomy(*frontier.Frontier) bool          { return false }
func (*onHost) ends(*Traversal) *device.Buffer[uint32] { return nil }

func (e *onHost) get(c cells) (uint64, error) { return c.words[0], e.lease.Err() }

func (e *onHost) fill(c cells, x uint64) error {
	if c.n <= fillEach || e.lease.Stream == nil {
		fill(c, 0, c.n, x)
		return nil
	}
	e.filler = filler{c: c, x: x}
	e.lease.Stream.RunOn(c.n/fillEach+1, &e.filler)
	e.filler.c = cells{}
	return e.lease.Err()
}

// filler fills an array. It is a host.Job.
type filler struct {
	c    cells
	x    uint64
	next atomic.Int64
}

// Run is the share of one worker.
func (f *filler) Run(int) {
	for {
		lo := int(f.next.Add(fillEach)) - fillEach
		if lo >= f.c.n {
			return
		}
		fill(f.c, lo, min(lo+fillEach, f.c.n), f.x)
	}
}

func fill(c cells, lo, hi int, x uint64) {
	switch {
	case c.wide && x == 0: // which is faster than a loop
		clear(c.words[lo:hi])
		return
	case x == 0:
		clear(c.narrow[lo:hi])
		return
	case c.wide:
		words := c.words[lo:hi]
		for i := range words {
			words[i] = x
		}
		return
	}
	words := c.narrow[lo:hi]
	for i := range words {
		words[i] = uint32(x)
	}
}

func (*onHost) put(c cells, at uint32, x uint64) error {
	if c.wide {
		c.words[at] = x
	} else {
		c.narrow[at] = uint32(x)
	}
	return nil
}

func (*onHost) numbers(b *device.Buffer[uint32]) error {
	for i := range b.Host() {
		b.Host()[i] = uint32(i)
	}
	return nil
}

func (e *onHost) degrees(b *device.Buffer[uint32]) error {
	g := e.space.p.Graph()
	for v := range b.Host() {
		b.Host()[v] = uint32(g.Degree(uint32(v)))
	}
	return nil
}

func (e *onHost) firsts(b *device.Buffer[uint32]) error {
	rows := e.space.p.Graph().Out()
	for v := range b.Host() {
		b.Host()[v] = uint32(v)
		if at := rows.Offsets[v]; at < rows.Offsets[v+1] {
			b.Host()[v] = rows.Targets[at]
		}
	}
	return nil
}
