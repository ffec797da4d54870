// This file holds Space, the memory that a search works in, kept with the
// placed graph from one search to the next.

package bfs

import (
	"context"
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// Space is what a search works with: a stream, the operators bound to it, the
// frontiers, the visited bitmap and the result's arrays. The loops of an Algorithm get
// it as part of a Host or a GPU. It belongs to one search and isn't safe for concurrent
// use.
type Space struct {
	Placed    *graph.Placed
	Stream    device.Stream
	Advance   *advance.Advancer
	Filter    *filter.Filterer
	Cur, Next *frontier.Frontier // queue form
	Seen      *frontier.Frontier // visited vertices, bitmap form
	Visitor   Visitor

	on    backend
	ctx   context.Context // of the search
	lease run.Lease
	hold  run.Hold

	depths  *device.Buffer[int32]
	parents *device.Buffer[uint32]
	byID    bool // of SpaceOptions
}

// SpaceOptions say what a space is for.
type SpaceOptions struct {
	Depths, Parents bool // the arrays that the result has
	DeviceTime      bool // fill in Result.DeviceTime
	ByID            bool // gather the arrays by external id too
	Stats           bool // Options.Stats
	// Pulls says that large frontiers are pulled: the search changes direction.
	Pulls bool
	// Fused is for the search as one kernel on a GPU (GPU.Fused), which claims
	// and labels the sources itself.
	Fused bool
	// FallsBack lets a search that was to be one kernel go level by level where a GPU
	// doesn't run all of the kernel's blocks at once (see Algorithm).
	FallsBack bool
}

// checkSources returns why there can be no search from them.
func checkSources(p *graph.Placed, sources []uint32) error {
	if len(sources) == 0 {
		return fmt.Errorf("bfs: %w: no source given; name one at least", graph.ErrNoVertex)
	}
	n := p.NumVertices()
	for _, v := range sources {
		if int64(v) >= int64(n) {
			return fmt.Errorf("bfs: source: %w: vertex %d of %d; Graph.Vertex finds that of an external id", graph.ErrNoVertex, v, n)
		}
	}
	return nil
}

// spaceKey is what spaces are kept under with the placed graph.
type spaceKey struct{}

// takeSpace returns a space that was kept with the placed graph, or a new one,
// with a stream. The placed graph is held by h, which the space takes over.
func takeSpace(ctx context.Context, p *graph.Placed, o SpaceOptions, h run.Hold) (_ *Space, err error) {
	s, kept := p.TakeScratch(spaceKey{}).(*Space)
	if !kept {
		if s, err = newSpace(p); err != nil {
			return nil, fmt.Errorf("bfs: %w", err)
		}
		err = s.on.admit(o)
	}
	if err == nil {
		s.Stream, err = s.lease.Begin(ctx)
	}
	if err != nil {
		s.stowArrays()
		if kept {
			s.stow()
		}
		return nil, fmt.Errorf("bfs: %w", err)
	}
	s.hold, s.ctx = h, ctx
	return s, nil
}

// newSpace returns one that has no memory yet, and no stream.
func newSpace(p *graph.Placed) (_ *Space, err error) {
	if group, ok := p.Device().(*gpu.Group); ok {
		s := &Space{Placed: p}
		s.frontiers()
		s.on, err = newAcross(s, group)
		return s, err
	}
	lease, err := run.NewLease(p, "search")
	if err != nil {
		return nil, err
	}
	s := &Space{Placed: p, lease: lease}
	s.frontiers()
	switch lease := lease.(type) {
	case *run.Host:
		s.on = &Host{Space: s, lease: lease}
	case *run.GPU:
		s.on = &GPU{Space: s, lease: lease}
	}
	return s, nil
}

// frontiers gives the space new ones, without memory yet.
func (s *Space) frontiers() {
	s.Cur, s.Next, s.Seen = frontier.New(s.Placed), frontier.New(s.Placed), frontier.New(s.Placed)
}

// ready readies what all searches need: the operators, bound to the stream, and the arrays
// of the result.
func (s *Space) ready(o SpaceOptions) (err error) {
	s.byID = o.ByID
	if s.Advance == nil || !s.Advance.Bind(s.Stream) {
		if s.Advance, err = advance.New(s.Stream, s.Placed); err != nil {
			return err
		}
	}
	if s.Filter == nil || !s.Filter.Bind(s.Stream) {
		if s.Filter, err = filter.New(s.Stream, s.Placed); err != nil {
			return err
		}
	}
	if o.Depths {
		if s.depths, err = run.Array(s.Placed, s.Placed, s.depths); err != nil {
			return err
		}
	}
	if o.Parents {
		if s.parents, err = run.Array(s.Placed, s.Placed, s.parents); err != nil {
			return err
		}
	}
	return nil
}

// Push advances the frontier Cur, a queue, by a level into Next and labels what
// it finds with the depth level. The caller then swaps the two. It returns the
// edges looked at; errors are those of advance.Advancer.Push.
func (s *Space) Push(level int32) (advance.Edges, error) { return s.on.push(level) }

// Pull does what Push does the other way round: the vertices not yet visited
// look for a neighbour that was. Next becomes a bitmap. Errors are those of
// advance.Advancer.Pull.
func (s *Space) Pull(level int32) (advance.Edges, error) {
	s.on.pulls(level)
	s.Visitor.Level = level
	edges, err := s.Advance.Pull(s.Seen, s.Seen, s.Next, &s.Visitor)
	if err != nil {
		return 0, err
	}
	return edges, s.Filter.Unvisited(s.Next, s.Seen)
}

// Settle settles a frontier that a push has found, of which best-effort culling on a GPU may
// have left more than the vertices: it counts what was culled and drops duplicates where
// there are many. On the host there is nothing to do.
func (s *Space) Settle(l *Loop, f *frontier.Frontier) error { return s.on.settle(l, f) }

// OutEdges returns the number of edges out of a frontier, a queue. The host estimates it from
// so many of its vertices, or a few more; a GPU has it exactly.
func (s *Space) OutEdges(f *frontier.Frontier, sample int) float64 { return s.on.outEdges(f, sample) }

// ClaimsByArray reports whether pushes mark vertices in the result's array and not
// in the bitmap, which has to be made then before the first pull.
func (s *Space) ClaimsByArray() bool { return s.on.claimsByArray() }

// Err says why the search can't go on: the context's error, what made the device
// fail, or device.ErrClosed where a callback freed the placed graph.
func (s *Space) Err() error {
	if err := s.hold.Err(); err != nil {
		return err
	}
	return s.lease.Err()
}

// Ended is Err after a loop that ended as the frontier had no vertices.
func (s *Space) Ended() error {
	if err := s.Err(); err != nil {
		return err
	}
	return s.Cur.ReadErr()
}

// finish marks what wasn't visited in the result's arrays, and moves these into the
// result.
func (s *Space) finish(r *Result) error {
	if err := s.on.complete(r); err != nil {
		return err
	}
	s.hand(r)
	return nil
}

// hand moves the arrays into the result.
func (s *Space) hand(r *Result) {
	r.p, r.Device = s.Placed, s.lease.Name()
	r.depths, r.parents = s.depths, s.parents
	s.depths, s.parents = nil, nil
	s.on.hand(r)
}

// reclaim takes back the arrays that a result had, unless it was freed.
func (s *Space) reclaim(r *Result) {
	if r.depths != nil {
		s.depths = r.depths
	}
	if r.parents != nil {
		s.parents = r.parents
	}
	s.on.reclaim(r)
	r.depths, r.parents, r.depthsByID, r.parentsByID = nil, nil, nil, nil
}

// end ends a search of several, for which the stream and the arrays stay.
func (s *Space) end() {
	s.lease.Rest() // which waits: kernels may still write to the arrays
	s.ended()
}

func (s *Space) ended() {
	s.on.ended()
	s.Visitor = Visitor{}
	s.hold.Let()
	s.ctx = nil
}

// release ends a search and keeps the space for the next one. What the search has found is
// lost, unless it was handed over.
func (s *Space) release() {
	s.lease.End()
	s.ended()
	s.stow()
}

// stow keeps the space and its arrays with the placed graph.
func (s *Space) stow() {
	s.stowArrays()
	s.on.stowArrays()
	if s.lease.Failed() || !s.Placed.KeepScratch(spaceKey{}, s) {
		s.Free() // fails only where the device does, which others report
	}
}

func (s *Space) stowArrays() {
	keep(s.Placed, s.depths)
	keep(s.Placed, s.parents)
	s.depths, s.parents = nil, nil
}

// keep gives an array back to the placed graph for the next search, or frees it
// where that doesn't take it.
func keep[T device.Elem](p *graph.Placed, b *device.Buffer[T]) {
	_ = run.Keep(p, b) // fails only where the device does, which others report
}

// close gives back the memory, the arrays too.
func (s *Space) close() error {
	return errors.Join(s.depths.Free(), s.parents.Free(), s.on.freeArrays(), s.Free())
}

// Free gives back the memory of a space that was released. The placed graph
// frees those that it keeps.
func (s *Space) Free() error {
	return errors.Join(s.freeOperators(), s.on.free(), s.lease.Free())
}

func (s *Space) freeOperators() error {
	return errors.Join(s.Cur.Free(), s.Next.Free(), s.Seen.Free(), s.Filter.Free(), s.Advance.Free())
}
