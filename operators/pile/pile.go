// Package pile holds the far pile of a traversal: vertices to expand in a later stage (Davidson,
// Baxter, Garland, Owens, IPDPS 2014, "near-far"). Shortest paths use it to expand near vertices
// first, and k-core to peel level by level.
//
//	far := t.Pile()
//	t.Repeat(t.From(source), advance.PushNear(relax, far), pile.Refill(far, due))
//
// Stages are numbers, 0 at first. advance.PushNear turns the targets due at the current stage or
// earlier into the frontier, and puts later ones into the pile; each vertex is in the frontier
// once, and in the pile once. When the frontier is empty, Refill advances to the earliest stage
// at which a vertex of the pile is due, and the vertices due then become the frontier.
//
// If a vertex of the pile became due at an earlier stage, because its key changed, it was in the
// frontier then: Refill drops it.
//
// The steps of a Repeat have one pile. They run on the host, on a GPU level by level, and in one
// kernel.
package pile

import (
	"errors"
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// Never is the stage of a vertex that is dropped.
const Never = math.MaxUint32

// Pile is vertices that are due later. It belongs to one traversal (traverse.Traversal.Pile).
type Pile struct {
	p    *graph.Placed
	on   backend
	host onHost
	gpu  onGPU
}

// backend is a pile's part on its device: that on the host, or that on a GPU.
type backend interface {
	clear(device.Stream) error
	free() error
	stage() (uint32, error)
	len() (int, error)
	freed() bool
}

// New returns an empty pile over a placed graph, in its device's memory. Free gives that back.
func New(p *graph.Placed) (*Pile, error) {
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("pile: %w", err)
	}
	x := &Pile{p: p}
	if p.Remote() != nil {
		x.on = &x.gpu
		if err := x.gpu.alloc(p); err != nil {
			return nil, errors.Join(fmt.Errorf("pile: %w", err), x.Close())
		}
		return x, nil
	}
	x.on = &x.host
	x.host.far = make([]uint64, (p.NumVertices()+63)/64)
	return x, nil
}

// Clear empties the pile, in the order of the stream, and begins at stage 0.
func (x *Pile) Clear(s device.Stream) error {
	if err := x.at().clear(s); err != nil {
		return fmt.Errorf("pile: %w", err)
	}
	return nil
}

// Close gives the memory back. Freeing nil, or a second time, does nothing.
func (x *Pile) Close() error {
	if x == nil {
		return nil
	}
	err := x.at().free()
	x.on = nil
	return err
}

// at is where the pile is. One that was freed, or that New didn't make, is an empty one on
// the host.
func (x *Pile) at() backend {
	if x.on == nil {
		return &x.host
	}
	return x.on
}

// Stage returns the stage that the traversal is at. On a GPU steps that change it must have
// ended.
func (x *Pile) Stage() (uint32, error) { return x.at().stage() }

// Len returns how many vertices are in the pile. On a GPU steps that change it must have
// ended.
func (x *Pile) Len() (int, error) { return x.at().len() }

// Check is what operators ask of a pile that they are given.
func (x *Pile) Check(p *graph.Placed) error {
	switch {
	case x == nil, x.p == nil:
		return fmt.Errorf("pile: %w: no pile (nil); traverse.Traversal.Pile makes one", graph.ErrOptions)
	case x.at().freed() && x.p.NumVertices() > 0:
		return fmt.Errorf("pile: %w: it was freed", device.ErrClosed)
	case x.p != p:
		return fmt.Errorf("pile: %w: it is over another placed graph", graph.ErrOptions)
	}
	return nil
}
