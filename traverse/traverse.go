// This file holds Traversal, what a traversal works with.

package traverse

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/step"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/pile"
)

// Engine is how steps are run.
type Engine uint8

// The engines. On the host there is one, and the choice counts for nothing.
const (
	AutoEngine Engine = iota // Persistent where it can run the steps, else LevelByLevel
	LevelByLevel
	Persistent // steps that it can't run are an error then
)

var engineNames = [...]string{"auto", "level by level", "persistent"}

func (e Engine) String() string {
	if int(e) < len(engineNames) {
		return engineNames[e]
	}
	return fmt.Sprintf("Engine(%d)", uint8(e))
}

// Options say how a traversal runs. The zero value is the fastest way, in silence.
type Options struct {
	Engine Engine
	// Stats keeps what happened level by level, in Stats.Levels.
	Stats bool
	// Progress, if not nil, is called after each level, by the goroutine that called
	// Next or Repeat. The persistent engine reports levels once it has ended.
	Progress func(Level)
	// Memory, where it has arrays, says what the traversal holds: New then refuses it with
	// device.ErrMemory where a GPU has too little free, before anything is allocated.
	Memory Memory
	// Logger, if not nil, gets a line when a Repeat has ended (slog.LevelInfo).
	Logger *slog.Logger
}

// Frontier is the active vertices of a traversal, which steps replace.
type Frontier struct {
	t   *Traversal
	f   *frontier.Frontier
	set bool // no vertex is in it twice
}

// Len returns the number of vertices; 0 after an error. On a GPU it waits for the steps
// before.
func (c *Frontier) Len() int {
	if c == nil || c.t.err != nil {
		return 0
	}
	n := c.f.Len()
	if n == 0 {
		c.t.fail(c.t.env.Stream.Sync()) // 0 may be what an error left
	}
	return n
}

// Vertices returns a copy of the vertices, in no order; nil after an error.
func (c *Frontier) Vertices() []uint32 {
	if c == nil || c.t.err != nil || c.t.fail(c.t.env.Stream.Sync()) {
		return nil
	}
	return c.f.Vertices()
}

// Traversal is one traversal of a placed graph: its arrays, its frontiers, its books. It
// belongs to one goroutine. Close ends it.
type Traversal struct {
	ctx   context.Context
	p     *graph.Placed
	o     Options
	err   error
	own   store
	space *space
	env   *step.Env
	began time.Time
	stats Stats

	level  time.Time // when the level under way began
	size   int       // of its frontier
	edges  uint64    // that were looked at before it
	arrays []owned
	fronts []*Frontier
	bits   []*frontier.Frontier
	closed bool
	held   bool // the placed graph

	calling bool // back
	closing bool // Close was called meanwhile
}

// owned is an array or scalar of a traversal.
type owned struct {
	array any
	keep  func() error // gives it to the next traversal, or frees it
}

// New begins a traversal of a placed graph. At most one Options may be given. ctx ends
// it within a level; it mustn't be nil. Any number of traversals may run at once. Close
// it, after an error too: graph.Placed.Free waits for traversals that aren't closed.
func New(ctx context.Context, p *graph.Placed, o ...Options) *Traversal {
	switch len(o) {
	case 0:
		return begin(ctx, p, p, Options{})
	case 1:
		return begin(ctx, p, p, o[0])
	}
	t := begin(ctx, p, p, Options{})
	t.fail(fmt.Errorf("traverse: %w: %d Options; give one at most", graph.ErrOptions, len(o)))
	return t
}

// begin is New, in memory that a store has.
func begin(ctx context.Context, p *graph.Placed, own store, o Options) *Traversal {
	t := &Traversal{ctx: ctx, p: p, o: o, own: own, began: time.Now(), env: &step.Env{}}
	if int(t.o.Engine) >= len(engineNames) {
		t.err = fmt.Errorf("traverse: %w: unknown engine %d", graph.ErrOptions, t.o.Engine)
		return t
	}
	if err := p.Err(); err != nil {
		t.err = fmt.Errorf("traverse: %w", err)
		return t
	}
	if t.err = ctx.Err(); t.err != nil {
		return t
	}
	if err := p.Enter(); err != nil { // until Close; Free waits for that
		t.err = fmt.Errorf("traverse: %w", err)
		return t
	}
	t.held = true
	if t.space, t.err = takeSpace(ctx, p, own, o.Memory); t.err != nil {
		return t
	}
	t.env = &t.space.env
	t.env.Level, t.env.Edges = 0, 0
	t.stats.Device = t.space.name()
	return t
}

// Err returns the first error: of a step, of the device, of the context, or of what was
// asked for. It is nil while there was none.
func (t *Traversal) Err() error { return t.err }

// fail keeps the first error, and reports whether there is one.
func (t *Traversal) fail(err error) bool {
	if t.err == nil && err != nil {
		t.err = err
	}
	return t.err != nil
}

// Placed returns the graph that is traversed.
func (t *Traversal) Placed() *graph.Placed { return t.p }

// Level returns the level that the traversal is at, as operators.Worker has it: the rounds
// of a Repeat count from 1, and Next goes on counting.
func (t *Traversal) Level() int { return int(t.env.Level) }

// From returns a frontier of these vertices. One that the graph doesn't have is
// graph.ErrNoVertex; none at all is an empty frontier.
func (t *Traversal) From(vs ...uint32) *Frontier {
	f := t.frontier()
	if t.err != nil {
		return f
	}
	if len(vs) > 1 {
		vs = slices.Clone(vs)
		slices.Sort(vs)
		vs = slices.Compact(vs)
	}
	f.set = true
	if len(vs) == 1 && t.space.stay != nil && int64(vs[0]) < int64(t.p.NumVertices()) {
		t.fail(t.space.stay.begin(f.f, vs[0]))
		return f
	}
	t.fail(f.f.Add(vs...))
	return f
}

// All returns a frontier of every vertex of the graph. It takes no memory.
func (t *Traversal) All() *Frontier {
	f := t.frontier()
	if t.err == nil {
		f.set = true
		t.fail(f.f.Fill())
	}
	return f
}

func (t *Traversal) frontier() *Frontier {
	c := &Frontier{t: t}
	if t.err != nil {
		return c
	}
	c.f = t.space.frontier(t.p)
	t.fronts = append(t.fronts, c)
	t.fail(c.f.Clear(frontier.Queue))
	return c
}

// Bits returns a bitmap of these vertices, for filter.Unvisited and for functors. It is the
// traversal's.
func (t *Traversal) Bits(vs ...uint32) *frontier.Frontier {
	if t.err != nil {
		return nil
	}
	f := t.space.frontier(t.p)
	t.bits = append(t.bits, f)
	if t.fail(f.Clear(frontier.Bitmap)) {
		return nil
	}
	t.fail(f.Add(vs...))
	return f
}

type pileKey struct{}

// Pile returns an empty far pile, for advance.PushNear and pile.Refill. It is the
// traversal's. After an error it is nil.
func (t *Traversal) Pile() *pile.Pile {
	if t.err != nil {
		return nil
	}
	x, ok := t.own.TakeScratch(pileKey{}).(*pile.Pile)
	if !ok || x.Check(t.p) != nil { // the one before freed it
		var err error
		if x, err = pile.New(t.p); t.fail(err) {
			return nil
		}
	}
	t.arrays = append(t.arrays, owned{x, func() error {
		if t.own.KeepScratch(pileKey{}, x) {
			return nil
		}
		return x.Free()
	}})
	t.fail(x.Clear(t.env.Stream))
	return x
}

// Next begins a level, and reports whether there is one: not with an empty frontier, nor
// after an error. It is the head of a loop whose steps Do runs:
//
//	for t.Next(cur) {
//		t.Do(cur, advance.Push(visit), filter.Unvisited(seen))
//	}
func (t *Traversal) Next(cur *Frontier) bool {
	t.endLevel()
	if t.owns(cur) || t.fail(t.env.Stream.(interface{ Err() error }).Err()) {
		return false
	}
	n := cur.Len()
	if n == 0 || t.err != nil {
		return false
	}
	t.env.Level++
	t.stats.Rounds++
	t.beginLevel(n)
	return true
}

// owns sets an error where the frontier isn't this traversal's, and reports whether there
// is one.
func (t *Traversal) owns(cur *Frontier) bool {
	if t.err == nil && (cur == nil || cur.t != t) {
		t.err = fmt.Errorf("traverse: %w: take frontiers from the traversal that they go through", frontier.ErrForeign)
	}
	return t.err != nil
}

// Do runs steps once, one after the other, on the frontier. AtMost and Below, which end a
// Repeat, are graph.ErrOptions.
func (t *Traversal) Do(cur *Frontier, steps ...operators.Step) {
	if t.owns(cur) || t.checkSteps(steps) || t.refuseEnders(steps) {
		return
	}
	t.run(cur, fuse(steps, &t.stats))
}

// run runs steps; it reports whether one of them ended the traversal, and whether it did so
// with vertices still to expand.
func (t *Traversal) run(cur *Frontier, steps []operators.Step) (ended, limited bool) {
	for _, s := range steps {
		t.env.Cur, t.env.Spare = cur.f, t.space.spare
		if e, ok := s.(step.Ender); ok {
			ends, limits, err := e.Ends(t.env)
			if t.fail(wrap(s, err)) {
				return true, false
			}
			if ends {
				return true, limits
			}
			continue
		}
		err := s.Do(t.env)
		cur.f, t.space.spare = t.env.Cur, t.env.Spare
		if _, moves := s.(step.Moves); moves {
			cur.set = false
		}
		if t.fail(wrap(s, err)) {
			return true, false
		}
	}
	return false, false
}

func wrap(s operators.Step, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("traverse: step %s: %w", s.Name(), err)
}

func (t *Traversal) checkSteps(steps []operators.Step) bool {
	for i, s := range steps {
		if s == nil {
			t.fail(fmt.Errorf("traverse: %w: step %d of %d is nil", graph.ErrOptions, i, len(steps)))
		}
	}
	return t.err != nil
}

// fuse joins steps with those after them where that saves a pass.
func fuse(steps []operators.Step, st *Stats) []operators.Step {
	var out []operators.Step
	for i := 0; i < len(steps); i++ {
		s := steps[i]
		if p, ok := s.(step.Culled); ok && i+1 < len(steps) {
			if c, ok := steps[i+1].(step.Culler); ok {
				s = p.Cull(c.Seen())
				i++
				if !slices.Contains(st.Fused, s.Name()) {
					st.Fused = append(st.Fused, s.Name())
				}
			}
		}
		out = append(out, s)
	}
	return out
}

// Repeat runs steps round after round, until the frontier is empty or a step ends it (Below,
// AtMost). Steps that never change the frontier, and of which none ends the traversal, are
// graph.ErrOptions. A frontier that has a vertex twice, as Do may leave it, has it once then.
func (t *Traversal) Repeat(cur *Frontier, steps ...operators.Step) {
	if t.owns(cur) || t.checkSteps(steps) {
		return
	}
	moves := false
	for _, s := range steps {
		_, m := s.(step.Moves)
		_, e := s.(step.Ender)
		moves = moves || m || e
	}
	if !moves {
		t.fail(fmt.Errorf("traverse: %w: steps that never change the frontier go on for ever; end them by AtMost or Below", graph.ErrOptions))
		return
	}
	fused := fuse(steps, &t.stats)
	t.env.Level = 0
	t.stats.Limited, t.stats.Why = false, ""
	if t.space.stay != nil && t.o.Engine != LevelByLevel {
		program, err := t.compile(fused)
		switch {
		case err == nil:
			t.stats.Engine = Persistent
			t.fail(t.persist(cur, program))
			t.logEnd()
			return
		case t.o.Engine == Persistent || !errors.Is(err, step.ErrNotCompiled):
			t.fail(fmt.Errorf("traverse: %w", err))
			return
		}
		t.stats.Why = err.Error()
	}
	t.stats.Engine = LevelByLevel
	if err := t.asSet(cur); err != nil {
		t.fail(fmt.Errorf("traverse: %w", err))
	}
	for t.Next(cur) {
		ended, limited := t.run(cur, fused)
		if ended {
			t.stats.Limited = limited
			break
		}
	}
	t.endLevel()
	t.logEnd()
}

// asSet drops duplicates from a frontier that Repeat begins with, unless it is known to have
// none, so that all engines see the same. On a GPU it becomes a queue.
func (t *Traversal) asSet(cur *Frontier) error {
	form := cur.f.Form()
	if t.err != nil || form == frontier.All {
		return nil
	}
	if t.space.stay != nil {
		if err := cur.f.List(t.env.Stream); err != nil {
			return err
		}
		if !cur.f.Remote().IsList() {
			return nil
		}
	} else if form != frontier.Queue {
		return nil
	}
	if cur.set {
		return nil
	}
	t.env.Cur, t.env.Spare = cur.f, t.space.spare
	err := filter.Unique().Do(t.env)
	cur.f, t.space.spare = t.env.Cur, t.env.Spare
	cur.set = err == nil
	return err
}

// compile makes a program of steps.
func (t *Traversal) compile(steps []operators.Step) (*step.Program, error) {
	p := &step.Program{Placed: t.p}
	for _, s := range steps {
		if err := s.Compile(p); err != nil {
			return nil, fmt.Errorf("step %s: %w", s.Name(), err)
		}
	}
	if p.Image == nil {
		return nil, fmt.Errorf("%w: no step has a functor", step.ErrNotCompiled)
	}
	return p, nil
}
