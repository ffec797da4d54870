// This file holds InducedSubgraph: the subgraph of some vertices.

package graph

import (
	"context"
	"fmt"
)

// InducedSubgraph returns the graph of some vertices, which must ascend, and of all edges between them.
// Its vertex i is vs[i]. External ids, weights and edge ids stay with vertices and edges, and the
// reverse is kept. During the call it takes 4 bytes a vertex of g. The result shares nothing with g.
//
// The error is ErrNoVertex for an entry of vs that isn't a vertex, ErrOptions if vs doesn't ascend
// or has a vertex twice, ErrNoGraph, or device.ErrClosed for a graph that was closed.
func (g *Graph) InducedSubgraph(vs []uint32) (*Graph, error) {
	if g == nil {
		return nil, fmt.Errorf("inducing: %w", ErrNoGraph)
	}
	if err := g.enter(); err != nil {
		return nil, err
	}
	defer g.leave() // whose error is for the one that closes the graph
	if err := g.Fetch(); err != nil {
		return nil, fmt.Errorf("inducing: %w", err)
	}
	place := make([]uint32, g.NumVertices())
	for i := range place {
		place[i] = NoVertex
	}
	for i, v := range vs {
		switch {
		case int64(v) >= int64(len(place)):
			return nil, fmt.Errorf("inducing: %w: vertex %d of %d", ErrNoVertex, v, len(place))
		case i > 0 && vs[i-1] >= v:
			return nil, fmt.Errorf("inducing: %w: vertex %d comes after %d; sort them and drop duplicates", ErrOptions, v, vs[i-1])
		}
		place[v] = uint32(i)
	}
	was := g
	if len(g.columns) > 0 {
		var err error
		if g, err = was.numbered(context.Background(), 0); err != nil {
			return nil, err
		}
	}
	packing := newWeightPacking(g.weights, g.out)
	out := induced(packing.pack(g.out), vs, place)
	packing.unpack(out)
	o := CSROptions{Stats: BuildStats{Combined: g.stats.Combined}, Directed: g.directed, IDs: g.ids.of(vs), WeightType: g.weights}
	if g.directed && g.in != nil {
		o.In = induced(packing.pack(g.in), vs, place)
		packing.unpack(o.In)
	}
	to, err := FromCSR(*out, o)
	if err == nil && len(was.columns) > 0 {
		err = was.moveColumns(context.Background(), to, nil)
	}
	if err == nil {
		err = was.keepVertexColumns(context.Background(), to, func(v int) uint32 { return vs[v] }, nil, nil)
	}
	if err != nil {
		return nil, err
	}
	return to, nil
}

// induced returns the rows of vs, with the entries that have a place.
func induced(c *CSR, vs, place []uint32) *CSR {
	offsets := make([]uint64, len(vs)+1)
	for i, v := range vs {
		offsets[i+1] = offsets[i]
		for _, w := range c.Neighbors(v) {
			if place[w] != NoVertex {
				offsets[i+1]++
			}
		}
	}
	to := newCSR(offsets, Options{Weights: c.Weights != nil, EdgeIDs: c.EdgeIDs != nil})
	at := 0
	for _, v := range vs {
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			w := place[c.Targets[e]]
			if w == NoVertex {
				continue
			}
			to.Targets[at] = w
			if c.Weights != nil {
				to.Weights[at] = c.Weights[e]
			}
			if c.EdgeIDs != nil {
				to.EdgeIDs[at] = c.EdgeIDs[e]
			}
			at++
		}
	}
	return to
}

// of returns the ids of some vertices.
func (m *IDs) of(vs []uint32) *IDs {
	to := &IDs{Type: m.Type, Len: len(vs), Logical: m.Logical}
	if m.Sides != nil {
		to.Sides = make([]uint64, (len(vs)+63)/64)
		for i, v := range vs {
			to.Sides[i/64] |= m.Sides[v/64] >> (v % 64) & 1 << (i % 64)
		}
	}
	if m.StringOffsets == nil {
		to.Ints = make([]int64, len(vs))
		for i, v := range vs {
			to.Ints[i] = m.intAt(v)
		}
		return to
	}
	to.StringOffsets = make([]uint64, len(vs)+1)
	for i, v := range vs {
		to.Data = append(to.Data, m.bytesAt(v)...)
		to.StringOffsets[i+1] = uint64(len(to.Data))
	}
	return to
}
