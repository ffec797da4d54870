// This file holds what a search on a GPU is refused for: too little memory, before any
// is taken.

package search

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/heads"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/tuning"
)

// beginGPU is begin on a GPU.
func (s *Space) beginGPU(sources []uint32, o SpaceOptions) error {
	if err := s.admit(o); err != nil {
		return fmt.Errorf("bfs: %w", err)
	}
	need, err := s.leastWorkspace(o), s.gpu.ready(sources, o)
	switch {
	case err == nil:
		s.admitted = max(s.admitted, need)
	case s.admitted < need && errors.Is(err, device.ErrMemory): // what there is of it helps nobody
		err = errors.Join(err, s.empty())
	}
	return err
}

// empty gives back the workspace, except the stream, of a space that no search is
// under way in.
func (s *Space) empty() error {
	g := s.gpu
	err := errors.Join(g.s.Wait(), s.Cur.Free(), s.Next.Free(), s.Seen.Free(), s.Filter.Free(), s.Advance.Free(),
		g.list.Free(), g.expanded.Free(), g.contracted.Free(), g.fused.free())
	stream := s.Stream
	*g = onGPU{space: s, s: g.s, began: g.began}
	fresh := newSpace(s.Placed)
	s.Cur, s.Next, s.Seen, s.Filter, s.Advance, s.Stream, s.admitted = fresh.Cur, fresh.Next, fresh.Seen, nil, nil, stream, 0
	return err
}

// admit returns device.ErrMemory where the GPU has less memory free than what the
// search is sure to take beside what the space and the placed graph keep from earlier
// ones. Where they keep all, the driver isn't asked. Loops may take more as their
// frontiers grow.
func (s *Space) admit(o SpaceOptions) error {
	p, need := s.Placed, uint64(0)
	if w := s.leastWorkspace(o); w > s.admitted {
		need = w - s.admitted + sharedMissing(p, o)
	}
	if s.gpu == nil {
		need += gpu.StreamBytes
	}
	need += s.arraysMissing(o)
	if need == 0 {
		return nil
	}
	dev := p.Device().(*gpu.Device)
	free, _, err := dev.Context().MemInfo()
	if err != nil || need <= free { // what is wrong with the device the search will say
		return nil
	}
	return fmt.Errorf("%w: the search takes at least %s of %s more than earlier ones have left, %s are free there; free results and graphs that nobody needs, or search on the host",
		device.ErrMemory, text.Bytes(need), dev.Info().Name, text.Bytes(free))
}

// leastWorkspace is what a search is sure to take, except the arrays of its result.
func (s *Space) leastWorkspace(o SpaceOptions) uint64 {
	p := s.Placed
	n := uint64(p.NumVertices())
	bytes := 2*queueBytes(n, p.Remote().Wide) + bitmapBytes(n)
	if !o.Fused {
		return bytes
	}
	bytes += (fusedPlanes + 2) * planeBytes(n)
	if o.Stats {
		bytes += min(n, tuning.FusedNotes) * noteBytes
	}
	return bytes
}

// arraysMissing is what the arrays of the result take that aren't kept; those that are
// the space takes.
func (s *Space) arraysMissing(o SpaceOptions) (bytes uint64) {
	p := s.Placed
	size := 4 * uint64(p.NumVertices())
	twice := o.ByID && p.Graph().IDs().ByID() != nil
	if o.Depths {
		if s.depths = kept(p, depthsKey, s.depths); s.depths == nil {
			bytes += size
		}
		if twice && !keeps[int32](p, depthsKey) {
			bytes += size
		}
	}
	if o.Parents {
		if s.parents = kept(p, parentsKey, s.parents); s.parents == nil {
			bytes += size
		}
		if twice && !keeps[uint32](p, parentsKey) {
			bytes += size
		}
	}
	return bytes
}

// keeps reports whether an array is kept with the placed graph.
func keeps[T device.Elem](p *graph.Placed, key scratchKey) bool {
	b := kept[T](p, key, nil)
	keep(p, key, b)
	return b != nil
}

// sharedMissing is what the first search of its kind readies for all.
func sharedMissing(p *graph.Placed, o SpaceOptions) (bytes uint64) {
	n := uint64(p.NumVertices())
	made := func(key any) bool {
		_, err := p.Once(key, func() (any, error) { return nil, errNotMade })
		return err == nil
	}
	if o.Fused && figuresOf(p).deep(p) && !made(heads.Key{}) {
		bytes += heads.Bytes(int(n))
	}
	if o.Fused && o.Pulls {
		bytes += p.Graph().RemoteBytes() - min(p.Remote().Bytes, p.Graph().RemoteBytes())
	}
	if !o.ByID || p.Graph().IDs().ByID() == nil {
		return bytes
	}
	if !made(orderKey) {
		bytes += 4 * n
	}
	if o.Parents && !made(placeKey) {
		bytes += 4 * n
	}
	return bytes
}

var errNotMade = errors.New("not made yet")
