// This file holds the gathering of a result into the order of external ids on a
// GPU.

package bfs

import (
	"errors"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/graph"
)

// gatherArgs are the arguments of the kernel (gather.cuh).
type gatherArgs struct {
	depths, codes         uint64
	parents               uint64
	order, place          uint64
	depthsOut, parentsOut uint64
	n, unreached          uint32
}

// byID is the order of external ids on a GPU, kept with the placed graph. Its
// arrays are nil where vertices are in that order.
type byID struct {
	order, place *device.Buffer[uint32]
}

type byIDKey struct{}

// Free gives them back.
func (b *byID) Free() error { return errors.Join(b.order.Free(), b.place.Free()) }

func byIDOf(p *graph.Placed) (*byID, error) {
	x, err := p.Once(byIDKey{}, func() (any, error) {
		b, order := &byID{}, p.Graph().IDs().ByID()
		if order == nil {
			return b, nil
		}
		place := make([]uint32, len(order))
		for i, v := range order {
			place[v] = uint32(i)
		}
		var err error
		if b.order, err = device.NewBuffer[uint32](p.Device(), len(order)); err == nil {
			if err = b.order.Write(p.Device(), 0, order); err == nil {
				if b.place, err = device.NewBuffer[uint32](p.Device(), len(place)); err == nil {
					err = b.place.Write(p.Device(), 0, place)
				}
			}
		}
		if err != nil {
			return nil, errors.Join(err, b.Free())
		}
		return b, nil
	})
	if err != nil {
		return nil, fmt.Errorf("bfs: order of ids: %w", err)
	}
	return x.(*byID), nil
}

// gather enqueues the gathering of what was found; the arrays are in r then.
func (g *onGPU) gather(r *Result) error {
	s := g.space
	b, err := byIDOf(s.Placed)
	if err != nil {
		return err
	}
	r.byID = true
	if b.order == nil {
		return nil
	}
	a := gatherArgs{
		parents: g.start.parents, n: g.start.n, unreached: g.start.n,
		order: uint64(b.order.Pointer()), place: uint64(b.place.Pointer()),
	}
	// Vertices without in-neighbours come last in an order by degree; but for a
	// source they aren't reached. The GPU need not have what pulls need for that.
	if prep := s.Placed.Prepare(); prep != nil && uint64(prep.Words)*64 < uint64(a.n) {
		a.unreached = max(uint32(prep.Words)*64, slices.Max(r.Sources)+1)
	}
	if s.depths != nil {
		if a.depths = g.start.depths; g.coded {
			a.depths, a.codes = 0, g.fused.args.codes
		}
		if r.depthsByID, err = buffer[int32](s.Placed, depthsKey, nil); err != nil {
			return err
		}
		a.depthsOut = uint64(r.depthsByID.Pointer())
	}
	if s.parents != nil {
		if r.parentsByID, err = buffer[uint32](s.Placed, parentsKey, nil); err != nil {
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
func (g *onGPU) ungather(r *Result) {
	keep(g.space.Placed, depthsKey, r.depthsByID)
	keep(g.space.Placed, parentsKey, r.parentsByID)
	r.depthsByID, r.parentsByID = nil, nil
	g.gathered = false
}
