// This file holds rows that a device built, until the host has them too.

package graph

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

// away is a graph's targets, weights and edge ids on a device, which its arrays on the host lack until they
// are fetched. The offsets of rows are on the host from the start.
type away struct {
	weights bool        // there are some
	edgeIDs bool        // likewise
	here    atomic.Bool // the host has all
	mu      sync.Mutex
	dev     discrete.Device
	shards  *placed.Shards // instead of dev, if rows are in shards
	name    string         // of dev, or of several devices
	rows    []awayRows     // none: the memory there isn't the graph's any more
	err     error          // then
}

// awayRows has the locations of a CSR's arrays.
type awayRows struct {
	to                        *CSR
	in                        bool // it is the reverse
	targets, weights, edgeIDs device.Memory
}

// newAway returns those of rows that are in parts; in is nil, or out, where there are no others.
func newAway(dev discrete.Device, parts placed.Parts, out, in *CSR) *away {
	a := &away{dev: dev, name: dev.Info().Name, weights: parts.Weights != nil, edgeIDs: parts.EdgeIDs != nil,
		rows: []awayRows{{out, false, parts.Targets, parts.Weights, parts.EdgeIDs}}}
	if in != nil && in != out {
		a.rows = append(a.rows, awayRows{in, true, parts.InTargets, parts.InWeights, parts.InEdgeIDs})
	}
	return a
}

// Fetch copies the rows of a graph that was built on a device (Options.Device) to the host, unless they are
// there already. Out, In and other functions that need rows on the host do it on the first call; Out and In
// panic if Fetch returns an error. The error is the device's, device.ErrClosed for a graph that was closed, or
// ErrNoGraph for nil. Any other graph has its rows on the host.
func (g *Graph) Fetch() error {
	if g == nil {
		return ErrNoGraph
	}
	if g.away == nil {
		return nil
	}
	return g.away.fetch()
}

func (i *inner) Fetched() bool { g := (*Graph)(i); return g.away == nil || g.away.here.Load() }

// mustFetch is Fetch for methods without an error result: it panics.
func (g *Graph) mustFetch() {
	if err := g.away.fetch(); err != nil {
		panic(err)
	}
}

// weighted reports whether edges have weights.
func (g *Graph) weighted() bool {
	if g.away != nil { // a concurrent call may be fetching the arrays
		return g.away.weights
	}
	return g.out.Weights != nil
}

// identified reports whether edges have ids.
func (g *Graph) identified() bool {
	if g.away != nil {
		return g.away.edgeIDs
	}
	return g.out.EdgeIDs != nil
}

func (a *away) fetch() error {
	if a.here.Load() {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.here.Load():
		return nil
	case a.rows == nil:
		return a.err
	}
	if err := CheckMemory(a.bytes(), 0); err != nil {
		return fmt.Errorf("graph: fetching the rows: %w", err)
	}
	placed.Fetches.Add(1)
	copies := make([]CSR, len(a.rows))
	for i, r := range a.rows {
		var c CSR
		var err error
		if a.shards != nil {
			c, err = r.copyShards(a.shards)
		} else {
			c, err = r.copy(a.dev)
		}
		if err != nil {
			return fmt.Errorf("graph: fetching the rows from %s: %w", a.name, err)
		}
		copies[i] = c
	}
	for i, r := range a.rows {
		r.to.Targets, r.to.Weights, r.to.EdgeIDs = copies[i].Targets, copies[i].Weights, copies[i].EdgeIDs
	}
	a.rows = nil
	a.here.Store(true)
	return nil
}

// bytes returns the memory of the host's copy.
func (a *away) bytes() (bytes uint64) {
	for _, r := range a.rows {
		bytes += 4 * r.to.NumEdges()
		if r.weights != nil {
			bytes += 4 * r.to.NumEdges()
		}
		if r.edgeIDs != nil {
			bytes += 8 * r.to.NumEdges()
		}
	}
	return bytes
}

// reading returns where the entries of rows are, if only there, and keeps them there until end is called.
func (a *away) reading(of *CSR) (from awayRows, end func(), err error) {
	if a == nil || a.here.Load() {
		return from, func() {}, nil
	}
	a.mu.Lock()
	switch {
	case a.rows != nil:
		for _, r := range a.rows {
			if r.to == of {
				from = r
			}
		}
	case !a.here.Load():
		a.mu.Unlock()
		return from, nil, a.err
	}
	return from, a.mu.Unlock, nil
}

// reader returns what reads an array of rows from a byte on, which reading found there alone; nil where it didn't.
func (a *away) reader(r awayRows, m device.Memory) func(b []byte, at uint64) error {
	switch {
	case r.to != nil && a.shards != nil:
		return func(b []byte, at uint64) error { return r.readShards(a.shards, at/4, words[uint32](b)) }
	case m == nil:
		return nil
	}
	return func(b []byte, at uint64) error { return a.dev.Download(b, m, at) }
}

// lose records that the memory on the device is freed; later fetches return err.
func (a *away) lose(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.rows != nil {
		a.rows, a.err = nil, err
	}
}

// copy returns the targets, weights and edge ids.
func (r *awayRows) copy(dev discrete.Device) (CSR, error) {
	entries := r.to.NumEdges()
	c := CSR{Targets: pages.Uncleared[uint32](int(entries))}
	err := populated(c.Targets, func() error { return discrete.Read(dev, c.Targets, r.targets) })
	if r.weights != nil && err == nil {
		c.Weights = pages.Uncleared[float32](int(entries))
		err = populated(c.Weights, func() error { return discrete.Read(dev, c.Weights, r.weights) })
	}
	if r.edgeIDs != nil && err == nil {
		c.EdgeIDs = pages.Uncleared[uint64](int(entries))
		hugepage.Expect(c.EdgeIDs)
		err = discrete.Read(dev, c.EdgeIDs, r.edgeIDs)
	}
	return c, err
}

// populated runs fill, which writes all of s, while half of the processors put the pages of s there.
func populated[T uint32 | float32](s []T, fill func() error) error {
	hugepage.Expect(s)
	parts := slices.Collect(slices.Chunk(s, readyPart))
	var next atomic.Int64
	var wait panics.Group
	for range min(len(parts), max(1, runtime.GOMAXPROCS(0)/2)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(parts); i = int(next.Add(1)) - 1 {
				pages.Populate(parts[i])
			}
		})
	}
	err := panics.Call(fill)
	next.Store(int64(len(parts)))
	return errors.Join(err, wait.Err())
}

// keepRows fetches rows before their memory on a device is freed. It does nothing for the last placed graph of a
// closed graph without holds.
func (g *Graph) keepRows() error {
	g.hold.mu.Lock()
	last := g.hold.closed && g.hold.placed == 1 && g.hold.held == 0
	if last {
		g.hold.gone.Store(true)
	}
	g.hold.mu.Unlock()
	if last {
		g.away.lose(errGraphClosed())
		return nil
	}
	err := g.away.fetch()
	if err != nil {
		g.away.lose(errors.Join(device.ErrClosed, err))
	}
	return err
}
