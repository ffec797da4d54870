// This file holds Placed, a graph on a device.

package graph

import (
	"fmt"
	"sync"

	"github.com/foray-graph/foray/device"
)

// Placed is a graph on a device. It is immutable and may serve any number of
// searches at once. On the host it shares the arrays of its Graph.
type Placed struct {
	g   *Graph
	dev device.Device

	prepared  sync.Once
	prep      Prepared
	foursOnce sync.Once
	fours     *Fours

	remote     *Remote
	remotePrep *RemotePrepared

	mu      sync.Mutex
	scratch map[any][]any
}

// On places the graph on a device. Free gives back what that took.
func (g *Graph) On(dev device.Device) (*Placed, error) {
	if g == nil {
		return nil, fmt.Errorf("graph: no graph to place")
	}
	if dev == nil {
		return nil, fmt.Errorf("graph: placing on no device; device.Open opens one")
	}
	p := &Placed{g: g, dev: dev, scratch: map[any][]any{}}
	if u, ok := dev.(device.Uploader); ok {
		r, err := g.place(u)
		if err != nil {
			return nil, err
		}
		p.remote = r
		return p, nil
	}
	if kind := dev.Info().Kind; kind != device.Host {
		return nil, fmt.Errorf("graph: placing on %s: %w: this build has no upload for it", kind, device.ErrNotSupported)
	}
	return p, nil
}

// Graph returns the graph on the host.
func (p *Placed) Graph() *Graph { return p.g }

// Device returns where the graph is.
func (p *Placed) Device() device.Device { return p.dev }

// NumVertices returns the number of vertices.
func (p *Placed) NumVertices() int { return p.g.NumVertices() }

// Free gives back the device's memory. Searches must have ended.
func (p *Placed) Free() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.scratch
	p.scratch = map[any][]any{}
	if p.remote == nil {
		return nil
	}
	for _, xs := range kept {
		for _, x := range xs {
			if f, ok := x.(interface{ Free() error }); ok {
				f.Free()
			}
		}
	}
	return p.remote.free()
}

// maxScratch bounds what is kept for each key: more searches than this at
// once are rare, and their workspaces go to the garbage collector.
const maxScratch = 16

// TakeScratch returns a workspace that was kept under the key, or nil. It lets
// an algorithm use the memory of an earlier search again.
func (p *Placed) TakeScratch(key any) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.scratch[key]
	if len(kept) == 0 {
		return nil
	}
	x := kept[len(kept)-1]
	kept[len(kept)-1] = nil
	p.scratch[key] = kept[:len(kept)-1]
	return x
}

// KeepScratch keeps a workspace for the next TakeScratch with that key.
func (p *Placed) KeepScratch(key, x any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if kept := p.scratch[key]; len(kept) < maxScratch {
		p.scratch[key] = append(kept, x)
	}
}
