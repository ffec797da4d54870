// This file holds Contract of a graph on a device.

package graph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/text"
)

// Contract is Graph.Contract for a placed graph, and returns the same graph. labels is in the memory of the device, as an
// array of a traversal is, or of the host (device.Wrap); what writes it must have ended. On a GPU the GPU gives edges
// their labels, sorts and merges them, and keeps the rows of the result as with Options.Device; Options.Device itself is
// ignored. Edge columns come to the result on the host.
//
// The host contracts instead, unless Options.DeviceOnly is set, if the graph is small or on several GPUs, if the GPU has too
// little free memory (some 24 bytes for each edge of the result before edges are merged, 36 with EdgeIDs and Weights), or if
// weights need 64 bits.
//
// Errors are the same as for Graph.Contract, the device's, and device.ErrClosed for a placed graph that was closed.
func (p *Placed) Contract(ctx context.Context, labels *device.Buffer[uint32], o Options) (*Graph, error) {
	if err := callctx.Check(ctx, "graph"); err != nil {
		return nil, err
	}
	release, err := p.Hold()
	if err != nil {
		return nil, fmt.Errorf("contracting: %w", err)
	}
	defer release()
	o.Device = p.dev
	to, err := p.contracted(ctx, labels, o)
	if err != nil {
		return nil, fmt.Errorf("contracting: %w", err)
	}
	return to, nil
}

func (p *Placed) contracted(ctx context.Context, from *device.Buffer[uint32], o Options) (*Graph, error) {
	if n := p.NumVertices(); n > 0 && (from == nil || from.Closed()) {
		return nil, fmt.Errorf("%w: the labels are nil, or were closed with the traversal that they belong to", ErrMalformed)
	} else if from.Len() != n {
		return nil, fmt.Errorf("%w: %d labels for %d vertices", ErrMalformed, from.Len(), n)
	}
	labels := from.Host()
	if labels == nil {
		labels = make([]uint32, from.Len())
		if err := errors.Join(p.at.sync(), from.Read(p.dev, 0, labels)); err != nil {
			return nil, err
		}
	}
	if to, err := p.at.contract(ctx, labels, o); !errors.Is(err, errNotThere) {
		return to, err
	}
	if !o.onDevice() {
		o.Device = nil
	}
	if err := p.g.Fetch(); err != nil {
		return nil, err
	}
	return p.g.contracted(ctx, labels, o)
}

func (onHost) contract(context.Context, []uint32, Options) (*Graph, error) { return nil, errNotThere }

func (d *onDevice) contract(ctx context.Context, labels []uint32, o Options) (*Graph, error) {
	p, dev := d.p, d.dev
	g := p.g
	newRelabeler, err := placed.Relabeler.Get()
	if entries := g.out.NumEdges(); err != nil || entries == 0 || !o.DeviceOnly && entries < tuning.DeviceEdges {
		return nil, errNotThere // which reports the first
	}
	c, err := g.contraction(labels, o)
	if err != nil {
		return nil, err
	}
	weightType, ok := c.weightType()
	if !ok {
		return nil, errNotThere
	}
	e := placed.Relabeling{Offsets: p.R.Offsets, Targets: p.R.Targets, Wide: p.R.Wide, Vertices: g.NumVertices(), Entries: g.out.NumEdges(), Directed: g.directed}
	if e.Labels, err = c.numbers(ctx); err != nil {
		return nil, err
	}
	k := c.o.added()
	if c.table != nil {
		k.Device, k.DeviceOnly = dev, o.DeviceOnly
	}
	e.Plan = placed.Plan{Weights: k.Weights, EdgeIDs: k.EdgeIDs, WideIDs: k.EdgeIDs && (e.Entries >= 1<<32 || c.givenIDs())}
	if k.Weights && g.weighted() {
		w, err := p.weights(false)
		if err != nil {
			return nil, c.orHost(err)
		}
		e.Weights = w.Pointer()
	}
	if c.givenIDs() {
		ids, err := p.edgeIDs(false)
		if err != nil {
			return nil, c.orHost(err)
		}
		e.EdgeIDs = ids.Pointer()
	}
	if err := p.at.sync(); err != nil {
		return nil, err
	}
	r, err := newRelabeler(ctx, dev, e)
	if err != nil {
		return nil, c.orHost(err)
	}
	b, err := c.build(ctx, k, r, e.Plan.WideIDs, weightType)
	if err = errors.Join(err, r.Close()); err != nil {
		if b != nil {
			err = errors.Join(err, b.there.pairs.Close())
		}
		return nil, c.orHost(err)
	}
	to, err := b.graph()
	if err != nil && !b.there.taken {
		err = errors.Join(err, b.there.pairs.Close())
	}
	if err != nil {
		return nil, c.orHost(err)
	}
	switch {
	case c.table != nil:
		if to, err = c.withColumns(ctx, to); err != nil {
			return nil, err
		}
	case b.combine != CombineMin:
		to.combinedThere(c.o)
	}
	c.identify(to)
	return to, nil
}

// withColumns gives a graph, whose rows a device has sorted, the columns.
func (c *contraction) withColumns(ctx context.Context, to *Graph) (*Graph, error) {
	err := to.Fetch()
	if err = errors.Join(err, to.built.free()); err != nil {
		return nil, err
	}
	to.built, to.away = nil, nil // the rows there differ from now on
	to.stats.Device, to.stats.WhyHost = "", hostColumns
	return to.withColumns(ctx, c.o, c.table)
}

// orHost returns errNotThere in the place of an error after which the host can continue.
func (c *contraction) orHost(err error) error {
	if errors.Is(err, device.ErrMemory) && !c.o.DeviceOnly {
		return errNotThere
	}
	return err
}

// build returns the build of the edges that the device makes.
func (c *contraction) build(ctx context.Context, o Options, r placed.Relabeled, wideIDs bool, t WeightType) (*build, error) {
	count, err := r.Count()
	if err != nil {
		return nil, err
	}
	if count == 0 {
		return nil, errNotThere
	}
	in := newIntake(o)
	if err := in.note(intakeBatch{typ: Int64, edges: int(count), hi: o.Vertices - 1, lo: 0, wideIDs: wideIDs}); err != nil {
		return nil, err
	}
	b := &build{crew: newCrew(ctx, o), o: o, maxVertices: in.maxVertices, pool: &chunkPool{}, ids: idSource{typ: Int64, least: in.lo}, last: in.hi,
		items: in.edges, there: &pairsThere{pairs: placed.Pairs{Count: count}, rows: (*build).onPairs}, seed: rand.Uint64(), window: windowEdges, weightType: t, wideIDs: wideIDs,
		load: load{o: o, edges: in.edges, items: in.edges, vertices: o.Vertices, made: true}, refuse: in.refuse}
	if c.o.combines() && c.table == nil {
		b.combine = c.o.Combine
	}
	b.stats.InputEdges = count
	b.ids.dense = true
	b.ids.n, b.ids.space = int(o.Vertices), int(o.Vertices)
	if free := o.Device.Info().MemoryFree; free > 0 {
		if need := b.plan().Bytes(); need > free {
			return nil, fmt.Errorf("%w: contracting on %s takes about %s, of which %s are free there; without Options.DeviceOnly the host contracts", errMemory, o.Device.Info().Name, text.Bytes(need), text.Bytes(free))
		}
	}
	b.there.pairs, err = r.Make(count)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// pairsThere is pairs that only a device has, and what makes rows of them.
type pairsThere struct {
	pairs placed.Pairs
	taken bool // rows are made of them, which frees them
	rows  func(*build) (placed.Builder, discrete.Device, error)
}

// onPairs is onDevice for pairs that the device has.
func (b *build) onPairs() (placed.Builder, discrete.Device, error) {
	dev := b.o.Device.(discrete.Device)
	b.there.taken = true
	newRows, err := placed.RowBuilder.Get()
	if err != nil {
		return nil, nil, errors.Join(err, b.there.pairs.Close())
	}
	plan := b.plan()
	plan.Early = []placed.Pairs{b.there.pairs}
	on, err := newRows(b.ctx, dev, plan)
	if err != nil {
		err = errors.Join(err, b.there.pairs.Close())
	} else if err = b.settle(on); err == nil {
		return on, dev, nil
	} else {
		err = errors.Join(err, on.Close())
	}
	folded, memory := !errors.Is(err, placed.ErrNotFolded), errors.Is(err, device.ErrMemory)
	switch {
	case b.o.DeviceOnly && !folded:
		return nil, nil, errNotFolded
	case b.o.DeviceOnly && errors.Is(err, placed.ErrRowTooLong):
		return nil, nil, errRowTooLong
	case !b.o.DeviceOnly && (!folded || memory || errors.Is(err, placed.ErrRowTooLong)):
		return nil, nil, errNotThere
	}
	return nil, nil, buildingOn(dev, err)
}

// givenIDs reports whether edges keep ids that the graph has, and not the numbers of their entries.
func (c *contraction) givenIDs() bool { return c.o.EdgeIDs && c.table == nil && c.g.identified() }

// weightType returns the type of the weights, and whether float32 holds those that there are.
func (c *contraction) weightType() (WeightType, bool) {
	g, o := c.g, c.o
	if !o.Weights {
		return WeightsFloat64, true
	}
	has := WeightsInt64
	if g.weighted() {
		has = g.weights
	}
	switch want := o.WeightType; {
	case want == WeightsAuto || want == has:
		want = has
		fallthrough
	case want == WeightsFloat32, want == WeightsFloat64 && has == WeightsInt64:
		return want, want == WeightsFloat32 && has == WeightsFloat32 || g.out.IntWeights == nil && g.out.FloatWeights == nil
	}
	return 0, false // floats become integers
}
