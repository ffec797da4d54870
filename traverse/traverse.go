// This file holds Traversal: the state of a traversal.

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
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/engine/farpile"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/windows"
	"github.com/foray-graph/foray/metrics"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/pile"
)

// Engine is a way to run steps.
type Engine uint8

// The engines. The host has one engine and ignores the choice.
const (
	AutoEngine Engine = iota // Persistent if it can run the steps, else LevelByLevel
	LevelByLevel
	Persistent // unsupported steps are an error
)

var engineNames = [...]string{"auto", "level by level", "persistent"}

func (e Engine) String() string {
	if int(e) < len(engineNames) {
		return engineNames[e]
	}
	return fmt.Sprintf("Engine(%d)", uint8(e))
}

// Options configure a traversal. The zero value is the fastest way, without reports.
type Options struct {
	Engine Engine
	// Stats records each level, in Stats.Levels.
	Stats bool
	// EachLevel, if not nil, is called after each level, in the goroutine that called
	// Next or Repeat. The persistent engine reports levels once it has ended. A Repeat that has no rounds on the host
	// (advance.NearOptions.AnyRound) has them if EachLevel is set, and takes longer.
	EachLevel func(Level)
	// Memory, if it has arrays, describes the traversal's memory. If a GPU has too little free memory, New
	// then refuses the traversal with device.ErrMemory before anything is allocated.
	Memory Memory
	// Logger, if not nil, gets a line when the traversal is closed (slog.LevelInfo), with its error
	// if it failed. Its context is the traversal's.
	Logger *slog.Logger
	// Metrics, if not nil, gets the end of the traversal, and the state of a Pool.
	Metrics metrics.Recorder

	shards bool   // there is an Algorithm.RunShards
	name   string // of an Algorithm
}

// Frontier is the active vertices of a traversal, which steps replace.
type Frontier struct {
	t   *Traversal
	f   *frontier.Frontier
	set bool // no vertex is in it twice
	// The level of the loop over it (Next) that is under way, or 0: another loop, or a Repeat, within a level counts
	// its own.
	level int32

	// What it was made of, for Kept.
	all   bool
	first []uint32
}

// Len returns the number of vertices; 0 after an error. On a GPU it waits for the preceding
// steps.
func (c *Frontier) Len() int {
	if c == nil || c.t.err != nil {
		return 0
	}
	n := c.f.Len()
	if n == 0 {
		err := c.t.space.on.sync()
		if err == nil {
			err = c.f.ReadErr()
		}
		c.t.fail(err) // 0 may be what an error left
	}
	return n
}

// Vertices returns a copy of the vertices, in no order; nil after an error.
func (c *Frontier) Vertices() []uint32 {
	if c == nil || c.t.err != nil || c.t.fail(c.t.space.on.sync()) {
		return nil
	}
	vs := c.f.Vertices()
	if c.t.fail(c.f.ReadErr()) {
		return nil
	}
	return vs
}

// Traversal is one traversal of a placed graph: its arrays, frontiers and statistics. It
// belongs to one goroutine. Close ends it.
type Traversal struct {
	ctx   context.Context
	p     *graph.Placed
	o     Options
	err   error
	own   placed.Store
	space *space
	env   *step.Env
	began time.Time
	stats Stats

	level  time.Time // when the level under way began
	size   int       // of its frontier
	edges  uint64    // that were looked at before it
	arrays []owned
	fronts []*Frontier
	given  []step.Step // room for take
	fused  []step.Step // and for fuse
	closed bool
	hold   run.Hold

	calling bool  // back
	closing bool  // Close was called meanwhile
	failed  error // of an Algorithm, where the traversal has none

	// Of a Searcher, which has one for all of its runs.
	lasts   bool
	added   []uint32 // the vertices that From or Replace added last, of one that lasts
	running bool     // the algorithm is, or has panicked
	run     int      // counted from 1
	rests   *space   // between runs
	kept    map[any]*kept
}

// owned is an array or scalar of a traversal.
type owned struct {
	array  any
	keep   func() error // gives it to the next traversal, or frees it
	renew  func() error // makes it as it was when it was made; or nil
	forget func()       // ends what was noted of its address; or nil
	values any          // that Result has made of one that is kept
	taken  int          // the run that took it last
}

// New begins a traversal of a placed graph. At most one Options may be given. ctx ends
// it within a level; nil is graph.ErrOptions. Any number of traversals may run at once. Close
// it, after an error too: graph.Placed.Close waits for traversals that aren't closed.
func New(ctx context.Context, p *graph.Placed, o ...Options) *Traversal {
	switch len(o) {
	case 0:
		return begin(ctx, p, p.State(), Options{})
	case 1:
		return begin(ctx, p, p.State(), o[0])
	}
	t := begin(ctx, p, p.State(), Options{})
	t.fail(fmt.Errorf("traverse: %w: %d Options; give one at most", graph.ErrOptions, len(o)))
	return t
}

// begin is New, in memory that a store has.
func begin(ctx context.Context, p *graph.Placed, own placed.Store, o Options) *Traversal {
	t := &Traversal{p: p, o: o, own: own, env: &step.Env{}}
	t.begin(ctx)
	return t
}

// begin begins the traversal, or another run of a Searcher's.
func (t *Traversal) begin(ctx context.Context) {
	t.ctx, t.began, t.run = ctx, time.Now(), t.run+1
	t.err, t.failed, t.size = nil, nil, 0
	t.closed, t.calling, t.closing, t.running = false, false, false, false
	t.stats = Stats{Fused: t.stats.Fused[:0], Levels: t.stats.Levels[:0]}
	if t.err = callctx.Check(ctx, "traverse"); t.err != nil {
		return
	}
	if int(t.o.Engine) >= len(engineNames) {
		t.err = fmt.Errorf("traverse: %w: unknown engine %d", graph.ErrOptions, t.o.Engine)
		return
	}
	if err := t.p.Err(); err != nil {
		t.err = fmt.Errorf("traverse: %w", err)
		return
	}
	if t.err = run.Ready(ctx, "traverse"); t.err != nil {
		return
	}
	if t.err = t.hold.Take(t.p, "traverse"); t.err != nil { // until Close; Placed.Close waits for that
		return
	}
	if s := t.rests; s != nil {
		t.rests = nil
		if t.err = s.begin(ctx); t.err != nil {
			t.err = errors.Join(t.err, t.forget(s), s.leave())
			return
		}
		t.space = s
	} else if t.space, t.err = takeSpace(ctx, t.p, t.own, t.o); t.err != nil {
		return
	}
	t.env = &t.space.env
	t.env.Level, t.env.Edges, t.env.Counts = 0, 0, t.reports()
	t.stats.Device = t.space.lease.Name()
}

// Err returns the first error: of a step, of the device, of the context, or of an argument.
// It is nil if there was none.
func (t *Traversal) Err() error { return t.err }

// fail keeps the first error, and reports whether there is one.
func (t *Traversal) fail(err error) bool {
	if t.err == nil && err != nil {
		t.err = err
	}
	return t.err != nil
}

// Sync waits for the steps so far, and returns the traversal's first error.
func (t *Traversal) Sync() error {
	if t.err == nil {
		t.fail(errors.Join(t.space.on.settle(), t.space.on.sync()))
	}
	return t.err
}

// Context returns the context that ends the traversal, for the caller's loops.
func (t *Traversal) Context() context.Context { return t.ctx }

// Placed returns the graph that is traversed.
func (t *Traversal) Placed() *graph.Placed { return t.p }

// Level returns the current level, the same as operators.Worker has. The rounds of a Repeat count
// from 1, and Next continues the count.
func (t *Traversal) Level() int { return int(t.env.Level) }

// From returns a frontier of these vertices, which may be none. A vertex that the graph doesn't
// have is graph.ErrNoVertex.
func (t *Traversal) From(vs ...uint32) *Frontier {
	f := t.frontier()
	if t.lasts {
		f.first = slices.Clone(vs)
	}
	t.add(f, vs)
	return f
}

// Replace empties a frontier and adds these vertices, as From does. So a traversal that restarts
// many times needs only one frontier.
func (t *Traversal) Replace(cur *Frontier, vs ...uint32) {
	if t.owns(cur) || t.fail(cur.f.Clear(frontier.Queue)) {
		return
	}
	t.add(cur, vs)
}

// add adds vertices to an empty frontier.
func (t *Traversal) add(c *Frontier, vs []uint32) {
	if t.err != nil {
		return
	}
	if len(vs) > 1 {
		own := append(t.added[:0], vs...)
		if t.lasts {
			t.added = own
		}
		slices.Sort(own)
		vs = slices.Compact(own)
	}
	c.set, c.level = true, 0
	t.fail(t.space.on.add(c.f, vs))
}

// All returns a frontier of every vertex of the graph. It takes no memory.
func (t *Traversal) All() *Frontier {
	f := t.handle()
	if t.err == nil {
		f.set, f.all = true, true
		t.fail(f.f.Fill())
	}
	return f
}

// Fill makes a frontier contain every vertex of the graph.
func (t *Traversal) Fill(cur *Frontier) {
	if !t.owns(cur) {
		cur.set = true
		t.fail(cur.f.Fill())
	}
}

// frontier returns an empty queue.
func (t *Traversal) frontier() *Frontier {
	c := t.handle()
	if t.err == nil {
		t.fail(t.space.on.empty(c))
	}
	return c
}

// handle returns a frontier with anything in it.
func (t *Traversal) handle() *Frontier {
	c := &Frontier{t: t}
	if t.err == nil {
		c.f = t.space.frontier(t.p)
		t.fronts = append(t.fronts, c)
	}
	return c
}

// Bits returns a bitmap of these vertices, for filter.Unvisited and for functors. It belongs to
// the traversal.
func (t *Traversal) Bits(vs ...uint32) *frontier.Frontier {
	if t.err != nil {
		return nil
	}
	f := t.space.frontier(t.p)
	t.arrays = append(t.arrays, t.bitmap(f, slices.Clone(vs)))
	if t.fail(f.Clear(frontier.Bitmap)) {
		return nil
	}
	t.fail(f.Add(vs...))
	return f
}

type pileKey struct{ placed.Of[*farpile.Pile] }

// Pile returns an empty far pile, for advance.PushNear and pile.Refill. It belongs to the
// traversal. After an error it is nil.
func (t *Traversal) Pile() *pile.Pile {
	if t.err != nil {
		return nil
	}
	x, ok := placed.Take(t.own, pileKey{})
	if !ok || x.Check(t.p) != nil { // the one before freed it
		var err error
		if x, err = farpile.New(t.p); t.fail(err) {
			return nil
		}
	}
	t.arrays = append(t.arrays, owned{array: x, keep: func() error {
		if placed.Keep(t.own, pileKey{}, x) {
			return nil
		}
		return x.Close()
	}, renew: func() error { return x.Clear(t.env.Stream) }})
	t.fail(x.Clear(t.env.Stream))
	return (*pile.Pile)(x)
}

type windowsKey struct{ placed.Of[*windows.Windows] }

// Windows returns windows for advance.PushWindow and advance.NextWindow. They belong to the
// traversal. After an error they are nil.
func (t *Traversal) Windows(o advance.WindowOptions) *advance.Windows {
	if t.err != nil {
		return nil
	}
	x, ok := placed.Take(t.own, windowsKey{})
	if !ok || x.Check(t.p) != nil {
		var err error
		if x, err = windows.New(t.p); t.fail(err) {
			return nil
		}
	}
	t.arrays = append(t.arrays, owned{array: x, keep: func() error {
		if placed.Keep(t.own, windowsKey{}, x) {
			return nil
		}
		return x.Close()
	}, renew: func() error { return x.Begin(t.env.Stream, windows.Options(o)) }})
	t.fail(x.Begin(t.env.Stream, windows.Options(o)))
	return (*advance.Windows)(x)
}

// Next begins a level, and reports whether there is one: not with an empty frontier, nor
// after an error. It is the head of a loop whose steps Do runs:
//
//	for t.Next(cur) {
//		t.Do(cur, advance.Push(visit), filter.Unvisited(seen))
//	}
//
// Within a level, a Repeat or another such loop may go over another frontier. This loop continues behind it with the
// number of its next level.
func (t *Traversal) Next(cur *Frontier) bool {
	t.endLevel()
	if t.owns(cur) || t.fail(t.space.lease.Err()) {
		return false
	}
	if cur.level > 0 {
		t.env.Level = cur.level
	}
	cur.level = 0
	n := cur.Len()
	if n == 0 || t.err != nil {
		return false
	}
	t.env.Level++
	cur.level = t.env.Level
	t.stats.Rounds++
	t.beginLevel(n)
	return true
}

// owns sets an error if the frontier isn't this traversal's, and reports whether there is an
// error.
func (t *Traversal) owns(cur *Frontier) bool {
	if t.err == nil && (cur == nil || cur.t != t) {
		t.err = fmt.Errorf("traverse: %w: take frontiers from the traversal that they go through", frontier.ErrForeign)
	}
	return t.err != nil
}
