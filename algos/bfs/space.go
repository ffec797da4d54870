// This file holds Space, the memory that a search works in, kept with the
// placed graph from one search to the next.

package bfs

import (
	"context"
	"fmt"
	"math/bits"
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
// made of the same parts (package dobfs) use it too.
type Space struct {
	Placed    *graph.Placed
	Stream    *host.Stream
	Advance   *advance.Advancer
	Filter    *filter.Filterer
	Cur, Next *frontier.Frontier // queue form
	Seen      *frontier.Frontier // visited vertices, bitmap form
	Visitor   Visitor

	depths  *device.Buffer[int32]
	parents *device.Buffer[uint32]
	fill    fillHost
}

// NewSpace readies a space for a search: sources claimed, labelled and in Cur.
// Done or Release must follow.
func NewSpace(ctx context.Context, p *graph.Placed, sources []uint32, depths, parents bool) (*Space, error) {
	if p == nil {
		return nil, fmt.Errorf("bfs: no graph")
	}
	if len(sources) == 0 {
		return nil, fmt.Errorf("bfs: %w: no source given", graph.ErrNoVertex)
	}
	n := p.NumVertices()
	for _, v := range sources {
		if int64(v) >= int64(n) {
			return nil, fmt.Errorf("bfs: source: %w: vertex %d of %d", graph.ErrNoVertex, v, n)
		}
	}
	dev, ok := p.Device().(*host.Device)
	if !ok {
		return nil, fmt.Errorf("bfs: %w: no search on %s", device.ErrNotSupported, p.Device().Info().Name)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, ok := p.TakeScratch(spaceKey).(*Space)
	if !ok {
		s = &Space{Placed: p, Cur: frontier.New(p), Next: frontier.New(p), Seen: frontier.New(p)}
	}
	s.Stream = dev.Stream(ctx)
	if err := s.ready(sources, depths, parents); err != nil {
		s.Stream.Close()
		return nil, err
	}
	return s, nil
}

func (s *Space) ready(sources []uint32, depths, parents bool) (err error) {
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
	if depths {
		if s.depths, err = buffer[int32](s.Placed, depthsKey); err != nil {
			return err
		}
		s.Visitor.Depths = s.depths.Host()
	}
	if parents {
		if s.parents, err = buffer[uint32](s.Placed, parentsKey); err != nil {
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
	for _, v := range sources {
		if !filter.ClaimAlone(s.Visitor.Seen, v) {
			continue // given twice
		}
		if depths {
			s.Visitor.Depths[v] = 0
		}
		if parents {
			s.Visitor.Parents[v] = v
		}
		if err := s.Cur.Add(v); err != nil {
			return err
		}
	}
	return nil
}

// Finish marks what wasn't visited in the result's arrays, moves these into
// the result, and gives the space back.
func (s *Space) Finish(r *Result) {
	s.fill.run(s)
	r.p, r.depths, r.parents = s.Placed, s.depths, s.parents
	r.Device = s.Placed.Device().Info().Name
	s.depths, s.parents = nil, nil
	s.Release()
}

// Release ends the stream and keeps the space for the next search. What the
// search has found is lost, unless Finish was called.
func (s *Space) Release() {
	s.Stream.Close()
	if s.depths != nil {
		s.Placed.KeepScratch(depthsKey, s.depths)
	}
	if s.parents != nil {
		s.Placed.KeepScratch(parentsKey, s.parents)
	}
	s.Stream, s.depths, s.parents, s.Visitor = nil, nil, nil, Visitor{}
	s.Placed.KeepScratch(spaceKey, s)
}

// fillHost writes "not reached" for every vertex that wasn't visited. Doing it
// last saves most of what a fill at the start costs. It is a host.Job.
type fillHost struct {
	s    *Space
	next atomic.Int64
}

// fillChunk is how many words of the bitmap a worker claims.
const fillChunk = 1 << 8

func (j *fillHost) run(s *Space) {
	j.s = s
	j.next.Store(0)
	s.Stream.Run(j)
	j.s = nil
}

// Run is the share of one worker.
func (j *fillHost) Run(int) {
	seen, depths, parents := j.s.Visitor.Seen, j.s.Visitor.Depths, j.s.Visitor.Parents
	n := j.s.Placed.NumVertices()
	for {
		i := int(j.next.Add(fillChunk)) - fillChunk
		if i >= len(seen) {
			return
		}
		for w := i; w < min(i+fillChunk, len(seen)); w++ {
			missing := ^seen[w]
			if missing == 0 {
				continue
			}
			lo, hi := w*64, min(w*64+64, n)
			if missing == ^uint64(0) {
				fillRange(depths, lo, hi, -1)
				fillRange(parents, lo, hi, graph.NoVertex)
				continue
			}
			for ; missing != 0; missing &= missing - 1 {
				v := lo + bits.TrailingZeros64(missing)
				if v >= hi {
					break
				}
				if depths != nil {
					depths[v] = -1
				}
				if parents != nil {
					parents[v] = graph.NoVertex
				}
			}
		}
	}
}

func fillRange[T int32 | uint32](a []T, lo, hi int, x T) {
	if a == nil {
		return
	}
	a = a[lo:hi]
	for i := range a {
		a[i] = x
	}
}
