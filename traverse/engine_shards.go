// This file holds the engine of several GPUs. Each GPU has a copy of every array, and its own vertices of a
// frontier. It runs a step on the rows of these vertices, and keeps their entries right. Before a step, the
// entries that it reads are fetched from the other GPUs: step.Reach of its functor lists the arrays that it
// reads and writes, and where. A scalar is reduced over each GPU's own vertices; the parts are joined in the
// order of the GPUs when the scalar is read. engine_shards_exchange.go has the exchange before a step,
// engine_shards_push.go the steps that write to vertices of other GPUs.

package traverse

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
)

type overShards struct {
	space  *space
	lease  *run.Shards
	shards *placed.Shards
	parts  []*part
	stale  map[uintptr]stale   // arrays of which each GPU knows its own part alone
	parted map[uintptr]*parted // scalars of which each GPU has its own part, by where they are
}

// part is what a GPU works with.
type part struct {
	on   *levels
	dev  *gpu.Device
	env  step.Env
	mine *placed.ShardPlace
	// found is what a push lets through here, of all GPUs' vertices.
	found *frontier.Frontier
	// before has room for so many bytes of what a step adds to.
	before device.Memory
	room   uint64
	// marks are behind the steps before an exchange, and behind its copies.
	marks [2]*gpu.Mark
}

func newOverShards(s *space, lease *run.Shards) (*overShards, error) {
	members, ok := placed.Lookup(s.p.State(), placed.PlacedShardsKey[*graph.Placed]{})
	if !ok {
		return nil, s.p.Err()
	}
	e := &overShards{space: s, lease: lease, shards: run.ShardsOf(s.p)}
	for _, p := range members {
		e.parts = append(e.parts, &part{on: newLevels(&space{p: p}, &run.GPU{}), env: step.Env{Placed: p}, mine: p.Remote().Shard, found: frontier.New(p)})
	}
	return e, nil
}

// begin readies the parts for a traversal, whose streams are there.
func (e *overShards) begin() error {
	e.stale, e.parted = map[uintptr]stale{}, map[uintptr]*parted{}
	for i, p := range e.parts {
		s := e.lease.Streams[i]
		p.on.lease.Stream, p.env.Stream, p.dev = s, s, s.Device().(*gpu.Device)
		if err := step.List(p.env.Placed); err != nil {
			return err
		}
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

func (*overShards) kind() Engine { return LevelByLevel }

// room is the list of a GPU's vertices, queues that have room for all vertices, a bitmap of what a push finds, and
// what reduces put long rows aside in: 20 bytes for 128 edges at most.
func (*overShards) keyed() uint64 { return 0 } // there are none
func (*overShards) piled() uint64 { return 0 }

func (*overShards) notes() bool { return false }

func (e *overShards) room(frontiers uint64) uint64 {
	edges, n, width := e.space.p.Graph().NumDirectedEdges()/uint64(len(e.parts)), uint64(e.shards.Numbers()), uint64(4)
	if e.shards.Wide {
		width = 8
	}
	bytes := 4*uint64(e.shards.Stride) + 20*(edges/128) + streamBytes
	if frontiers > 0 {
		bytes += frontiers*(4+width)*n + run.BitmapBytes(n) + 8*uint64(e.shards.Stride) // an array that is added to
	}
	return bytes
}

func (e *overShards) close() (err error) {
	for _, p := range e.parts {
		err = errors.Join(err, p.env.Close(), p.on.close(), p.found.Close())
		if p.before != nil {
			err = errors.Join(err, p.before.Close())
		}
		for _, m := range p.marks {
			err = errors.Join(err, m.Close())
		}
	}
	return err
}

// sync waits for all GPUs. All of them return most errors, such as the context's: it returns the first.
func (e *overShards) sync() (err error) {
	for _, s := range e.lease.Streams {
		err = cmp.Or(err, s.Sync())
	}
	return err
}

// takes returns an error for steps that don't run on several GPUs.
func (e *overShards) takes(x *step.Env, steps []step.Step) error {
	for i, s := range steps {
		if _, ends := s.(step.Ender); ends {
			continue
		}
		if c, culls := s.(step.Culler); culls && (c.Seen() == nil || i > 0 && pushes(steps[i-1])) {
			if c.Seen() != nil {
				if err := c.Seen().Check(e.space.p, frontier.Bitmap); err != nil {
					return step.Wrap(s.Name(), err)
				}
			}
			continue
		}
		d, ok := s.(step.Sharded)
		if !ok {
			return step.Wrap(s.Name(), fmt.Errorf("%w: several GPUs (%s) run push, visit, keep, foreach, reduce, and unvisited behind a push; take one GPU", device.ErrNotSupported, e.lease.Name()))
		}
		p := e.parts[0]
		p.env.Cur, p.env.Spare = frontiersOf(x.Cur)[0], nil
		does, err := d.Reach(&p.env)
		if err == nil {
			err = e.perVertex(does)
		}
		if err != nil {
			return step.Wrap(s.Name(), err)
		}
	}
	return nil
}

func pushes(s step.Step) bool {
	_, is := s.(step.ShardedPush)
	return is
}

// step runs a step on each GPU.
func (e *overShards) step(x *step.Env, s step.Step) error {
	if _, culls := s.(step.Culler); culls {
		return nil // of duplicates, which there are none of
	}
	all, cur, spare := x.Cur.Form() == frontier.All, frontiersOf(x.Cur), frontiersOf(x.Spare)
	for i, p := range e.parts {
		p.env.Cur, p.env.Spare, p.env.Level, p.env.Counts, p.env.Edges = cur[i], spare[i], x.Level, x.Counts, 0
	}
	does, err := s.(step.Sharded).Reach(&e.parts[0].env)
	if err == nil {
		err = e.perVertex(does)
	}
	if err == nil {
		err = e.exchange(does.Far)
	}
	if err == nil {
		err = e.before(does)
	}
	if err != nil {
		return err
	}
	if t, is := s.(step.Together); is {
		return e.together(x, t, does)
	}
	push, isPush := s.(step.ShardedPush)
	for _, p := range e.parts {
		if isPush {
			err = p.push(push)
		} else {
			err = p.on.step(&p.env, s)
		}
		if err != nil {
			return err
		}
	}
	if err := e.fold(does, push); err != nil {
		return err
	}
	for i, p := range e.parts {
		cur[i], spare[i] = p.env.Cur, p.env.Spare
		if i == 0 || !all || isPush {
			x.Edges += p.env.Edges // of a step over all vertices each says those of the whole graph
		}
	}
	x.Cur.Remote().Became(front.Form(cur[0].Form()))
	e.wrote(x.Cur, does, s)
	for _, sum := range does.Sums {
		e.parted[uintptr(sum.At)] = &parted{Sum: sum}
	}
	return nil
}

// together runs a step whose kernels wait for one another.
func (e *overShards) together(x *step.Env, s step.Together, does *step.Reach) error {
	var parts []*step.Env
	for _, p := range e.parts {
		parts = append(parts, &p.env)
	}
	rounds, err := s.Together(parts, e.lease.Turn)
	if err != nil {
		return step.Wrap(s.Name(), err)
	}
	x.Went(rounds, 0, 0)
	e.wrote(x.Cur, does, s)
	return nil
}

// push runs a push on a part.
func (p *part) push(s step.ShardedPush) error {
	p.on.lease.Stream.Step = s.Name()
	defer func() { p.on.lease.Stream.Step = "" }()
	return s.Part(&p.env, p.found)
}

// each does something to all copies of an array.
func (e *overShards) each(c cells, do func(*levels, cells) error) error {
	at := c.at
	for _, p := range e.parts {
		c.at = p.mine.At(at)
		if err := do(p.on, c); err != nil {
			return err
		}
	}
	return nil
}

func (e *overShards) forRepeat(t *Traversal, _ *Frontier, _ []step.Step) (engine, error) {
	if t.o.Engine == Persistent {
		return nil, fmt.Errorf("%w: several GPUs run steps level by level", device.ErrNotSupported)
	}
	return e, nil
}

func (*overShards) repeat(t *Traversal, cur *Frontier, steps []step.Step) { t.rounds(cur, steps) }

func (e *overShards) get(c cells) (uint64, error) {
	if s, is := e.parted[c.at]; is {
		err := e.joins()
		return s.all, err
	}
	if err := e.sync(); err != nil {
		return 0, err
	}
	return e.parts[0].on.get(c)
}

func (e *overShards) fill(c cells, x uint64) error {
	delete(e.parted, c.at)
	return e.each(c, func(l *levels, c cells) error { return l.fill(c, x) })
}

// put writes the entry of a vertex, which has a number of the GPUs' own.
func (e *overShards) put(c cells, at uint32, x uint64) error {
	delete(e.parted, c.at)
	if _, edges := e.parts[0].mine.EdgesAt(c.at, false); edges {
		return fmt.Errorf("traverse: setting an entry: %w: an array of edges on several GPUs; take one GPU", device.ErrNotSupported)
	}
	if c.n == e.shards.Numbers() {
		if int(at) >= e.shards.Vertices {
			return fmt.Errorf("traverse: setting an entry: %w: vertex %d of %d", graph.ErrNoVertex, at, e.shards.Vertices)
		}
		at = e.shards.Number(at)
	}
	return e.each(c, func(l *levels, c cells) error { return l.put(c, at, x) })
}

func (e *overShards) degrees(b *device.Buffer[uint32]) error {
	for _, p := range e.parts {
		r, first := p.env.Placed.Remote(), uintptr(p.mine.First)
		offsets := r.Offsets + first*4
		if r.Wide {
			offsets += first * 4
		}
		if err := p.on.over("degrees"+r.Width(), discrete.View[uint32](p.mine.At(b.Pointer())+4*first, int(p.mine.Count)), offsets); err != nil {
			return err
		}
	}
	e.stale[b.Pointer()] = stale{width: 4}
	return errors.Join(e.exchange([]uintptr{b.Pointer()}), e.sync())
}

func (e *overShards) notHere(what string) error {
	return fmt.Errorf("%w: several GPUs (%s) have no %s; take one GPU", device.ErrNotSupported, e.lease.Name(), what)
}

func (*overShards) empty(c *Frontier) error                     { return c.f.Clear(frontier.Queue) }
func (*overShards) add(f *frontier.Frontier, vs []uint32) error { return f.Add(vs...) }

// list has nothing to do: frontiers are queues, and have each vertex once.
func (*overShards) list(*frontier.Frontier) (bool, error) { return false, nil }

func (e *overShards) numbers(*device.Buffer[uint32]) error { return e.notHere("array of vertices") }
func (e *overShards) firsts(*device.Buffer[uint32]) error  { return e.notHere("array of first targets") }

func (*overShards) roomy(f *frontier.Frontier) bool        { return frontiersOf(f)[0].Remote().HasRoom() }
func (*overShards) ends(*Traversal) *device.Buffer[uint32] { return nil }
