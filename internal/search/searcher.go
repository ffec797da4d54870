// This file holds Searcher, for one search after another in the same memory.

package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// Searcher searches a placed graph again and again in the same memory: it keeps
// its workspace, its workers (on a GPU its stream) and the arrays of its
// result. From the second search on, one on the host allocates nothing, but for
// a context that the one before didn't have.
//
// A Searcher belongs to one goroutine at a time. A placed graph has any number
// of them; Pool shares some of them between any number of goroutines.
type Searcher struct {
	p *graph.Placed
	method

	s      *Space // nil until the first search
	loop   Loop
	result Result
	one    [1]uint32
	closed bool
}

// NewSearcherOf returns a Searcher that searches by the loop run, over the parts that this
// package has. run gets a space with the sources in Space.Cur and the books to keep; algorithm is what
// Result.Algorithm says. Where space says Fused, run asks Space.OneKernel whether
// the search at hand is to be that.
func NewSearcherOf(p *graph.Placed, algorithm string, o Options, space SpaceOptions, run func(*Space, *Loop) error) *Searcher {
	return &Searcher{p: p, method: method{algorithm, o, space, run}}
}

// Search is Run in the Searcher's memory: the result is the Searcher's, and
// valid until its next search or Close. Who wants to keep an array copies it.
// Errors are those of Run, device.ErrClosed after Close; the Searcher can be
// used on after any other.
func (s *Searcher) Search(ctx context.Context, source uint32) (*Result, error) {
	s.one[0] = source
	return s.SearchMany(ctx, s.one[:])
}

// SearchMany is RunMany, from several sources at once, in the Searcher's memory.
// All else is as with Search.
func (s *Searcher) SearchMany(ctx context.Context, sources []uint32) (*Result, error) {
	return s.Run(ctx, Query{Sources: sources})
}

// Run is Search for a query, which may have targets and a limit of its own.
func (s *Searcher) Run(ctx context.Context, q Query) (*Result, error) {
	start := time.Now()
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	defer s.s.end() // also where a callback panics
	if err := checkSources(s.p, q.Sources); err != nil {
		return nil, err
	}
	s.reclaim(&s.result)
	if err := s.search(s.s, &s.loop, q); err != nil {
		return nil, err
	}
	s.s.pause()
	s.loop.Ended(start)
	return &s.result, nil
}

// open readies the searcher for searches, after which its space's end is due. The
// placed graph is held until then.
func (s *Searcher) open(ctx context.Context) error {
	if s.closed {
		return fmt.Errorf("bfs: %w: the searcher; make another", device.ErrClosed)
	}
	release, err := s.p.Hold()
	if err != nil {
		return fmt.Errorf("bfs: %w", err)
	}
	if err = ctx.Err(); err == nil && s.s == nil {
		if s.s, err = takeSpace(ctx, s.p, s.space); err == nil {
			s.loop.Result = &s.result
		}
	} else if err == nil {
		s.s.rebind(ctx)
	}
	if err != nil {
		release()
		return err
	}
	s.s.holds(release)
	return nil
}

// Batch searches from each of the sources, one after the other, and calls yield
// with the index of the source, from 0 on, and its result, which is valid during
// the call. It ends at the first error, which it returns: that of a search says
// which one by the same index, as in "search from sources[1], of 2", one of yield
// is as it is. A yield that is nil is graph.ErrOptions, and nothing is searched.
//
// On a GPU a search that is one kernel (see Fused) is launched before the one
// before it has ended, so that the GPU doesn't wait for the host. That takes a
// second set of the result's arrays, which Bytes and Options.RemoteBytes don't
// count: 4 bytes a vertex for depths, 4 for parents, and twice that with ByID where
// vertices aren't in the order of ids. Without that much memory searches go on one
// by one. Result.Elapsed is the time from the launch on.
func (s *Searcher) Batch(ctx context.Context, sources []uint32, yield func(i int, r *Result) error) error {
	if yield == nil {
		return fmt.Errorf("bfs: %w: the yield of a batch is nil; give a function, which may do nothing", graph.ErrOptions)
	}
	first := 0
	if s.overlaps() && len(sources) > 1 {
		var err error
		if first, err = s.batchOverlapped(ctx, sources, yield); first < 0 {
			return err
		}
	}
	for i := first; i < len(sources); i++ {
		r, err := s.Search(ctx, sources[i])
		if err != nil {
			return inBatch(i, sources, err)
		}
		if err := yield(i, r); err != nil {
			return err
		}
	}
	return nil
}

// inBatch says of which of the searches an error is.
func inBatch(i int, sources []uint32, err error) error {
	return fmt.Errorf("search from sources[%d], of %d: %w", i, len(sources), err)
}

// reclaim takes back the arrays that the last result had, unless it was freed.
func (s *Searcher) reclaim(r *Result) {
	if r.depths != nil {
		s.s.depths = r.depths
	}
	if r.parents != nil {
		s.s.parents = r.parents
	}
	if s.s.gpu == nil {
		if r.depthsByID != nil {
			s.s.depthsByID = r.depthsByID
		}
		if r.parentsByID != nil {
			s.s.parentsByID = r.parentsByID
		}
	} else {
		keep(s.p, depthsKey, r.depthsByID)
		keep(s.p, parentsKey, r.parentsByID)
	}
	r.depths, r.parents, r.depthsByID, r.parentsByID = nil, nil, nil, nil
}

// Unbind lets go of the context of the last search. A Pool calls it.
func (s *Searcher) Unbind() {
	if s.s != nil {
		s.s.rebind(context.Background())
	}
}

// Close ends the workers and gives the memory back, the last result with it;
// arrays of depths and parents that a batch had beside are kept with the placed
// graph for later searches. A placed graph should outlive its searchers: closing
// one later is no error, but on a GPU the device can't be closed before. Closing
// nil, or a second time, does nothing.
func (s *Searcher) Close() error {
	if s == nil || s.closed {
		return nil
	}
	s.closed = true
	if s.s == nil {
		return nil
	}
	s.reclaim(&s.result)
	space := s.s
	s.s = nil
	s.result.Free()
	if space.team != nil {
		space.team.Close()
	}
	space.end()
	return errors.Join(space.depths.Free(), space.parents.Free(), space.depthsByID.Free(), space.parentsByID.Free(), space.Free())
}

// Bytes returns how much of the device's memory a search from one source takes at
// most, its workspace and its result together: what a Pool asks its
// device.Budget for.
// What all searches of the graph share (graph.Prepared and the like) isn't in it.
// It is 0 once the placed graph was freed.
func (s *Searcher) Bytes() uint64 {
	if s.p.Enter() != nil {
		return 0
	}
	defer s.p.Leave()
	return spaceBytes(s.p, s.space, s.o)
}
