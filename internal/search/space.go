// This file holds Space, the memory that a search works in, kept with the
// placed graph from one search to the next.

package search

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// Space is what a search works with: a stream, the operators bound to it, the
// frontiers, the visited bitmap and the result's arrays. Algorithms that are
// made of the same parts (package dobfs) use it too. NewSpace readies one,
// Finish or Release ends its use and leaves it to the next search over the same
// placed graph. It belongs to one search and isn't safe for concurrent use.
type Space struct {
	Placed    *graph.Placed
	Stream    device.Stream
	Advance   *advance.Advancer
	Filter    *filter.Filterer
	Cur, Next *frontier.Frontier // queue form
	Seen      *frontier.Frontier // visited vertices, bitmap form
	Visitor   Visitor

	// array labels instead of Visitor while claims says that the result's own
	// array marks what was visited, not the bitmap Seen.
	array  arrayVisitor
	claims claims

	depths  *device.Buffer[int32]
	parents *device.Buffer[uint32]
	fill    fillHost
	marks   marks

	// the same by external id, on the host
	byID        bool // of SpaceOptions
	depthsByID  *device.Buffer[int32]
	parentsByID *device.Buffer[uint32]
	gathering   gatherHost

	oneKernel bool
	admitted  uint64 // bytes of a GPU's workspace that are there; see admit

	release  func()        // of the placed graph, while a search holds it
	lost     error         // it was freed meanwhile
	searches atomic.Uint64 // that have ended

	team *host.Stream // Stream, on the host
	gpu  *onGPU       // on a GPU, else nil
}

// label labels a source.
func (s *Space) label(v uint32) {
	if s.Visitor.Depths != nil {
		s.Visitor.Depths[v] = 0
	}
	if s.Visitor.Parents != nil {
		s.Visitor.Parents[v] = v
	}
}

// SpaceOptions say what a space is for.
type SpaceOptions struct {
	Depths, Parents bool // the arrays that the result has
	DeviceTime      bool // fill in Result.DeviceTime
	ByID            bool // gather the arrays by external id too
	Stats           bool // Options.Stats
	// Pulls says that large frontiers are pulled: the search changes direction.
	Pulls bool
	// Fused is for the search as one kernel on a GPU (Space.Fused), which claims
	// and labels the sources itself.
	Fused bool
	// FallsBack lets a search that was to be one kernel go level by level where a GPU
	// doesn't run all of the kernel's blocks at once (see RunOf).
	FallsBack bool
}

// NewSpace readies a space for a search: sources claimed, labelled and in Cur. It
// holds the placed graph (graph.Placed.Hold) until Finish or Release, one of which
// must follow. Errors are those of Run.
func NewSpace(ctx context.Context, p *graph.Placed, sources []uint32, o SpaceOptions) (*Space, error) {
	s, err := openSpace(ctx, p, sources, o)
	if err != nil {
		return nil, err
	}
	if err := s.begin(sources, o); err != nil {
		s.Release()
		return nil, err
	}
	return s, nil
}

// openSpace is NewSpace before begin.
func openSpace(ctx context.Context, p *graph.Placed, sources []uint32, o SpaceOptions) (*Space, error) {
	release, err := p.Hold()
	if err != nil {
		return nil, fmt.Errorf("bfs: %w", err)
	}
	if err = checkSources(p, sources); err == nil {
		err = ctx.Err()
	}
	var s *Space
	if err == nil {
		s, err = takeSpace(ctx, p, o)
	}
	if err != nil {
		release()
		return nil, err
	}
	s.holds(release)
	return s, nil
}

// OneKernel reports whether the search is to be one kernel (Fused), which
// SpaceOptions.Fused asked for.
func (s *Space) OneKernel() bool { return s.oneKernel }

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

// takeSpace returns a space that was kept with the placed graph, or a new one,
// with a stream. The placed graph is held.
func takeSpace(ctx context.Context, p *graph.Placed, o SpaceOptions) (*Space, error) {
	if p.Remote() != nil {
		return takeSpaceGPU(ctx, p, o)
	}
	dev, ok := p.Device().(*host.Device)
	if !ok {
		return nil, fmt.Errorf("bfs: %w: no search on %s", device.ErrNotSupported, p.Device().Info().Name)
	}
	stream, err := dev.NewStream(ctx)
	if err != nil {
		return nil, fmt.Errorf("bfs: %w", err)
	}
	hs, err := host.StreamOf(stream)
	if err != nil {
		return nil, fmt.Errorf("bfs: %w", err)
	}
	s, ok := p.TakeScratch(spaceKey).(*Space)
	if !ok {
		s = newSpace(p)
	}
	s.Stream, s.team = hs, hs
	return s, nil
}

func newSpace(p *graph.Placed) *Space {
	return &Space{Placed: p, Cur: frontier.New(p), Next: frontier.New(p), Seen: frontier.New(p)}
}

// rebind gives a space that stays with its searcher the context of its next
// search.
func (s *Space) rebind(ctx context.Context) {
	if s.gpu != nil {
		s.gpu.s.Rebind(ctx)
		return
	}
	s.team.Rebind(ctx)
}

// begin readies the space for a search from those sources.
func (s *Space) begin(sources []uint32, o SpaceOptions) error {
	s.oneKernel = o.Fused
	if s.gpu != nil {
		return s.beginGPU(sources, o)
	}
	s.byID = o.ByID
	return s.ready(sources, o)
}

func (s *Space) ready(sources []uint32, o SpaceOptions) (err error) {
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
		if s.depths, err = buffer(s.Placed, depthsKey, s.depths); err != nil {
			return err
		}
		s.Visitor.Depths = s.depths.Host()
	}
	if o.Parents {
		if s.parents, err = buffer(s.Placed, parentsKey, s.parents); err != nil {
			return err
		}
		s.Visitor.Parents = s.parents.Host()
	}
	for _, err := range []error{s.Cur.Clear(frontier.Queue), s.Next.Clear(frontier.Queue), s.Seen.Clear(frontier.Bitmap)} {
		if err != nil {
			return err
		}
	}
	s.Visitor.Seen = s.Seen.Bits()
	s.claims = byBitmap
	if o.Depths || o.Parents {
		s.claims = chooseClaims(s.Placed, s.team.Workers(), o)
	}
	if s.claims == byArray {
		s.array = arrayVisitor{depths: s.Visitor.Depths, parents: s.Visitor.Parents}
		s.marks.run(s, marksClear)
	}
	for i, v := range sources {
		if !filter.ClaimAlone(s.Visitor.Seen, v) {
			continue // given twice
		}
		s.label(v)
		if err := s.Cur.Add(sources[i : i+1]...); err != nil { // a slice of one allocates nothing
			return err
		}
	}
	return nil
}

// Push advances the frontier Cur, a queue, by a level into Next and labels what
// it finds with the depth level. The caller then swaps the two. It returns the
// edges looked at; errors are those of advance.Advancer.Push.
func (s *Space) Push(level int32) (advance.Edges, error) {
	if s.claims == byArray {
		s.array.level = level
		return s.Advance.Push(s.Cur, s.Next, &s.array)
	}
	s.Visitor.Level = level
	return s.Advance.Push(s.Cur, s.Next, &s.Visitor)
}

// Pull does what Push does the other way round: the vertices not yet visited
// look for a neighbour that was. Next becomes a bitmap. Errors are those of
// advance.Advancer.Pull.
func (s *Space) Pull(level int32) (advance.Edges, error) {
	if s.claims == byArray {
		s.toBitmap(level - 1)
	}
	s.Visitor.Level = level
	if s.gpu != nil {
		s.Visitor.culls, s.Visitor.counts = filter.Exactly, false
	}
	edges, err := s.Advance.Pull(s.Seen, s.Seen, s.Next, &s.Visitor)
	if err != nil {
		return 0, err
	}
	return edges, s.Filter.Unvisited(s.Next, s.Seen)
}

// toBitmap goes over to the bitmap as the mark of what was visited; level is
// the depth of the frontier Cur.
func (s *Space) toBitmap(level int32) {
	s.labelFrontier(level)
	s.marks.run(s, marksSeen)
	s.claims = byBitmap
}

// labelFrontier writes the depth of a frontier that wasn't expanded.
func (s *Space) labelFrontier(level int32) {
	if s.array.lazy() {
		for _, v := range s.Cur.Queue() {
			s.array.depths[v] = level
		}
	}
}

// visited reports whether a vertex was visited.
func (s *Space) visited(v uint32) bool {
	switch {
	case s.gpu != nil:
		return s.gpu.visited(v)
	case s.claims == byBitmap:
		return s.Visitor.Seen[v>>6]>>(v&63)&1 != 0
	case s.array.parents != nil && !s.array.byDepth:
		return s.array.parents[v] != graph.NoVertex
	}
	return s.array.depths[v] >= 0
}

// Finish marks what wasn't visited in the result's arrays, moves these into
// the result, and gives the space back. After an error it is still the
// caller's, who calls Release.
func (s *Space) Finish(r *Result) error {
	if err := s.finish(r); err != nil {
		return err
	}
	s.Release()
	return nil
}

// finish is Finish without giving the space back.
func (s *Space) finish(r *Result) error {
	if s.gpu != nil {
		if err := s.gpu.finish(r); err != nil {
			return err
		}
	} else if s.claims == byArray {
		s.labelFrontier(int32(r.Levels - 1))
		if s.array.lazy() && r.Reached < s.Placed.NumVertices() {
			s.marks.run(s, marksFill)
		}
	} else {
		s.fill.run(s)
	}
	if s.byID {
		if err := s.gathering.run(s); err != nil {
			return err
		}
	}
	s.hand(r)
	return nil
}

// hand moves the arrays into the result.
func (s *Space) hand(r *Result) {
	r.p, r.depths, r.parents = s.Placed, s.depths, s.parents
	s.depths, s.parents = nil, nil
	if s.gpu != nil { // which has gathered into the result
		r.Device = s.gpu.s.Name()
		return
	}
	r.Device = host.Name
	r.byID, r.depthsByID, r.parentsByID = s.byID, s.depthsByID, s.parentsByID
	s.depthsByID, s.parentsByID = nil, nil
}

// Err says why the search can't go on: the context's error, what made the device
// fail, or device.ErrClosed where a callback freed the placed graph.
func (s *Space) Err() error {
	if s.lost != nil {
		return s.lost
	}
	if s.gpu != nil {
		return s.gpu.s.Err()
	}
	return s.team.Err()
}

// Guard returns a function to defer: it ends the stream of this search if
// nobody else has, because a callback panicked. After Finish or Release it does
// nothing, whoever has the space by then.
func (s *Space) Guard() func() {
	search := s.searches.Load()
	if s.gpu != nil {
		return func() {
			if s.searches.Load() == search {
				s.Release()
			}
		}
	}
	team := s.team
	return func() {
		if s.searches.Load() == search {
			s.pause()
		}
		if team != nil {
			team.Close()
		}
	}
}

// Release ends the stream and keeps the space for the next search. What the
// search has found is lost, unless Finish was called.
func (s *Space) Release() {
	if s.team != nil {
		s.team.Close()
	}
	s.end()
	s.stowArrays()
	if s.gpu == nil {
		s.Stream, s.team = nil, nil
	}
	if !s.Placed.KeepScratch(spaceKey, s) {
		s.Free()
	}
}

// stowArrays keeps the arrays with the placed graph.
func (s *Space) stowArrays() {
	keep(s.Placed, depthsKey, s.depths)
	keep(s.Placed, parentsKey, s.parents)
	keep(s.Placed, depthsKey, s.depthsByID)
	keep(s.Placed, parentsKey, s.parentsByID)
	s.depths, s.parents, s.depthsByID, s.parentsByID = nil, nil, nil, nil
}

// end ends a search.
func (s *Space) end() {
	s.searches.Add(1)
	if s.gpu != nil {
		s.gpu.release() // which waits: kernels may still write to the arrays
	}
	s.Visitor, s.array = Visitor{}, arrayVisitor{}
	s.pause()
}

// Free gives back the memory of a space that was released. The placed graph
// frees those that it keeps.
func (s *Space) Free() error {
	return errors.Join(s.Cur.Free(), s.Next.Free(), s.Seen.Free(), s.Filter.Free(), s.Advance.Free(), s.gpu.free())
}
