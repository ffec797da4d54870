// This file holds Build, which makes a graph of the added edges.

package graph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

var (
	errBuilt = fmt.Errorf("graph: %w: the Builder was built or closed already; make a new one", device.ErrClosed)
	errBusy  = errors.New("graph: Build was called while edges were being added")
)

// Build makes the graph. The Builder can't be used afterwards (device.ErrClosed); calls of Add must
// have returned. A canceled context ends it soon, with the context's error.
//
// Other errors are ErrEmpty if neither an edge nor a vertex was added, device.ErrMemory,
// ErrTooManyVertices, ErrOptions, and ErrMalformed for a row of 2^32 edges or
// more.
func (b *Builder) Build(ctx context.Context) (*Graph, error) {
	if err := callctx.Check(ctx, "graph"); err != nil {
		return nil, err
	}
	if m := b.asked.making(); m != nil {
		return buildMade(ctx, b.asked, m)
	}
	r, err := b.finish(ctx)
	if err != nil {
		return nil, err
	}
	g, err := r.graph()
	if err == nil && b.columns != nil {
		columns := b.columns
		b.columns = nil
		if b.asked.onDevice() && r.stats.InputEdges >= tuning.DeviceEdges {
			g.stats.WhyHost = hostColumns
		}
		return g.withColumns(ctx, b.asked, columns)
	}
	if err != nil || !b.asked.combines() {
		return g, err
	}
	if g.stats.Device != "" {
		return g.combinedThere(b.asked), nil
	}
	return g.combined(ctx, b.asked)
}

// finish closes the Builder and passes its edges to a build.
func (b *Builder) finish(ctx context.Context) (*build, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.err != nil:
		return nil, b.err
	case b.busy > 0:
		return nil, errBusy
	}
	b.err = errBuilt
	if b.items() == 0 && b.o.Vertices > 0 { // nothing that was added had it checked
		if err := b.checkMemory(); err != nil {
			return nil, err
		}
	}
	if err := b.orVertices(); err != nil {
		return nil, err
	}
	r := &build{
		crew:        newCrew(ctx, b.o),
		o:           b.o,
		maxVertices: b.maxVertices,
		pool:        &chunkPool{free: b.pool.free, made: b.pool.made, blocks: b.pool.blocks, weights: b.pool.weights, edgeIDs: b.pool.edgeIDs},
		ids:         idSource{typ: b.typ, logical: b.logical, least: b.lo, table: b.table, separate: b.o.Bipartite},
		last:        b.hi,
		items:       b.items(),
		direct:      b.directly(b.hi - b.lo + 1),
		raw:         b.raw,
		early:       b.early,
		load:        b.load(),
		refuse:      b.refuse,
		wideIDs:     b.wideIDs,
		weightType:  b.weightType(),
		inexact:     b.inexact,
		base:        uint32(b.lo),
		seed:        rand.Uint64(),
		window:      windowEdges,
	}
	if b.asked.combines() {
		r.combine = b.asked.Combine
	}
	r.pace = b.pace // that knows what there was before the edges

	r.frugal = frugal(r.load.pairs(uint64(r.workers)))
	r.stats.InputEdges = b.edges
	var low []chunkList
	for _, l := range b.lanes {
		if l.low.head != nil {
			low = append(low, l.low)
		}
		if l.wide.head != nil {
			r.lists = append(r.lists, l.wide)
		}
		if l.raw.head != nil {
			r.lists = append(r.lists, l.raw)
		}
		if l.rawVertices.head != nil {
			r.rawVertices = append(r.rawVertices, l.rawVertices)
		}
		if l.lowVertices.head != nil {
			r.lowVertices = append(r.lowVertices, l.lowVertices)
		}
	}
	// Nothing of the edges stays with the Builder, which the caller may keep.
	b.lanes, b.idle, b.table, b.pool.free, b.pool.blocks, b.early = nil, nil, nil, nil, nil, nil
	b.cleanup.Stop() // the build gives back what early has
	r.low = low
	return r, nil
}

// graph makes the graph.
func (b *build) graph() (g *Graph, err error) {
	defer func() {
		if e := b.early.drop(); e != nil {
			err = errors.Join(err, e)
		}
	}()
	if b.early != nil { // numbering changes pairs
		b.early.stop()
	}
	packing, err := b.packWeights(b.weightType)
	if err != nil {
		return nil, err
	}
	if err := b.numberIDs(); err != nil {
		return nil, err
	}
	if err := b.settleEarly(); err != nil {
		return nil, err
	}
	if err := b.seeVertices(); err != nil {
		return nil, err
	}
	entries := b.plan().Pairs
	if !b.o.Directed || b.o.Reverse {
		entries *= 2
	}
	if first := firstOf(b.o.sharded(), entries); first != nil {
		b.o.Device = first
	}
	on, dev, err := b.onDevice()
	var shards placed.ShardBuilder
	var devs placed.Sharded
	if on == nil && err == nil {
		shards, devs, err = b.sharded()
	}
	switch {
	case err != nil:
	case shards != nil:
		b.stats.Device = devs.Info().Name
		defer func() { g, err = g.unless(errors.Join(err, shards.Close())) }()
	case on == nil && (b.made != nil || b.there != nil):
		err = errNotThere
	case on == nil:
		if b.raw {
			err = b.mapRaw()
		}
		if err == nil {
			err = b.normalizePairs()
		}
	default:
		b.stats.Device = dev.Info().Name
		defer func() { g, err = g.unless(errors.Join(err, on.Close())) }()
	}
	if err != nil {
		return nil, err
	}
	if b.ids.direct {
		b.ids.n = b.ids.seen.count()
	}
	if uint64(b.ids.n) > b.maxVertices {
		return nil, tooManyVertices(uint64(b.ids.n), b.maxVertices)
	}
	// The number of vertices was an estimate until now.
	b.load.vertices = uint64(b.ids.n)
	if err := b.refuse(b.load, b.load.memory().Peak); err != nil {
		return nil, err
	}
	b.step("number vertices", 0)
	final, order, err := b.number(&b.ids, b.deg, b.o.Order)
	if err != nil {
		return nil, err
	}
	g = &Graph{directed: b.o.Directed, order: order, stats: b.stats, ascends: true, simple: b.o.simple(), weights: b.weightType}
	n, ids := b.ids.n, b.ids
	b.ids = idSource{}
	if shards != nil || on != nil { // who move rows while the host puts ids in order
		var wait sync.WaitGroup
		var idsErr error
		wait.Go(func() {
			idsErr = panics.Call(func() (err error) {
				g.ids, err = ids.ids(b.crew, final, order == OrderGiven)
				return err
			})
		})
		if shards != nil {
			err = b.shardRows(shards, devs, g, n, final)
		} else if g.out, g.in, g.built, err = b.placeRows(on, dev, n, final); err == nil {
			g.away = newAway(dev, g.built.parts, g.out, g.in)
		}
		wait.Wait()
		if err == nil {
			runtime.AddCleanup(g, func(b *built) { _ = b.free() }, g.built) // in case the caller never closes it
			if err = idsErr; err != nil {
				err = errors.Join(err, g.built.free())
			}
		}
	} else if g.ids, err = ids.ids(b.crew, final, order == OrderGiven); err == nil {
		g.out, g.in, err = b.rows(n, final)
	}
	if err != nil {
		return nil, err
	}
	packing.unpackGraph(g)
	return g, nil
}

// unless returns the graph, or an error and no graph, whose rows on a device are freed.
func (g *Graph) unless(err error) (*Graph, error) {
	if err == nil || g == nil {
		return g, err
	}
	return nil, errors.Join(err, g.built.free())
}

// numberIDs gives the ids of the low pairs provisional numbers, and sorts those
// of the table.
func (b *build) numberIDs() error {
	span := b.last - b.ids.least + 1
	switch {
	case b.o.DenseIDs:
		b.ids.dense = true
		b.ids.n, b.ids.space = int(span), int(span)
		b.lists = b.low
		return nil
	case b.raw:
		return b.rawKeys()
	case b.ids.table == nil && b.direct:
		b.ids.direct = true
		b.ids.space = int(span)
		b.ids.seen = newBitset(span)
		b.lists = b.low
		return nil
	case b.ids.table == nil && span/rankedSpan <= b.items:
		b.lists = b.low
		return b.rank(span)
	case b.ids.table == nil:
		b.ids.table = newIDTable(b.maxVertices, b.o.Bipartite)
	}
	if err := b.mapLow(); err != nil {
		return err
	}
	b.lists = append(b.lists, b.low...)
	b.low = nil
	b.base = 0
	return b.sortTable()
}

// sortTable sorts the ids of the table, which has all of them.
func (b *build) sortTable() error {
	b.ids.table.freeze()
	err := b.ids.sortTable(b.crew)
	b.ids.table.forget()
	return err
}

// rank replaces the ids of all pairs by their ranks.
func (b *build) rank(span uint64) error {
	b.ids.seen, b.ids.ranked = newBitset(span), true
	// The ids of vertices are found, and need no numbers.
	chunks := append(b.chunks(), chunksOf(b.lowVertices)...)
	seen, base := b.ids.seen, b.base
	err := b.each("find ids", groups(len(chunks)), func(_, i int) error {
		for _, c := range group(chunks, i) {
			for _, p := range c.pair[:c.n] {
				seen.set(uint64(uint32(p>>32) - base))
				seen.set(uint64(uint32(p) - base))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	ranks := seen.ranks()
	chunks = b.chunks()
	b.ids.n = seen.count()
	b.ids.space = b.ids.n
	b.base = 0
	return b.each("number ids", groups(len(chunks)), func(_, i int) error {
		for _, c := range group(chunks, i) {
			for j, p := range c.pair[:c.n] {
				c.pair[j] = pairOf(seen.rank(ranks, uint32(p>>32)-base), seen.rank(ranks, uint32(p)-base))
			}
		}
		return nil
	})
}

// mapLow sends pairs of low 32 bits through the table.
func (b *build) mapLow() error {
	chunks := append(chunksOf(b.low), chunksOf(b.lowVertices)...)
	batches := make([]idBatch, b.workers)
	return b.each("number ids", len(chunks), func(w, i int) error {
		c, batch := chunks[i], &batches[w]
		if c.n == 0 {
			return nil
		}
		batch.reset(2 * c.n)
		for j, p := range c.pair[:c.n] {
			batch.keys[j] = b.ids.least + uint64(uint32(p>>32)-b.base)
			batch.keys[c.n+j] = b.ids.least + uint64(uint32(p)-b.base)
		}
		if err := b.ids.table.mapInts(batch, c.n, true); err != nil {
			return err
		}
		for j := range c.n {
			c.pair[j] = pairOf(batch.out[j], batch.out[c.n+j])
		}
		return nil
	})
}
