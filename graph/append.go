// This file holds Append and Without: a graph with more edges, or with fewer.

package graph

import (
	"context"
	"fmt"
	"slices"

	"github.com/foray-graph/foray/internal/callctx"
)

// AppendOptions say how Append and Without work. The zero value keeps a graph simple.
type AppendOptions struct {
	// KeepDuplicates makes Append keep edges that the graph has already.
	KeepDuplicates bool
	// Combine says what becomes of the weight of an edge that both have, if it stays once. CombineMax and
	// CombineSum make one edge of all parallel ones, also of those that the graph has kept. With CombineFirst
	// the edge stays as the graph has it, whatever the edge ids.
	Combine Combine
	// Workers is the number of goroutines; 0 means GOMAXPROCS, less is an error.
	Workers int
}

// Append returns the graph with the edges of another one too, and with the vertices that only that one
// has. Vertices are the same where their external ids are. Those of g keep their numbers, and new ones
// follow in the order of their ids, so the order is OrderGiven whatever it was, also where ids don't
// ascend any more. Reorder numbers by degree again, or as ids ascend. Neither graph changes, and nothing is
// shared with them.
//
// An edge that both have stays once, unless KeepDuplicates says otherwise: with the smaller weight, or of equal
// ones the smaller edge id, or as Combine says. more needs weights and edge ids where g has them, and loses others.
// Edge ids stay what they are in both. Where they are numbers of rows, those of more begin at 0 again, as g's
// do, and nothing here can tell: take them from a column where they have to be unique.
// The reverse of a directed graph is kept up where g has it.
//
// Stats are the sums of both, with edges that both have among the Duplicates, as if all edges had been given to one
// Builder.
//
// It costs a copy of the arrays, and a search in the row for each edge of more; the memory is that of the
// graph a second time, and of more its rows again, 8 bytes for each of their entries and 24 for each vertex. Rows
// of a graph that wasn't built here and don't ascend are sorted where more has edges, and cost the copy twice.
//
// Vertices of several kinds may be of fewer kinds in more; each is one of g's then, with the same type of ids.
//
// Errors are ErrNoGraph, device.ErrClosed for a graph that was closed, ErrOptions where one is directed
// and the other isn't, ErrIDType where ids differ in what they are, ErrIDRange for an integer id that
// g's type doesn't hold, ErrNoWeights, ErrNoEdgeIDs, ErrTooManyVertices, or the context's.
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

// Without returns the graph without the edges of another one, whatever weights they have there, and
// without others between the same vertices. All vertices stay, with their numbers; Induced leaves
// vertices out. Stats stay those of g: they say what it was built of, and don't count edges that were
// taken away. Edges that g doesn't have change nothing, and neither do vertices. Costs and errors are those
// of Append.
func (g *Graph) Without(ctx context.Context, edges *Graph, o AppendOptions) (*Graph, error) {
	if err := callctx.Check(ctx, "graph"); err != nil {
		return nil, err
	}
	r, err := g.changed(ctx, edges, o, false)
	if err != nil {
		return nil, fmt.Errorf("removing edges: %w", err)
	}
	return r, nil
}

// change is one run of Append, or of Without.
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
	p := Parts{Directed: g.directed, Order: OrderGiven, Stored: Stored{Checked: true}}
	var err error
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
	packing := newWeightPacking(p.WeightType, g.out, more.out)
	out, dropped, err := c.rows(packing.pack(g.out), packing.pack(more.out))
	if err != nil {
		return nil, err
	}
	packing.unpack(out)
	p.Out = *out
	if g.directed && g.in != nil {
		in := more.in
		if in == nil {
			t, err := c.transpose(more.out)
			if err != nil {
				return nil, err
			}
			in = &t
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
	to, err := New(p)
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
	return to, nil
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
		return fmt.Errorf("%w: the graph has edge ids, and what is added has none", ErrNoEdgeIDs)
	}
	return nil
}

// errIDs says that ids differ in what they are.
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
		more = "; each kind of what is added or left out has to be one of the graph's, with the same type of ids: build a graph with other kinds of all edges"
	}
	return fmt.Errorf("%w: ids of the graph are %s, those of what is added or left out %s%s", ErrIDType, what(a), what(b), more)
}
