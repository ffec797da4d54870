package intersect

import (
	"context"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/layout/rowcheck"
	"github.com/foray-graph/foray/operators"
)

// errFunctor is operators.ErrFunctor as errors of this package have it.
var errFunctor = fmt.Errorf("intersect: %w", operators.ErrFunctor)

// Pair is an edge and the place of its common neighbors, or of some of them, in
// a tile.
type Pair struct {
	Edge uint64 // its number in Graph.Out
	U, V uint32 // it leads from U to V
	// The common neighbors are common[First:First+Len] of the tile; Len is 1 or
	// more.
	First, Len uint32
}

// Functor is what happens at common neighbors: Count, Corners and Opposite on any device, Func and types
// of your own on the host.
type Functor interface {
	// Common gets a tile: pairs, and the common neighbors of all of them. The neighbors of a
	// pair ascend. An edge with many comes as several pairs, perhaps in several tiles, but
	// on one worker; an edge without any doesn't come. Tiles come on several workers at
	// once, which are numbered from 0 to the stream's Workers()-1. Both slices are valid
	// during the call only. A panic propagates to the caller of Run.
	Common(worker int, pairs []Pair, common []uint32)
}

// kernelFunctor is a Functor that a GPU runs too.
type kernelFunctor interface {
	Functor
	step.Kernels
}

// Func makes a Functor of a function, for the host.
func Func(f func(worker int, pairs []Pair, common []uint32)) Functor { return hostFunc(f) }

type hostFunc func(worker int, pairs []Pair, common []uint32)

func (f hostFunc) Common(worker int, pairs []Pair, common []uint32) { f(worker, pairs, common) }

// Options select the edges to visit, and the common neighbors that count. The zero value
// selects all of them.
type Options struct {
	// From has the operator visit only the edges out of a frontier's vertices,
	// in any form. Edges of a vertex that is twice in a queue are visited
	// twice.
	From *frontier.Frontier
	// Ascending leaves out edges from u to v unless u < v: every edge of an
	// undirected graph is visited once, and self-loops aren't.
	Ascending bool
	// Triangles is Ascending, and of the common neighbors w only those with w < u count:
	// every triangle of an undirected graph comes once, by its edge between the two larger
	// vertices. If vertices are in order of degree (graph.OrderDegree) this shortens the
	// longest rows.
	Triangles bool
}

// Intersector runs the operator over one placed graph on one stream. It keeps
// what that needs between calls: on the host a bit a vertex for each worker where
// rows are long. It belongs to one search and isn't safe for concurrent use. Close
// gives its memory back.
type Intersector struct {
	p      *graph.Placed
	on     backend
	closed bool
}

// backend runs the operator on a device: onHost or onGPU, as New chooses. Its arguments have
// been checked.
type backend interface {
	bind(device.Stream) bool
	err() error // the stream's
	close() error
	// takes returns why the functor can't be called there.
	takes(f Functor) error
	remote() bool // arrays must be on a GPU

	prepare() error
	run(o Options, f Functor, strategy strategy) error
	totals() (edges, common uint64, err error)
}

// New returns an Intersector over a placed graph, on a stream of its device. The
// error is device.ErrNotSupported for no stream or one of a device without
// operators, device.ErrClosed for a placed graph that was closed, or
// graph.ErrNoGraph.
func New(s device.Stream, p *graph.Placed) (*Intersector, error) {
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("intersect: %w", err)
	}
	if p.Remote() != nil {
		gs, err := gpu.StreamOf(s)
		if err != nil {
			return nil, fmt.Errorf("intersect: %w", err)
		}
		return &Intersector{p: p, on: &onGPU{p: p, g: p.Remote(), s: gs}}, nil
	}
	hs, err := host.StreamOf(s)
	if err != nil {
		return nil, fmt.Errorf("intersect: %w", err)
	}
	return &Intersector{p: p, on: &onHost{p: p, s: hs}}, nil
}

// Bind makes the Intersector run on another stream of the same device, so that a
// later search can use it again. It reports whether the stream fits.
func (x *Intersector) Bind(s device.Stream) bool { return x != nil && x.on != nil && x.on.bind(s) }

// Close frees the memory of the Intersector. Later uses fail with device.ErrClosed. Closing a
// nil Intersector, or closing twice, does nothing.
func (x *Intersector) Close() error {
	if x == nil || x.on == nil {
		return nil
	}
	x.closed = true
	return x.on.close()
}

// Run visits edges and calls the functor on the common neighbors of their two
// ends: the vertices that both rows of Graph.Out have. On a GPU it is enqueued;
// Totals waits for it.
//
// The first run over a placed graph checks that its rows ascend, in one pass over
// them.
//
// The error is graph.ErrMalformed for a graph whose rows don't ascend, operators.ErrFunctor,
// device.ErrNotSupported on a GPU for a functor
// without kernels, device.ErrClosed for a closed object, frontier.ErrForeign for
// Options.From over another placed graph, on the host graph.ErrNoVertex for an entry of it
// that isn't a vertex, on a GPU device.ErrSize for more edges out of it than can be counted,
// the context's, if the stream's context is done, or the device's. Writes of the functor
// remain.
func (x *Intersector) Run(o Options, f Functor) error {
	if err := x.ready(); err != nil {
		return err
	}
	if o.From != nil {
		if err := o.From.Check(x.p); err != nil {
			return fmt.Errorf("intersect: Options.From: %w", err)
		}
		if o.From.Form() == frontier.All {
			o.From = nil
		}
	}
	if err := x.p.State().Enter(); err != nil {
		return fmt.Errorf("intersect: %w", err)
	}
	defer x.p.State().Leave()
	if err := x.checkFunctor(f); err != nil {
		return err
	}
	if err := checkRows(x.p); err != nil {
		return err
	}
	how, err := asked()
	if err != nil {
		return err
	}
	return x.on.run(o, f, how)
}

// Prepare computes, once, the data that all runs over the placed graph share: whether its
// rows ascend, and on the host the rows in which it counts triangles of an undirected graph.
// Run does so automatically; call it to keep it out of a measured time. Errors are the same
// as for Run.
func (x *Intersector) Prepare() error {
	if err := x.ready(); err != nil {
		return err
	}
	if err := x.p.State().Enter(); err != nil {
		return fmt.Errorf("intersect: %w", err)
	}
	defer x.p.State().Leave()
	if err := checkRows(x.p); err != nil {
		return err
	}
	return x.on.prepare()
}

// Bytes returns the maximum device memory of Prepare for a graph of the given numbers of
// vertices and directed edges, in addition to the graph; with twice set it includes the
// memory of runs of Opposite with edges that count twice.
func Bytes(d device.Device, vertices int, edges uint64, twice bool) uint64 {
	if _, ok := d.(discrete.Device); ok {
		return orientedBytesOnGPU(vertices, edges, twice)
	}
	return orientedBytes(vertices, edges, twice)
}

// Totals returns how many edges the last Run visited, and how many common
// neighbors they had. On a GPU it waits for it. Before the first Run both are 0.
func (x *Intersector) Totals() (edges, common uint64, err error) {
	if err := x.ready(); err != nil {
		return 0, 0, err
	}
	return x.on.totals()
}

// ready returns why there can be no operator.
func (x *Intersector) ready() error {
	switch {
	case x == nil, x.p == nil && !x.closed:
		return fmt.Errorf("intersect: %w: no Intersector (nil); New makes one", device.ErrNotSupported)
	case x.closed:
		return fmt.Errorf("intersect: %w: the Intersector; make another", device.ErrClosed)
	}
	if err := x.p.Err(); err != nil {
		return fmt.Errorf("intersect: %w", err)
	}
	return x.on.err()
}

// checkRows returns an error for a graph whose rows don't ascend.
func checkRows(p *graph.Placed) error {
	rows, err := rowcheck.Of(context.Background(), p)
	if err != nil || rows.Ascend {
		return err
	}
	if err := p.Graph().Fetch(); err != nil {
		return fmt.Errorf("intersect: %w", err)
	}
	c := p.Graph().Out()
	for v := range uint32(c.NumVertices()) {
		if !slices.IsSorted(c.Neighbors(v)) {
			return fmt.Errorf("intersect: %w: row %d doesn't ascend; graph.Builder sorts rows, graph.FromCSR takes them as they are", graph.ErrMalformed, v)
		}
	}
	return nil
}
