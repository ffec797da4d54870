// This file holds the engine of several GPUs, for steps over all vertices. Each GPU has a copy of every array,
// and runs a step on the rows of its own vertices, whose entries it keeps right. What the others have of an
// array is brought when a step is about to look there: what a step reads and writes, and where, its functor
// says (step.Reach). What is reduced into a scalar, each of its own vertices, is joined in the order of the GPUs.

package traverse

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/placed"
	"github.com/foray-graph/foray/internal/run"
	"github.com/foray-graph/foray/internal/step"
	"github.com/foray-graph/foray/operators"
)

type dealt struct {
	space  *space
	lease  *run.GPUs
	across *placed.Across
	parts  []*part
	stale  map[uintptr]int // arrays of which each GPU knows its own part alone: bytes of an entry
}

// part is what a GPU works with.
type part struct {
	on   *levels
	dev  *gpu.Device
	env  step.Env
	mine *placed.Dealt
	// marks are behind the steps before an exchange, and behind its copies.
	marks [2]*gpu.Mark
}

func newDealt(s *space, lease *run.GPUs) (*dealt, error) {
	x, err := s.p.Once(placed.MembersKey{}, func() (any, error) { return nil, s.p.Err() })
	if err != nil {
		return nil, err
	}
	e := &dealt{space: s, lease: lease, across: run.Across(s.p)}
	for _, p := range x.(interface{ Members() []*graph.Placed }).Members() {
		e.parts = append(e.parts, &part{on: newLevels(&space{p: p}, &run.GPU{}), env: step.Env{Placed: p}, mine: p.Remote().Dealt})
	}
	return e, nil
}

// begin readies the parts for a traversal, whose streams are there.
func (e *dealt) begin() error {
	e.stale = map[uintptr]int{}
	for i, p := range e.parts {
		s := e.lease.Streams[i]
		p.on.lease.Stream, p.env.Stream, p.dev = s, s, s.Device().(*gpu.Device)
		for m := range p.marks {
			if p.marks[m] == nil {
				var err error
				if p.marks[m], err = s.Mark(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (*dealt) kind() Engine { return LevelByLevel }

// room is the list of a GPU's vertices, and what reduces put long rows aside in: 20 bytes for 128 edges at most.
func (e *dealt) room(uint64) uint64 {
	edges := e.space.p.Graph().NumDirectedEdges() / uint64(len(e.parts))
	return 4*uint64(e.across.Stride) + 20*(edges/128) + streamBytes
}

func (e *dealt) free() (err error) {
	for _, p := range e.parts {
		err = errors.Join(err, p.env.Free(), p.on.free())
		for _, m := range p.marks {
			err = errors.Join(err, m.Close())
		}
	}
	return err
}

func (e *dealt) sync() (err error) {
	for _, s := range e.lease.Streams {
		err = errors.Join(err, s.Sync())
	}
	return err
}

// takes returns an error for steps that don't run on several GPUs.
func (e *dealt) takes(x *step.Env, steps []operators.Step) error {
	for _, s := range steps {
		if _, ends := s.(step.Ender); ends {
			continue
		}
		d, ok := s.(step.Dealt)
		if !ok || x.Cur.Form() != frontier.All {
			return step.Wrap(s.Name(), fmt.Errorf("%w: several GPUs (%s) run foreach and reduce over all vertices; take one GPU", device.ErrNotSupported, e.lease.Name()))
		}
		p := e.parts[0]
		p.env.Cur = x.Cur
		if _, err := d.Reach(&p.env); err != nil {
			return step.Wrap(s.Name(), err)
		}
	}
	return nil
}

// step runs a step on each GPU.
func (e *dealt) step(x *step.Env, s operators.Step) error {
	for _, p := range e.parts {
		p.env.Cur, p.env.Level, p.env.Counts, p.env.Edges = x.Cur, x.Level, x.Counts, 0
	}
	does, err := s.(step.Dealt).Reach(&e.parts[0].env)
	if err != nil {
		return err
	}
	if err := e.exchange(does.Far); err != nil {
		return err
	}
	for _, p := range e.parts {
		if err := p.on.step(&p.env, s); err != nil {
			return err
		}
	}
	x.Edges += e.parts[0].env.Edges // of the whole graph
	if err := e.lower(does.Lowered); err != nil {
		return err
	}
	for _, a := range does.Written {
		if a.Len >= e.across.Numbers() {
			e.stale[a.At] = a.Width
		}
	}
	return e.join(does.Sums)
}

// exchange has each GPU bring what it has of some arrays to the others.
func (e *dealt) exchange(arrays []uintptr) error {
	arrays = e.stales(arrays)
	if len(arrays) == 0 {
		return nil
	}
	if err := e.meet(0); err != nil { // what is copied is written
		return err
	}
	for i, p := range e.parts {
		for _, at := range arrays {
			first, width := uintptr(p.mine.First), uintptr(e.stale[at])
			var to []uintptr
			for k := 1; k < len(e.parts); k++ { // each begins with another one
				to = append(to, e.parts[(i+k)%len(e.parts)].mine.At(at)+first*width)
			}
			// A part has room for whole units of vertices, so for what is rounded up.
			if err := send(p.on.lease.Stream, p.mine.At(at)+first*width, to, uint64(p.mine.Count)*uint64(width)); err != nil {
				return err
			}
		}
	}
	for _, at := range arrays {
		delete(e.stale, at)
	}
	return e.meet(1) // nobody writes to it before
}

// lower has each GPU lower what it has of its vertices to the least that any of them has.
func (e *dealt) lower(arrays []uintptr) error {
	if len(arrays) == 0 {
		return nil
	}
	if err := e.meet(0); err != nil {
		return err
	}
	for i, p := range e.parts {
		for k := 1; k < len(e.parts); k++ {
			for _, at := range arrays {
				if err := step.Lower(&p.env, p.mine.At(at), e.parts[(i+k)%len(e.parts)].mine.At(at)); err != nil {
					return err
				}
			}
		}
	}
	for _, at := range arrays {
		e.stale[at] = 4
	}
	return e.meet(1) // nobody writes to its copy before
}

// stales returns those of the arrays that are to be exchanged, each once.
func (e *dealt) stales(arrays []uintptr) (some []uintptr) {
	seen := map[uintptr]bool{}
	for _, at := range arrays {
		if _, is := e.stale[at]; is && !seen[at] {
			seen[at] = true
			some = append(some, at)
		}
	}
	return some
}

// meet has each stream wait for all others. The host doesn't wait.
func (e *dealt) meet(mark int) error {
	for _, p := range e.parts {
		if err := p.marks[mark].Record(); err != nil {
			return err
		}
	}
	for i, p := range e.parts {
		for j, q := range e.parts {
			if i != j {
				if err := p.on.lease.Stream.Await(q.marks[mark]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// join leaves in scalars what all GPUs' parts of them come to.
func (e *dealt) join(sums []step.Sum) error {
	for _, s := range sums {
		all := uint64(0)
		for i, p := range e.parts {
			x, err := p.on.lease.Stream.Word(p.mine.At(uintptr(s.At)))
			if err != nil {
				return err
			}
			if i > 0 {
				x = s.Join(all, x)
			}
			all = x
		}
		if err := e.each(cells{at: uintptr(s.At), n: 1, wide: true}, func(l *levels, c cells) error { return l.put(c, 0, all) }); err != nil {
			return err
		}
	}
	return nil
}

// each does something to all copies of an array.
func (e *dealt) each(c cells, do func(*levels, cells) error) error {
	at := c.at
	for _, p := range e.parts {
		c.at = p.mine.At(at)
		if err := do(p.on, c); err != nil {
			return err
		}
	}
	return nil
}

func (e *dealt) forRepeat(t *Traversal, _ *Frontier, _ []operators.Step) (engine, error) {
	if t.o.Engine == Persistent {
		return nil, fmt.Errorf("%w: several GPUs run steps level by level", device.ErrNotSupported)
	}
	return e, nil
}

func (*dealt) repeat(t *Traversal, cur *Frontier, steps []operators.Step) { t.rounds(cur, steps) }

func (e *dealt) get(c cells) (uint64, error) {
	if err := e.sync(); err != nil {
		return 0, err
	}
	return e.parts[0].on.get(c)
}

func (e *dealt) fill(c cells, x uint64) error {
	return e.each(c, func(l *levels, c cells) error { return l.fill(c, x) })
}

func (e *dealt) put(c cells, at uint32, x uint64) error {
	return e.each(c, func(l *levels, c cells) error { return l.put(c, at, x) })
}

func (e *dealt) degrees(b *device.Buffer[uint32]) error {
	for _, p := range e.parts {
		r, first := p.env.Placed.Remote(), uintptr(p.mine.First)
		offsets := r.Offsets + first*4
		if r.Wide {
			offsets += first * 4
		}
		if err := p.on.over("degrees"+r.Width(), device.View[uint32](p.mine.At(b.Pointer())+4*first, int(p.mine.Count)), offsets); err != nil {
			return err
		}
	}
	e.stale[b.Pointer()] = 4
	return errors.Join(e.exchange([]uintptr{b.Pointer()}), e.sync())
}

func (e *dealt) notHere(what string) error {
	return fmt.Errorf("%w: several GPUs (%s) have no %s; take one GPU", device.ErrNotSupported, e.lease.Name(), what)
}

// empty takes a new frontier, which has no memory yet.
func (e *dealt) empty(c *Frontier) error {
	e.space.keep(c.f)
	c.f = frontier.New(e.space.p)
	return nil
}

func (e *dealt) add(_ *frontier.Frontier, vs []uint32) error {
	if len(vs) == 0 {
		return nil
	}
	return e.notHere("frontier of some vertices")
}

func (e *dealt) list(*frontier.Frontier) (bool, error) {
	return false, e.notHere("frontier of some vertices")
}
func (e *dealt) numbers(*device.Buffer[uint32]) error { return e.notHere("array of vertices") }
func (e *dealt) firsts(*device.Buffer[uint32]) error  { return e.notHere("array of first targets") }

func (*dealt) roomy(*frontier.Frontier) bool          { return false }
func (*dealt) ends(*Traversal) *device.Buffer[uint32] { return nil }
