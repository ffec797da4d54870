// This file holds Reorder, which renumbers the vertices of a graph that has been
// built.

package graph

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

// ReorderOptions configure Reorder.
type ReorderOptions struct {
	// Order is the new order. OrderAuto, the zero value, means OrderDegree if
	// degrees are skewed, else the current order. OrderGiven is by ascending id,
	// also for a graph that Append left with ids that don't ascend.
	Order Order
	// Workers is the number of goroutines; 0 means GOMAXPROCS.
	Workers int
}

// Reorder returns the graph with its vertices in another order; external ids stay with their
// vertices. It needs memory for a second copy of the graph, and 12 bytes a vertex during the call.
// If the order doesn't change it returns g itself.
//
// A graph that a Builder made already has a good order. Reorder is for a graph from FromCSR, or
// with new vertices from Append. g is unchanged, and the caller still closes it. Don't mix frontiers, placed graphs and vertices of the two graphs: look ids up in the
// returned graph (its IDs, Vertex), and use it to write results of its searches. Errors are
// ErrOptions, device.ErrClosed for a closed graph, and the context's.
func (g *Graph) Reorder(ctx context.Context, o ReorderOptions) (*Graph, error) {
	if err := callctx.Check(ctx, "graph"); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	order := o.Order
	if g == nil {
		return nil, fmt.Errorf("reordering: %w", ErrNoGraph)
	}
	switch {
	case order > OrderGiven:
		return nil, fmt.Errorf("%w: unknown order %v", ErrOptions, order)
	case o.Workers < 0:
		return nil, fmt.Errorf("%w: ReorderOptions.Workers is %d; want at least 1, or 0 for GOMAXPROCS", ErrOptions, o.Workers)
	}
	if err := g.enter(); err != nil {
		return nil, err
	}
	defer g.leave() // whose error is for the one that closes the graph
	c := newCrew(ctx, Options{Workers: o.Workers})
	if order == g.order && (order != OrderGiven || identity(g.ids.ByID())) { // ids of a graph that grew may not ascend
		return g, nil
	}
	if err := g.Fetch(); err != nil {
		return nil, fmt.Errorf("reordering: %w", err)
	}
	n, byID := g.NumVertices(), g.ids.ByID()
	var place []uint32 // by vertex of g: that of the new graph
	if order == OrderGiven {
		var err error
		if place, err = c.inverse(byID, n); err != nil {
			return nil, err
		}
	} else {
		d, err := g.degrees(c)
		if err != nil {
			return nil, err
		}
		if order == OrderAuto {
			skew, err := d.skewed(c)
			if err != nil || !skew {
				return g, err
			}
		}
		order, place = OrderDegree, make([]uint32, n)
		parts, err := (&idSource{listed: byID, dense: byID == nil, space: n}).cut(c)
		if err == nil {
			err = d.rank(parts, place)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	from, err := c.inverse(place, n)
	if err != nil {
		return nil, err
	}
	was := g
	if len(g.columns) > 0 {
		var err error
		if g, err = was.numbered(ctx, 0); err != nil {
			return nil, err
		}
	}
	re := &Graph{directed: g.directed, order: order, stats: g.stats, weights: g.weights}
	re.stats.Device, re.stats.WhyHost = "", "" // the host makes these
	if re.ids, err = c.movedIDs(g.ids, byID, place, from); err != nil {
		return nil, err
	}
	packing := newWeightPacking(g.weights, g.out)
	if re.out, err = c.moveRows(packing.pack(g.out), place, from); err != nil {
		return nil, err
	}
	switch g.in {
	case nil:
	case g.out:
		re.in = re.out
	default:
		if re.in, err = c.moveRows(packing.pack(g.in), place, from); err != nil {
			return nil, err
		}
	}
	packing.unpackGraph(re)
	if len(was.columns) > 0 {
		if err := was.moveColumns(ctx, re, nil); err != nil {
			return nil, err
		}
	}
	return re, was.keepVertexColumns(ctx, re, func(v int) uint32 { return from[v] }, nil, nil)
}

// at is a[i], or i where a is nil, which stands for the identity.
func at(a []uint32, i int) uint32 {
	if a == nil {
		return uint32(i)
	}
	return a[i]
}

// degrees counts degrees as building does.
func (g *Graph) degrees(c *crew) (degrees, error) {
	n := g.NumVertices()
	d := degrees{out: make([]uint32, n)}
	if g.directed {
		d.in = make([]uint32, n)
	}
	parts := c.parts(n)
	err := c.each("", parts, func(_, i int) error {
		first, end := span(n, parts, i)
		for v := uint32(first); v < uint32(end); v++ {
			d.out[v] = uint32(g.out.Degree(v))
			switch {
			case !g.directed:
			case g.in != nil:
				d.in[v] = uint32(g.in.Degree(v))
			default:
				for _, t := range g.out.Neighbors(v) {
					atomic.AddUint32(&d.in[t], 1)
				}
			}
		}
		return nil
	})
	return d, err
}

// moveRows returns the rows with vertex v of c numbered place[v]; from is the
// inverse of place.
func (c *crew) moveRows(rows *CSR, place, from []uint32) (*CSR, error) {
	n := len(from)
	offsets := make([]uint64, n+1)
	for v, old := range from {
		if c.stopped(v) {
			return nil, c.ctx.Err()
		}
		offsets[v+1] = offsets[v] + rows.Degree(old)
	}
	to := &CSR{Offsets: offsets, Targets: pages.Uncleared[uint32](int(offsets[n]))}
	hugepage.Expect(to.Targets)
	if rows.Weights != nil {
		to.Weights = pages.Uncleared[float32](int(offsets[n]))
		hugepage.Expect(to.Weights)
	}
	if rows.EdgeIDs != nil {
		to.EdgeIDs = pages.Uncleared[uint64](int(offsets[n]))
		hugepage.Expect(to.EdgeIDs)
	}
	starts := balance(to, to.Offsets[1:], c.parts(n))
	sorters := make([]rowSorter, c.workers)
	return to, c.each("", len(starts)-1, func(w, i int) error {
		looked := to.Offsets[starts[i]]
		for v := starts[i]; v < starts[i+1]; v++ {
			lo, hi := to.Offsets[v], to.Offsets[v+1]
			if v%pollItems == 0 || lo-looked >= pollEntries {
				if looked = lo; c.ctx.Err() != nil {
					return c.ctx.Err()
				}
			}
			row, old := to.row(lo, hi), rows.row(rows.Offsets[from[v]], rows.Offsets[from[v]+1])
			for j, t := range old.targets {
				row.targets[j] = place[t]
			}
			copy(row.weights, old.weights)
			copy(row.ids, old.ids)
			if hi-lo > 1 {
				sorters[w].sort(row)
			}
		}
		return nil
	})
}

// Renumbered returns g with vertex v numbered place[v], a permutation: external
// ids move with their vertices, and out and in are the rows that g.Reorder would
// make, worked out elsewhere. from is the inverse of place, or nil for Renumbered
// to work it out. All of it is taken on trust, and the graph takes it over: the
// caller no longer writes to any of the arrays. order is what it comes to; in is
// nil for an undirected graph and where there is no reverse.
func (g *Graph) Renumbered(order Order, place, from []uint32, out CSR, in *CSR, stored Stored) (*Graph, error) {
	n := g.NumVertices()
	if len(place) != n || from != nil && len(from) != n || out.NumVertices() != n {
		return nil, fmt.Errorf("%w: %d places (back: %d) and %d rows for %d vertices", ErrMalformed, len(place), len(from), out.NumVertices(), n)
	}
	if err := g.enter(); err != nil {
		return nil, err
	}
	defer g.leave() // whose error is for the one that closes the graph
	if len(g.columns) > 0 {
		return nil, fmt.Errorf("%w: edge columns can't be brought into the order of rows that were made elsewhere; use Graph.Reorder", ErrOptions)
	}
	c := newCrew(context.Background(), Options{})
	if from == nil {
		var err error
		if from, err = c.inverse(place, n); err != nil {
			return nil, err
		}
	}
	ids, err := c.movedIDs(g.ids, g.ids.ByID(), place, from)
	if err != nil {
		return nil, err
	}
	stored.Checked = true
	return FromCSR(out, CSROptions{In: in, Directed: g.directed, Order: order, Stats: g.stats, Stored: stored, IDs: ids, WeightType: g.weights})
}
