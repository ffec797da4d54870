// Package farpile is the memory of a far pile, on the host and on a GPU: pile.Pile is one, and the steps that put
// vertices into it, or take them out, call it.
package farpile

import (
	"errors"
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// Never is pile.Never.
const Never = math.MaxUint32

// Pile is vertices that are due later. Host is its part on the host, GPU that on a GPU.
type Pile struct {
	p    *graph.Placed
	on   backend
	Host OnHost
	GPU  OnGPU
}

// backend is a pile's part on its device: OnHost or OnGPU.
type backend interface {
	clear(device.Stream) error
	free() error
	stage() (uint32, error)
	len() (int, error)
	freed() bool
}

// New returns an empty pile over a placed graph, in its device's memory. Close gives that back.
func New(p *graph.Placed) (*Pile, error) {
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("pile: %w", err)
	}
	x := &Pile{p: p}
	if p.Remote() != nil {
		x.on = &x.GPU
		if err := x.GPU.alloc(p); err != nil {
			return nil, errors.Join(fmt.Errorf("pile: %w", err), x.Close())
		}
		return x, nil
	}
	x.on = &x.Host
	x.Host.Far = make([]uint64, (p.NumVertices()+63)/64)
	return x, nil
}

// Clear empties the pile, in the order of the stream, and begins at stage 0.
func (x *Pile) Clear(s device.Stream) error {
	if err := x.at().clear(s); err != nil {
		return fmt.Errorf("pile: %w", err)
	}
	return nil
}

// Close gives the memory back. Closing nil, or a second time, does nothing.
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
		return &x.Host
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
		return fmt.Errorf("pile: %w: the pile; make another", device.ErrClosed)
	case x.p != p:
		return fmt.Errorf("pile: %w: it is over another placed graph", graph.ErrOptions)
	}
	return nil
}
