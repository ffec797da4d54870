// This file holds Placed, a graph on a device.

package graph

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/engine/placed"
)

// Placed is a graph on a device. It is immutable, safe for concurrent use, and
// may serve any number of searches at once. On the host it shares the arrays of
// its Graph.
type Placed struct {
	g    *Graph
	dev  device.Device
	uses uses

	prepared   sync.Once
	prep       Prepared
	degreeOnce sync.Once
	maxDegree  uint64
	foursOnce  sync.Once
	fours      *Fours

	at     storage
	took   bool           // it has the memory of rows that the graph was built in
	remote *placed.Remote // for Remote

	mu      sync.Mutex
	scratch map[any][]any

	onceMu sync.Mutex
	once   map[any]*made
}

// storage is where the arrays of a placed graph are: onHost, whose memory is the graph's
// own, or onDevice. On and Adopt choose.
type storage interface {
	prepare() (*placed.Prepared, error)
	weights(a []float32) (*device.Buffer[float32], error)
	floats(a []float64) (*device.Buffer[float64], error)
	offsets(c *CSR) (*device.Buffer[uint64], error)
	reverse(q *Placed) // places q, whose edges are turned round
	targets(c *CSR) (*device.Buffer[uint32], error)
	ids(a []uint64) (*device.Buffer[uint64], error)
	sync() error // waits for kernels, which may still run when their operators have left
	free() error
}

// On places the graph on a device, which must stay open until the placed graph is freed. If the graph was
// built on the device (Options.Device), its first placed graph there takes over the rows; nothing is
// uploaded. Free frees this memory. On device "all" a graph of fewer than 2^30 entries is placed on the
// first GPU only, which is then its Placed.Device. The error is ErrNoGraph for a nil graph,
// device.ErrNotSupported for a nil device or a device without upload support in this build, device.ErrMemory
// (and ErrMemory) if a GPU has too little free memory, device.ErrClosed for a graph that was closed, or the
// device's.
func (g *Graph) On(dev device.Device) (_ *Placed, err error) {
	defer panics.Rethrown(&err)
	if g == nil {
		return nil, fmt.Errorf("placing: %w", ErrNoGraph)
	}
	if dev == nil {
		return nil, fmt.Errorf("graph: placing on no device (nil): %w; device.Open opens one", device.ErrNotSupported)
	}
	if err := g.enter(); err != nil {
		return nil, err
	}
	if first := g.firstOf(dev); first != nil {
		p, err := g.On(first)
		if !errors.Is(err, device.ErrMemory) {
			return p, errors.Join(err, g.leave())
		}
	}
	if parts, ok := g.built.take(dev); ok {
		p, err := g.adopt(dev.(device.Uploader), parts, true)
		if err != nil {
			g.away.lose(err)
		}
		return p, errors.Join(err, g.leave())
	}
	if a := g.built.takeShards(dev); a != nil {
		p := newPlaced(g, dev)
		p.took = true
		return p.onShards(dev.(placed.Sharded), a)
	}
	if err := g.Fetch(); err != nil {
		return nil, errors.Join(err, g.leave())
	}
	p := newPlaced(g, dev)
	if d, ok := dev.(placed.Sharded); ok {
		a, err := g.shard(d)
		if err != nil {
			return nil, errors.Join(err, g.leave())
		}
		return p.onShards(d, a)
	}
	if u, ok := dev.(device.Uploader); ok {
		r, err := g.place(u)
		if err != nil {
			return nil, errors.Join(err, g.leave())
		}
		p.hold(u, r)
		return p, nil
	}
	if _, ok := dev.(*host.Device); ok { // whose Info asks the system, which takes longer than all else here
		return p, nil
	}
	if kind := dev.Info().Kind; kind != device.Host {
		err := fmt.Errorf("graph: placing on %s: %w: this build has no upload for it", kind, device.ErrNotSupported)
		return nil, errors.Join(err, g.leave())
	}
	return p, nil
}

func newPlaced(g *Graph, dev device.Device) *Placed {
	p := &Placed{g: g, dev: dev, at: onHost{}, scratch: map[any][]any{}}
	p.uses.begin()
	return p
}

// Once calls make on the first call for a key, and returns its value; a failure isn't cached. A value with a
// method Free() error is freed with the placed graph. Use it for data that searches compute once per graph;
// at most one call for a key runs make at a time. The error is the error of make, or device.ErrClosed once
// the placed graph was freed.
func (p *Placed) Once(key any, make func() (any, error)) (any, error) {
	return p.OnceIn(context.Background(), key, make)
}

// OnceIn is Once for a caller that a context ends: it doesn't wait for another caller's make any longer then, and
// the error is the context's. make sees to the context itself.
func (p *Placed) OnceIn(ctx context.Context, key any, make func() (any, error)) (any, error) {
	if err := callctx.Check(ctx, "graph"); err != nil {
		return nil, err
	}
	if err := p.Enter(); err != nil {
		return nil, err
	}
	defer p.Leave()
	p.onceMu.Lock()
	if p.once == nil {
		p.once = map[any]*made{}
	}
	m := p.once[key]
	if m == nil {
		m = newMade()
		p.once[key] = m
	}
	p.onceMu.Unlock()
	if m.done.Load() {
		return m.x, nil
	}
	select {
	case m.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-m.turn }()
	if !m.done.Load() {
		x, err := make()
		if err != nil {
			return nil, err
		}
		m.x = x
		m.done.Store(true)
	}
	return m.x, nil
}

// made is what Once made for a key.
type made struct {
	turn chan struct{} // holds one while a call makes it
	done atomic.Bool   // x is there, and stays as it is
	x    any
}

func newMade() *made { return &made{turn: make(chan struct{}, 1)} }

// madeOf is what was made already.
func madeOf(x any) *made {
	m := newMade()
	m.x = x
	m.done.Store(true)
	return m
}

// Graph returns the graph on the host.
func (p *Placed) Graph() *Graph { return p.g }

// Device returns where the graph is.
func (p *Placed) Device() device.Device { return p.dev }

// NumVertices returns the number of vertices.
func (p *Placed) NumVertices() int { return p.g.NumVertices() }

// Err returns device.ErrClosed once the placed graph was freed, ErrNoGraph for
// nil, else nil. Searches, operators and frontiers over it return this error
// first.
func (p *Placed) Err() error {
	switch {
	case p == nil || p.g == nil:
		return fmt.Errorf("%w: place one with Graph.On", ErrNoGraph)
	case p.gone():
		return errPlacedFreed()
	}
	return nil
}

// Free frees the device's memory, workspaces included. It waits for running searches and operators; later
// ones fail with device.ErrClosed. Results stay valid until they are freed themselves. The Graph is
// untouched, unless it was closed and waited for this call. Rows that exist only on the device (Graph.Fetch)
// are fetched first, unless the graph was closed.
//
// Searches hold nothing while they call back (Progress, Logger, what Searcher.Batch, Pool.Search and Pool.Do
// call): Free may be called there, by any goroutine, and the search then ends with device.ErrClosed. A
// caller of Hold must not call Free before the release, nor may a functor of an operator: they would wait
// for themselves. Freeing a nil placed graph, or freeing twice, does nothing; a second call doesn't wait for
// the first.
func (p *Placed) Free() error {
	if p == nil || !p.uses.close() {
		return nil
	}
	p.mu.Lock()
	scratch := p.scratch
	p.scratch = nil
	p.mu.Unlock()
	first := p.at.sync()
	if p.took { // of several devices, what is freed next
		if err := p.g.keepRows(); err != nil && first == nil {
			first = err
		}
	}
	p.onceMu.Lock()
	once := p.once
	p.once = nil
	p.onceMu.Unlock()
	for _, m := range once {
		if f, ok := m.x.(interface{ Free() error }); ok {
			if err := f.Free(); err != nil && first == nil {
				first = err
			}
		}
	}
	for _, kept := range scratch {
		for _, x := range kept {
			if f, ok := x.(interface{ Free() error }); ok {
				if err := f.Free(); err != nil && first == nil {
					first = err
				}
			}
		}
	}
	if err := p.at.free(); err != nil && first == nil {
		first = err
	}
	if err := p.g.leave(); err != nil && first == nil {
		first = err
	}
	return first
}

// TakeScratch returns a workspace that was kept under the key, or nil. It lets
// an algorithm use the memory of an earlier search again. The workspace is the
// caller's alone until it is kept again.
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

// KeepScratch keeps a workspace for the next TakeScratch with that key. One
// that has a method Free() error is freed when the placed graph is. It reports
// whether the workspace was kept: it isn't where the placed graph was freed, or
// has enough of that key; the caller then frees it.
func (p *Placed) KeepScratch(key, x any) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.scratch[key]
	if p.gone() || len(kept) >= maxScratch {
		return false
	}
	p.scratch[key] = append(kept, x)
	return true
}
