// This file holds FilterEdges: the graph with some of the edges, and all vertices.

package graph

import (
	"context"
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

// FilterEdges returns the graph with the edges that keep chooses. All vertices stay, with their numbers and ids; use
// InducedSubgraph to remove vertices. Columns, weights and ids of the edges stay with them, and the reverse is kept. Stats
// stay as they are, as with RemoveEdges. The result shares nothing with g but its external ids, and these only if g isn't
// in a mapped file.
//
// FilterEdges calls keep for blocks of entries of g.Out, concurrently: it sets chosen[i] if entry first+i stays. All
// elements are false before. In an undirected graph it must choose both entries of an edge, or none: edge columns,
// weights and edge ids are the same at both. arrow.FilterEdges makes keep of a condition on columns.
//
// The cost is a pass over the arrays. The memory is the result, a bit for each edge of g, and, for a directed graph
// with its reverse, 12 bytes for each edge of g meanwhile.
//
// The error is the first of keep, ErrOptions if keep is nil, ErrMalformed if keep chose one direction of an undirected edge alone, ErrNoGraph,
// device.ErrClosed for a graph that was closed, or the context's.
func (g *Graph) FilterEdges(ctx context.Context, keep func(first uint64, chosen []bool) error) (*Graph, error) {
	if err := callctx.Check(ctx, "graph"); err != nil {
		return nil, err
	}
	if g == nil {
		return nil, fmt.Errorf("filtering edges: %w", ErrNoGraph)
	}
	if keep == nil {
		return nil, fmt.Errorf("filtering edges: %w: keep is nil; pass a function that chooses edges", ErrOptions)
	}
	if err := g.enter(); err != nil {
		return nil, err
	}
	defer g.leave() // whose error is for the one that closes the graph
	if err := g.Fetch(); err != nil {
		return nil, fmt.Errorf("filtering edges: %w", err)
	}
	to, err := g.filtered(ctx, keep)
	if err != nil {
		return nil, fmt.Errorf("filtering edges: %w", err)
	}
	return to, nil
}

func (g *Graph) filtered(ctx context.Context, keep func(first uint64, chosen []bool) error) (*Graph, error) {
	k := newCrew(ctx, Options{})
	m := len(g.out.Targets)
	chosen := &edgeSet{bits: make([]uint64, (m+63)/64)}
	err := k.each("", blocksOf(m), func(_, b int) error {
		lo, hi := b*filterBlock, min(m, (b+1)*filterBlock)
		var block [filterBlock]bool
		if err := keep(uint64(lo), block[:hi-lo]); err != nil {
			return err
		}
		chosen.set(lo, block[:hi-lo])
		return nil
	})
	if err != nil {
		return nil, err
	}
	chosen.count()
	if !g.directed {
		if err := g.bothDirections(k, chosen); err != nil {
			return nil, err
		}
	}
	p := CSROptions{Directed: g.directed, Order: OrderGiven, IDs: g.ids, WeightType: g.weights, Stats: g.stats, Stored: Stored{Checked: true}}
	if g.hold.mapped != nil {
		all := make([]uint32, g.NumVertices())
		for v := range all {
			all[v] = uint32(v)
		}
		p.IDs = g.ids.of(all)
	}
	out, err := g.out.keep(k, chosen)
	if err != nil {
		return nil, err
	}
	var entries []uint64
	if g.directed && g.in != nil {
		if p.In, entries, err = g.keepIn(k, chosen); err != nil {
			return nil, err
		}
	}
	to, err := FromCSR(*out, p)
	if err != nil {
		return nil, err
	}
	to.ascends, to.simple, to.entries = g.ascends, g.simple, entries
	for _, col := range g.columns {
		if g.hold.mapped != nil {
			col.Dictionary = col.Dictionary.clone()
		}
		from := col.Values
		if col.Values, err = keptValues(k, from, chosen); err != nil {
			return nil, err
		}
		to.columns = append(to.columns, col)
	}
	return to, g.keepVertexColumns(ctx, to, same, nil, nil)
}

// keepIn returns the chosen in-edges, and, if parallel edges may have another order there, their entries in the rows of
// the chosen out-edges.
func (g *Graph) keepIn(k *crew, chosen *edgeSet) (*CSR, []uint64, error) {
	from, err := g.inEntries(k.ctx)
	if err != nil {
		return nil, nil, err
	}
	m := len(from)
	ins := &edgeSet{bits: make([]uint64, (m+63)/64)}
	err = k.each("", blocksOf(m), func(_, b int) error {
		lo, hi := b*filterBlock, min(m, (b+1)*filterBlock)
		var block [filterBlock]bool
		for i := range hi - lo {
			block[i] = chosen.has(from[lo+i])
		}
		ins.set(lo, block[:hi-lo])
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	ins.count()
	in, err := g.in.keep(k, ins)
	if err != nil || g.ascends && g.entries == nil {
		return in, nil, err
	}
	kept, err := keptValues(k, from, ins)
	if err != nil {
		return nil, nil, err
	}
	entries := kept.([]uint64)
	for i, e := range entries {
		entries[i] = chosen.rank(e)
	}
	return in, entries, nil
}

// bothDirections returns an error if one direction of an edge was chosen, and not the other.
func (g *Graph) bothDirections(k *crew, chosen *edgeSet) error {
	var sum atomic.Uint64 // of a hash of each edge, once with each sign
	r := newRowBuckets(g.out.Offsets, rowParts(g.out))
	err := k.each("", r.len(), func(_, i int) error {
		part := uint64(0)
		for u := r.starts[i]; u < r.starts[i+1]; u++ {
			for e := g.out.Offsets[u]; e < g.out.Offsets[u+1]; e++ {
				v := g.out.Targets[e]
				switch lo, hi := min(uint32(u), v), max(uint32(u), v); {
				case !chosen.has(e) || lo == hi:
				case uint32(u) == lo:
					part += hashOfEdge(lo, hi)
				default:
					part -= hashOfEdge(lo, hi)
				}
			}
		}
		sum.Add(part)
		return nil
	})
	if err == nil && sum.Load() != 0 {
		return fmt.Errorf("%w: one direction of an undirected edge was chosen, and not the other", ErrMalformed)
	}
	return err
}

// hashOfEdge mixes the ends of an edge (the finalizer of MurmurHash3).
func hashOfEdge(u, v uint32) uint64 {
	h := uint64(u)<<32 | uint64(v)
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// edgeSet is a set of entries.
type edgeSet struct {
	bits  []uint64
	ranks []uint64 // of each word: how many entries come before it
	n     uint64
}

func blocksOf(m int) int { return (m + filterBlock - 1) / filterBlock }

// set stores which entries from lo on, a multiple of 64, are in the set.
func (s *edgeSet) set(lo int, block []bool) {
	for i := 0; i < len(block); i += 64 {
		word := uint64(0)
		for j, in := range block[i:min(len(block), i+64)] {
			if in {
				word |= 1 << j
			}
		}
		s.bits[(lo+i)/64] = word
	}
}

func (s *edgeSet) count() {
	s.ranks = make([]uint64, len(s.bits))
	for i, word := range s.bits {
		s.ranks[i] = s.n
		s.n += uint64(bits.OnesCount64(word))
	}
}

func (s *edgeSet) has(e uint64) bool { return s.bits[e/64]>>(e%64)&1 != 0 }

// rank returns how many entries of the set come before e.
func (s *edgeSet) rank(e uint64) uint64 {
	if e/64 >= uint64(len(s.bits)) {
		return s.n
	}
	return s.ranks[e/64] + uint64(bits.OnesCount64(s.bits[e/64]&(1<<(e%64)-1)))
}

// keep returns the rows with the entries of a set.
func (c *CSR) keep(k *crew, chosen *edgeSet) (*CSR, error) {
	to := &CSR{Offsets: make([]uint64, len(c.Offsets))}
	for v, e := range c.Offsets {
		to.Offsets[v] = chosen.rank(e)
	}
	for _, a := range []struct {
		from any
		to   func(any)
	}{
		{c.Targets, func(a any) { to.Targets = a.([]uint32) }},
		{c.Weights, func(a any) { to.Weights = a.([]float32) }},
		{c.IntWeights, func(a any) { to.IntWeights = a.([]int64) }},
		{c.FloatWeights, func(a any) { to.FloatWeights = a.([]float64) }},
		{c.EdgeIDs, func(a any) { to.EdgeIDs = a.([]uint64) }},
	} {
		if valuesNil(a.from) {
			continue
		}
		values, err := keptValues(k, a.from, chosen)
		if err != nil {
			return nil, err
		}
		a.to(values)
	}
	return to, nil
}

// valuesNil reports whether an array is nil.
func valuesNil(values any) bool {
	switch a := values.(type) {
	case []float32:
		return a == nil
	case []int64:
		return a == nil
	case []float64:
		return a == nil
	case []uint64:
		return a == nil
	}
	return false
}

// keptValues returns the values of the entries of a set.
func keptValues(k *crew, values any, chosen *edgeSet) (any, error) {
	switch a := values.(type) {
	case []int32:
		return keptOf(k, a, chosen)
	case []uint32:
		return keptOf(k, a, chosen)
	case []int64:
		return keptOf(k, a, chosen)
	case []uint64:
		return keptOf(k, a, chosen)
	case []float32:
		return keptOf(k, a, chosen)
	case []float64:
		return keptOf(k, a, chosen)
	}
	return nil, fmt.Errorf("graph: a column of %T", values)
}

func keptOf[T int32 | uint32 | int64 | uint64 | float32 | float64](k *crew, from []T, chosen *edgeSet) (any, error) {
	to := pages.Uncleared[T](int(chosen.n))
	return to, k.each("", blocksOf(len(from)), func(_, b int) error {
		lo, hi := b*filterBlock, min(len(from), (b+1)*filterBlock)
		at := chosen.rank(uint64(lo))
		for i := lo; i < hi; i += 64 {
			for word := chosen.bits[i/64]; word != 0; word &= word - 1 {
				to[at] = from[i+bits.TrailingZeros64(word)]
				at++
			}
		}
		return nil
	})
}
