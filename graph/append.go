// This file holds Append and RemoveEdges: a graph with more edges, or with fewer.

package graph

import (
	"context"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/internal/calls/callctx"
)

// AppendOptions say how Append and RemoveEdges work. The zero value keeps a graph simple.
type AppendOptions struct {
	// KeepDuplicates makes Append keep edges that the graph has already.
	KeepDuplicates bool
	// Combine sets the weight of an edge that both graphs have, if it is kept once. CombineMax and CombineSum merge
	// all parallel edges, including those that the graph has kept. With CombineFirst the graph's edge is unchanged,
	// whatever the edge ids.
	Combine Combine
	// Workers is the number of goroutines; 0 means GOMAXPROCS, less is an error.
	Workers int
}

// Append returns a graph with the edges and vertices of g and of another graph. Vertices with equal external ids
// are the same vertex. Vertices of g keep their numbers, and new ones follow in the order of their ids. So the
// order is OrderGiven, whatever it was before, even if ids no longer ascend. Reorder numbers vertices by degree
// again, or by ascending id. Append changes neither graph and shares nothing with them.
//
// An edge that both have is kept once, unless KeepDuplicates is set: with the smaller weight, or for equal weights
// the smaller edge id, or as Combine sets. more needs weights and edge ids if g has them, and loses others. Edge
// ids are unchanged. If they are row numbers, the ids of more begin at 0 again, like g's, and Append can't detect
// that: take ids from a column if they must be unique. If g has its reverse, the result has it too.
//
// If g has edge columns, more needs the same. An edge that both have then stays as it is in g, unless its weight in more
// is smaller; it has the columns of the edge whose weight it has, and with CombineSum those of g.
//
// Stats are the sums of both, and count edges in both graphs as Duplicates, as if one Builder had received all
// edges.
//
// The cost is a copy of the arrays, and a search in a row for each edge of more. The memory is a second copy of the
// graph, and for more a copy of its rows, 8 bytes for each of their entries and 24 for each vertex. If g wasn't
// built by this package and its rows don't ascend, rows to which more adds edges are sorted, which costs the copy
// twice.
//
// If g has kinds of vertices, more may have only some of them, with the same type of ids.
//
// Errors are ErrNoGraph, device.ErrClosed for a graph that was closed, ErrOptions if only one graph is directed or has edge ids,
// ErrIDType if id types differ, ErrIDRange for an integer id that g's type doesn't hold, ErrNoWeights, ErrNoColumn,
// ErrTooManyVertices, or the context's.
func (g *Graph) Append(ctx context.Context, more *Graph, o AppendOptions) (*Graph, error) {
	if err := callctx.Check(ctx, "graph"); err != nil {
		return nil, err
	}
	r, err := g.changed(ctx, more, o, true)
	if err != nil {
		return nil, fmt.Errorf("appending: %w", err)
	}
	return r, nil
}

// RemoveEdges returns the graph without the edges of another graph, whatever their weights, and without all parallel
// edges. All vertices keep their numbers; use InducedSubgraph to remove vertices. Stats are unchanged: they describe the
// input of g, and don't count removed edges. Edges and vertices that g doesn't have are ignored. Costs and errors
// are the same as for Append.
func (g *Graph) RemoveEdges(ctx context.Context, edges *Graph, o AppendOptions) (*Graph, error) {
	if err := callctx.Check(ctx, "graph"); err != nil {
		return nil, err
	}
	r, err := g.changed(ctx, edges, o, false)
	if err != nil {
		return nil, fmt.Errorf("removing edges: %w", err)
	}
	return r, nil
}

// change is one run of Append, or of RemoveEdges.
type change struct {
	*crew
	g, more  *Graph
	o        AppendOptions
	adds     bool
	otherIDs *IDs     // of more, as ids of g's kinds
	n        int      // vertices of the result
	place    []uint32 // of a vertex of more in the result; NoVertex: none
	from     []uint32 // of a vertex of the result in more; NoVertex: none
	stats    BuildStats
	unsorted bool // rows of g may not ascend
}

func (g *Graph) changed(ctx context.Context, more *Graph, o AppendOptions, adds bool) (*Graph, error) {
	if g == nil || more == nil {
		return nil, ErrNoGraph
	}
	if int(o.Combine) >= len(combineNames) {
		return nil, fmt.Errorf("%w: AppendOptions.Combine is %v; want CombineMin, CombineMax, CombineSum or CombineFirst", ErrOptions, o.Combine)
	}
	if o.Workers < 0 {
		return nil, fmt.Errorf("%w: AppendOptions.Workers is %d; want at least 1, or 0 for GOMAXPROCS", ErrOptions, o.Workers)
	}
	for _, x := range []*Graph{g, more} {
		if err := x.enter(); err != nil {
			return nil, err
		}
		defer x.leave() // whose error is for the one that closes the graph
		if err := x.Fetch(); err != nil {
			return nil, err
		}
	}
	combines := adds && !o.KeepDuplicates && (o.Combine == CombineMax || o.Combine == CombineSum) && g.out.Weights != nil
	if combines {
		o.KeepDuplicates = true // until all are there
	}
	c := &change{crew: newCrew(ctx, Options{Workers: o.Workers}), g: g, more: more, o: o, adds: adds}
	if err := c.check(); err != nil {
		return nil, err
	}
	p := CSROptions{Directed: g.directed, Order: OrderGiven, Stored: Stored{Checked: true}}
	var err error
	was, added := g, more
	if len(g.columns) > 0 {
		if g, err = was.numbered(ctx, 0); err != nil {
			return nil, err
		}
		if adds {
			if more, err = added.numbered(ctx, addedEntry); err != nil {
				return nil, err
			}
		}
		c.g, c.more = g, more
	}
	if p.IDs, err = c.ids(); err != nil {
		return nil, err
	}
	c.stats = g.stats
	if adds {
		c.stats.InputEdges += more.stats.InputEdges
		c.stats.SelfLoops += more.stats.SelfLoops
		c.stats.Duplicates += more.stats.Duplicates
	}
	p.WeightType = g.weights
	if g.weights != WeightsFloat32 && g.out.Weights != nil && adds {
		p.WeightType = appendedType(g, more)
	}
	moreOut := more.out
	if g.out.Weights == nil {
		moreOut = moreOut.unweighted() // its weights are lost
	}
	packing := newWeightPacking(p.WeightType, g.out, moreOut)
	out, dropped, err := c.rows(packing.pack(g.out), packing.pack(moreOut))
	if err != nil {
		return nil, err
	}
	packing.unpack(out)
	if g.directed && g.in != nil {
		in := more.in
		if in == nil {
			t, err := c.transpose(moreOut)
			if err != nil {
				return nil, err
			}
			in = &t
		} else if g.out.Weights == nil {
			in = in.unweighted()
		}
		if p.In, _, err = c.rows(packing.pack(g.in), packing.pack(in)); err != nil {
			return nil, err
		}
		packing.unpack(p.In)
	}
	if adds {
		c.stats.Duplicates += dropped
	}
	p.Stats = c.stats
	to, err := FromCSR(*out, p)
	if err != nil {
		return nil, err
	}
	if to.ascends = g.ascends; combines {
		more, err := to.combineRows(ctx, o.Combine, o.Workers)
		if err != nil {
			return nil, err
		}
		to.stats.Duplicates += more
	}
	if adds && !o.KeepDuplicates && g.out.Weights != nil || combines {
		to.stats.Combined = o.Combine
	}
	if len(was.columns) > 0 {
		if !adds || added.out.NumEdges() == 0 {
			added = nil
		}
		if err := was.moveColumns(ctx, to, added); err != nil {
			return nil, err
		}
	}
	return to, was.keepVertexColumns(ctx, to, func(v int) uint32 {
		if v < was.NumVertices() {
			return uint32(v)
		}
		return NoVertex
	}, c.more, func(v int) uint32 { return c.from[v] })
}

// unweighted returns the rows without their weights.
func (c *CSR) unweighted() *CSR {
	return &CSR{Offsets: c.Offsets, Targets: c.Targets, EdgeIDs: c.EdgeIDs}
}

// check reports graphs that don't go together.
func (c *change) check() error {
	g, more := c.g, c.more
	switch {
	case g.directed != more.directed:
		which := []string{"directed", "undirected"}
		if more.directed {
			slices.Reverse(which)
		}
		return fmt.Errorf("%w: the graph is %s, and the other one %s; build both alike", ErrOptions, which[0], which[1])
	case c.adds && g.out.Weights != nil && more.out.Weights == nil && more.out.NumEdges() > 0:
		return fmt.Errorf("%w: the graph has weights, and what is added has none", ErrNoWeights)
	case c.adds && g.out.EdgeIDs != nil && more.out.EdgeIDs == nil && more.out.NumEdges() > 0:
		return fmt.Errorf("%w: the graph has edge ids, and what is added has none", errNoEdgeIDs)
	case c.adds && more.out.NumEdges() > 0:
		return g.sameColumns(more)
	}
	return nil
}

// errIDs returns the error for graphs whose ids have different types.
func errIDs(a, b *IDs) error {
	what := func(m *IDs) string {
		s := m.Type.String()
		if m.Logical != "" {
			s = m.Logical
		}
		if m.Sides != nil {
			s += ", sources and targets apart"
		}
		return s
	}
	more := ""
	if a.Kinds() != nil && b.Kinds() != nil {
		more = "; each kind of the added or removed vertices must be a kind of the graph, with the same type of ids; to add other kinds, build a new graph from all edges"
	}
	return fmt.Errorf("%w: ids of the graph are %s, ids of the added or removed edges %s%s", ErrIDType, what(a), what(b), more)
}
