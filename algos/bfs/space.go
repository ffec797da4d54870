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
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// workspace is what a search works with: a stream, the operators bound to it, the
// frontiers, the visited bitmap and the result's arrays. The loops of an Algorithm get
// it as part of a Host or a GPU. It belongs to one search and isn't safe for concurrent
// use.
type workspace struct {
	Placed    *graph.Placed
	Stream    device.Stream
	Advance   *advance.Advancer
	Filter    *filter.Filterer
	Cur, Next *frontier.Frontier // queue form
	Seen      *frontier.Frontier // visited vertices, bitmap form
	visitor   visitor

	on    backend
	ctx   context.Context // of the search
	lease run.Lease
	hold  run.Hold

	depths  *device.Buffer[int32]
	parents *device.Buffer[uint32]
	byID    bool // of workspaceOptions
}

// workspaceOptions say what a space is for.
type workspaceOptions struct {
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
	// Learns lets searches be one kernel that weren't to be, once one of them has shown that levels are small.
	Learns bool
}

// checkSources returns why the algorithm can't search from them.
func checkSources(p *graph.Placed, sources []uint32, algorithm string) error {
	if len(sources) == 0 {
		return fmt.Errorf("%s: %w: no source given; name one at least", algorithm, graph.ErrNoVertex)
	}
	n := p.NumVertices()
	for _, v := range sources {
		if int64(v) >= int64(n) {
			return fmt.Errorf("%s: source: %w: vertex %d of %d; Graph.Vertex finds that of an external id", algorithm, graph.ErrNoVertex, v, n)
		}
	}
	return nil
}

// spaceKey is what spaces are kept under with the placed graph.
type spaceKey struct{ placed.Of[*workspace] }

// takeSpace returns a space that was kept with the placed graph, or a new one,
// with a stream. The placed graph is held by h, which the space takes over.
func takeSpace(ctx context.Context, p *graph.Placed, o workspaceOptions, h run.Hold) (_ *workspace, err error) {
	s, kept := placed.Take(p.State(), spaceKey{})
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
func newSpace(p *graph.Placed) (_ *workspace, err error) {
	if group, ok := p.Device().(*gpu.Group); ok {
		s := &workspace{Placed: p}
		s.frontiers()
		s.on, err = newShards(s, group)
		return s, err
	}
	lease, err := run.NewLease(p, "search")
	if err != nil {
		return nil, err
	}
	s := &workspace{Placed: p, lease: lease}
	s.frontiers()
	switch lease := lease.(type) {
	case *run.Host:
		s.on = &hostSearch{workspace: s, lease: lease}
	case *run.GPU:
		s.on = &gpuSearch{workspace: s, lease: lease}
	}
	return s, nil
}

// frontiers gives the space new ones, without memory yet.
func (s *workspace) frontiers() {
	s.Cur, s.Next, s.Seen = frontier.New(s.Placed), frontier.New(s.Placed), frontier.New(s.Placed)
}

// ready readies what all searches need: the operators, bound to the stream, and the arrays
// of the result.
func (s *workspace) ready(o workspaceOptions) (err error) {
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
		if s.depths, err = run.Array(s.Placed.State(), s.Placed, s.depths); err != nil {
			return err
		}
	}
	if o.Parents {
		if s.parents, err = run.Array(s.Placed.State(), s.Placed, s.parents); err != nil {
			return err
		}
	}
	return nil
}

// pull has the vertices not yet visited look for a neighbor that was visited, and labels
// those that find one with the depth level. next becomes a bitmap of them.
func (s *workspace) pull(level int32) (uint64, error) {
	s.on.pulls(level)
	s.visitor.Level = level
	edges, err := s.Advance.Pull(s.Seen, s.Seen, s.Next, &s.visitor)
	if err != nil {
		return 0, err
	}
	return edges, s.Filter.Unvisited(s.Next, s.Seen)
}

// err returns why the search can't continue: the context's error, what made the device
// fail, or device.ErrClosed where a callback closed the placed graph.
func (s *workspace) err() error {
	if err := s.hold.Err(); err != nil {
		return err
	}
	return s.lease.Err()
}

// errAtEnd is err after a loop that ended because the frontier had no vertices.
func (s *workspace) errAtEnd() error {
	if err := s.err(); err != nil {
		return err
	}
	return s.Cur.ReadErr()
}

// finish marks what wasn't visited in the result's arrays, and moves these into the
// result.
func (s *workspace) finish(r *Result) error {
	if err := s.on.complete(r); err != nil {
		return err
	}
	s.hand(r)
	return nil
}

// hand moves the arrays into the result.
func (s *workspace) hand(r *Result) {
	r.p, r.Device = s.Placed, s.lease.Name()
	r.depths, r.parents = s.depths, s.parents
	s.depths, s.parents = nil, nil
	s.on.hand(r)
}

// reclaim takes back the arrays that a result had, unless it was closed.
func (s *workspace) reclaim(r *Result) {
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
func (s *workspace) end() {
	s.lease.Rest() // which waits: kernels may still write to the arrays
	s.ended()
}

func (s *workspace) ended() {
	s.on.ended()
	s.visitor = visitor{}
	s.hold.Let()
	s.ctx = nil
}

// release ends a search and keeps the space for the next one. What the search has found is
// lost, unless it was handed over.
func (s *workspace) release() {
	s.lease.End()
	s.ended()
	s.stow()
}

// stow keeps the space and its arrays with the placed graph.
func (s *workspace) stow() {
	s.stowArrays()
	s.on.stowArrays()
	if s.lease.Failed() || !placed.Keep(s.Placed.State(), spaceKey{}, s) {
		s.Close() // fails only where the device does, which others report
	}
}

func (s *workspace) stowArrays() {
	keep(s.Placed, s.depths)
	keep(s.Placed, s.parents)
	s.depths, s.parents = nil, nil
}

// keep gives an array back to the placed graph for the next search, or frees it
// where that doesn't take it.
func keep[T device.Elem](p *graph.Placed, b *device.Buffer[T]) {
	_ = run.Keep(p.State(), b) // fails only where the device does, which others report
}

// close gives back the memory, the arrays too.
func (s *workspace) close() error {
	return errors.Join(s.depths.Close(), s.parents.Close(), s.on.freeArrays(), s.Close())
}

// Close gives back the memory of a space that was released. The placed graph
// frees those that it keeps.
func (s *workspace) Close() error {
	return errors.Join(s.freeOperators(), s.on.close(), s.lease.Close())
}

func (s *workspace) freeOperators() error {
	return errors.Join(s.Cur.Close(), s.Next.Close(), s.Seen.Close(), s.Filter.Close(), s.Advance.Close())
}
