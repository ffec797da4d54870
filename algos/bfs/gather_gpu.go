// This file holds the gathering of a result into the order of external ids on a
// GPU.

package bfs

import (
	"errors"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/gpu"
)

// gatherArgs are the arguments of the kernel (gather.cuh).
type gatherArgs struct {
	depths, codes         uint64
	parents               uint64
	order, place          uint64
	depthsOut, parentsOut uint64
	n, unreached          uint32
}

// gatherKey is the key of an array of a gathering that is kept with the placed graph.
type gatherKey struct {
	placed.Of[*device.Buffer[uint32]]
	ranks bool
}

var (
	orderKey = gatherKey{}            // the vertex of each place
	placeKey = gatherKey{ranks: true} // the place of each vertex
)

// uploaded returns an array on the GPU, which is brought there on the first call.
func uploaded(p *graph.Placed, key gatherKey, array func() []uint32) (*device.Buffer[uint32], error) {
	b, err := placed.LoadOrMake(p.State(), key, func() (*device.Buffer[uint32], error) {
		a := array()
		b, err := device.NewBuffer[uint32](p.Device(), len(a))
		if err != nil {
			return nil, err
		}
		if err := b.Write(p.Device(), 0, a); err != nil {
			return nil, errors.Join(err, b.Close())
		}
		return b, nil
	})
	if err != nil {
		return nil, fmt.Errorf("bfs: order of ids: %w", err)
	}
	return b, nil
}

// gather enqueues the gathering of the arrays, which are in r then.
func (g *gpuSearch) gather(r *Result) error {
	s, ids := g.workspace, g.Placed.Graph().IDs()
	r.byID = true
	if ids.ByID() == nil { // vertices are in that order
		return nil
	}
	a := gatherArgs{parents: g.start.parents, n: g.start.n, unreached: g.start.n}
	// Vertices without in-neighbors come last in an order by degree; but for a
	// source they aren't reached. The GPU need not have what pulls need for that.
	if prep := s.Placed.State().Prepare(); prep != nil && uint64(prep.Words)*64 < uint64(a.n) {
		a.unreached = max(uint32(prep.Words)*64, slices.Max(r.Sources)+1)
	}
	order, err := uploaded(s.Placed, orderKey, ids.ByID)
	if err != nil {
		return err
	}
	a.order = uint64(order.Pointer())
	if s.depths != nil {
		if a.depths = g.start.depths; g.coded {
			a.depths, a.codes = 0, g.fused.args.codes
		}
		if r.depthsByID, err = run.Array[int32](s.Placed.State(), s.Placed, nil); err != nil {
			return err
		}
		a.depthsOut = uint64(r.depthsByID.Pointer())
	}
	if s.parents != nil {
		place, err := uploaded(s.Placed, placeKey, ids.Ranks)
		if err != nil {
			return err
		}
		a.place = uint64(place.Pointer())
		if r.parentsByID, err = run.Array[uint32](s.Placed.State(), s.Placed, nil); err != nil {
			return err
		}
		a.parentsOut = uint64(r.parentsByID.Pointer())
	}
	k, err := g.s.KernelOf(fusedImage, "bfs_gather", fusedThreads)
	if err != nil {
		return err
	}
	g.args.Reset()
	gpu.Struct(&g.args, &a)
	if err := g.s.Launch(k, int(a.n)/(4*fusedThreads)+1, &g.args); err != nil {
		return err
	}
	g.gathered = true
	return nil
}

// ungather gives back what gather took.
func (g *gpuSearch) ungather(r *Result) {
	keep(g.Placed, r.depthsByID)
	keep(g.Placed, r.parentsByID)
	r.depthsByID, r.parentsByID = nil, nil
	g.gathered = false
}
