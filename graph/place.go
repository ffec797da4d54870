// This file holds Placed, a graph on a device.

package graph

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/host"
)

// Placed is a graph on a device. It is immutable, safe for concurrent use, and
// may serve any number of searches at once. On the host it shares the arrays of
// its Graph.
type Placed struct {
	inside
	g   *Graph
	dev device.Device

	prepared   sync.Once
	prep       placed.Prepared
	degreeOnce sync.Once
	maxDegree  uint64
	ell4Once   sync.Once
	ell4       *placed.Ell4

	at   storage
	took bool // it has the memory of rows that the graph was built in

	state *placed.State
}

// inside is what operators alone use.
type inside = placed.Inside

// storage is where the arrays of a placed graph are: onHost, whose memory is the graph's
// own, or onDevice. On and Adopt choose.
type storage interface {
	weights(a []float32) (*device.Buffer[float32], error)
	floats(a []float64) (*device.Buffer[float64], error)
	offsets(c *CSR) (*device.Buffer[uint64], error)
	reverse(q *Placed) // places q, whose edges are turned round
	targets(c *CSR) (*device.Buffer[uint32], error)
	ids(a []uint64) (*device.Buffer[uint64], error)
	values(a any, in bool) (any, error) // a *device.Buffer of the values of a column of out-edges or in-edges
	// contract contracts the graph there. The error is errNotThere if the host is to do it.
	contract(ctx context.Context, labels []uint32, o Options) (*Graph, error)
	sync() error // waits for kernels, which may still run when their operators have left
	free() error
}

// On places the graph on a device, which must stay open until the placed graph is closed. If the graph was
// built on the device (Options.Device), its first placed graph there takes over the rows; nothing is
// uploaded. Close frees this memory. On device "all" a graph of fewer than 2^30 entries is placed on the
// first GPU only, which is then its Placed.Device. The error is ErrNoGraph for a nil graph,
// device.ErrNotSupported for a nil device or a device without upload support in this build, device.ErrMemory
// if a GPU has too little free memory, device.ErrClosed for a graph that was closed, or the
// device's.
func (g *Graph) On(dev device.Device) (_ *Placed, err error) {
	defer panics.Rethrown(&err)
	if g == nil {
		return nil, fmt.Errorf("placing: %w", ErrNoGraph)
	}
	if dev == nil {
		return nil, fmt.Errorf("graph: placing on no device (nil): %w; device.Open opens one", device.ErrNotSupported)
	}
	if l, ok := dev.(*placed.Loaded); ok {
		return g.adopt(l.Device, l.Parts, false)
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
		p, err := g.adopt(dev.(discrete.Device), parts, true)
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
	if u, ok := dev.(discrete.Device); ok {
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
	p := &Placed{g: g, dev: dev, at: onHost{}}
	p.state = placed.NewState((*arrays)(p), maxScratch)
	return p
}

// State returns the state that operators and algorithms use, and keep with the placed graph.
func (p *Placed) State() *placed.State {
	if p == nil {
		return noState
	}
	return p.state
}

// noState is the state of a nil graph; its methods return ErrNoGraph.
var noState = placed.NoState((*arrays)(nil), (*Placed)(nil).Err())

// arrays are the arrays of a placed graph that operators alone use.
type arrays Placed

// Graph returns the graph on the host.
func (p *Placed) Graph() *Graph { return p.g }

// Device returns the device on which the graph is placed.
func (p *Placed) Device() device.Device { return p.dev }

// NumVertices returns the number of vertices.
func (p *Placed) NumVertices() int { return p.g.NumVertices() }

// Err returns device.ErrClosed once the placed graph was closed, ErrNoGraph for
// nil, else nil. Searches, operators and frontiers over it return this error
// first.
func (p *Placed) Err() error {
	switch {
	case p == nil || p.g == nil:
		return fmt.Errorf("%w: place one with Graph.On", ErrNoGraph)
	case p.state.Gone():
		return placed.ClosedError()
	}
	return nil
}

// Close frees the device's memory, workspaces included. It waits for running searches and operators; later
// ones fail with device.ErrClosed. Results stay valid until they are closed themselves. The Graph is
// untouched, unless it was closed and waited for this call. Rows that exist only on the device (Graph.Fetch)
// are fetched first, unless the graph was closed.
//
// Searches hold nothing while they call back (EachLevel, Logger, loops over Searcher.Batch, what Pool.Run and Pool.Do
// call): Close may be called there, by any goroutine, and the search then ends with device.ErrClosed. A
// caller of Hold must not call Close before the release, nor may a functor of an operator: they would wait
// for themselves. Closing a nil placed graph, or closing twice, does nothing; a second call doesn't wait for
// the first.
func (p *Placed) Close() error {
	if p == nil || !p.state.End() {
		return nil
	}
	first := p.at.sync()
	if p.took { // of several devices, what is freed next
		if err := p.g.keepRows(); err != nil && first == nil {
			first = err
		}
	}
	if err := p.state.Close(); err != nil && first == nil {
		first = err
	}
	if err := p.at.free(); err != nil && first == nil {
		first = err
	}
	if err := p.g.leave(); err != nil && first == nil {
		first = err
	}
	return first
}

// Hold keeps the placed graph, and its Graph, until release is called: Close waits
// for that, and Graph.Close releases the arrays only then. Searches hold the placed
// graph while they run. A custom traversal must do so too if another goroutine may
// close the graph meanwhile. Call release exactly once. Don't call Close before that in
// the same goroutine: it would wait for itself. Hold allocates nothing.
//
// The error is device.ErrClosed once Close was called, or ErrNoGraph for nil.
func (p *Placed) Hold() (release func(), err error) { return p.State().Hold() }

// Prepare computes, once, what pulls and, in a graph of low degree, pushes read: the first search that needs it does
// so otherwise. Call it only to keep this out of a measured time. A directed graph without its reverse has no pulls.
func (p *Placed) Prepare() {
	p.State().Prepare()
	p.State().Ell4()
}
