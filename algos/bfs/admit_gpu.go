// This file holds what a search on a GPU is refused for: too little memory, before any
// is taken.

package bfs

import (
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/layout/shortrows"
)

// empty gives back the workspace, except the stream, of a space that no search is
// under way in.
func (g *gpuSearch) empty() error {
	err := errors.Join(g.s.Wait(), g.freeOperators(), g.close())
	*g = gpuSearch{workspace: g.workspace, lease: g.lease, s: g.s, began: g.began}
	g.frontiers()
	g.Filter, g.Advance = nil, nil
	return err
}

// admit returns device.ErrMemory where the GPU has less memory free than what the
// search is sure to take beside what the space and the placed graph keep from earlier
// ones. If they keep all, there is no call of the driver. Loops may take more as their
// frontiers grow.
func (g *gpuSearch) admit(o workspaceOptions) error {
	need := uint64(0)
	if w := g.leastWorkspace(o); w > g.admitted {
		need = w - g.admitted + sharedMissing(g.Placed, o)
	}
	if g.lease.Stream == nil {
		need += gpu.StreamBytes
	}
	need += g.arraysMissing(o)
	return g.lease.CheckMemory(need, "the search takes at least %s of %s more than earlier ones have left, %s are free there; free results and graphs that nobody needs, or search on the host")
}

// leastWorkspace is what a search is sure to take, except the arrays of its result.
func (g *gpuSearch) leastWorkspace(o workspaceOptions) uint64 {
	p := g.Placed
	n := uint64(p.NumVertices())
	bytes := 2*queueBytes(n, p.Remote().Wide) + run.BitmapBytes(n)
	if !o.Fused {
		return bytes
	}
	bytes += (fusedPlanes + 2) * planeBytes(n)
	if o.Stats {
		bytes += notesRoom(int(n)) * gpu.LevelNoteBytes
	}
	return bytes
}

// arraysMissing is what the arrays of the result take that aren't kept; those that are
// the space takes.
func (g *gpuSearch) arraysMissing(o workspaceOptions) (bytes uint64) {
	p := g.Placed
	size := 4 * uint64(p.NumVertices())
	twice := o.ByID && p.Graph().IDs().ByID() != nil
	if o.Depths {
		if g.depths = run.Kept(p.State(), p, g.depths); g.depths == nil {
			bytes += size
		}
		if twice && !keeps[int32](p) {
			bytes += size
		}
	}
	if o.Parents {
		if g.parents = run.Kept(p.State(), p, g.parents); g.parents == nil {
			bytes += size
		}
		if twice && !keeps[uint32](p) {
			bytes += size
		}
	}
	return bytes
}

// keeps reports whether an array is kept with the placed graph.
func keeps[T device.Elem](p *graph.Placed) bool {
	b := run.Kept[T](p.State(), p, nil)
	keep(p, b)
	return b != nil
}

// sharedMissing is what the first search of its kind readies for all.
func sharedMissing(p *graph.Placed, o workspaceOptions) (bytes uint64) {
	n := uint64(p.NumVertices())
	_, short := placed.Lookup(p.State(), shortrows.Key{})
	_, order := placed.Lookup(p.State(), orderKey)
	_, place := placed.Lookup(p.State(), placeKey)
	if o.Fused && figuresOf(p).deep(p) && !short {
		bytes += shortrows.Bytes(int(n))
	}
	if o.Fused && o.Pulls {
		whole := p.Graph().RemoteBytes()
		if t := p.Remote().Tiers; t != nil {
			whole = t.Bytes
		}
		bytes += whole - min(p.Remote().Bytes, whole)
	}
	if !o.ByID || p.Graph().IDs().ByID() == nil {
		return bytes
	}
	if !order {
		bytes += 4 * n
	}
	if o.Parents && !place {
		bytes += 4 * n
	}
	return bytes
}
