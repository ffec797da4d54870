// This file holds what makes a graph of a serialized one: checks, and changes
// where the file isn't what the options ask for.

package edgelist

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/foray-graph/foray/graph"
)

// loadSG loads a serialized graph. Ids are dense.
func loadSG(ctx context.Context, in *input, o *Options) (*graph.Graph, error) {
	s, err := newSGReader(ctx, in, o)
	if err != nil {
		return nil, err
	}
	want := o.Graph
	if err := want.Check(); err != nil {
		return nil, in.named(err)
	}
	if want.Vertices > 0 && want.Vertices != uint64(s.n) {
		return nil, in.named(fmt.Errorf("%w: the file has %d vertices, Options.Graph.Vertices asks for %d; leave it 0",
			graph.ErrOptions, s.n, want.Vertices))
	}
	out, err := s.csr(want.Weights)
	if err != nil {
		return nil, err
	}
	var rev *graph.CSR
	if s.directed && (want.Reverse || !want.Directed) {
		c, err := s.csr(want.Weights)
		if err != nil {
			return nil, err
		}
		rev = &c
	}
	if err := s.end(rev != nil); err != nil {
		return nil, err
	}
	if s.n == 0 {
		return nil, empty(in.name)
	}
	// A graph whose reverse isn't its reverse gives wrong results silently.
	fwd, bwd, err := fingerprint(ctx, &out)
	if err == nil && rev != nil {
		var f, b uint64
		if f, b, err = fingerprint(ctx, rev); err == nil && (f != bwd || b != fwd) {
			err = fmt.Errorf("%w: the reverse graph in the file isn't the reverse of the graph", graph.ErrMalformed)
		}
	} else if err == nil && !s.directed && fwd != bwd {
		err = fmt.Errorf("%w: the file says that it is undirected, but an edge lacks its opposite", graph.ErrMalformed)
	}
	if err != nil {
		return nil, in.named(err)
	}
	g, err := sgGraph(ctx, s, out, rev, want)
	if err != nil {
		return nil, in.named(err)
	}
	return g, nil
}

// sgGraph makes the graph that is wanted of the one in the file.
func sgGraph(ctx context.Context, s *sgReader, out graph.CSR, rev *graph.CSR, want graph.Options) (g *graph.Graph, err error) {
	if s.directed && !want.Directed {
		if out, err = union(ctx, &out, rev); err != nil {
			return nil, err
		}
		rev = nil
	}
	var stats graph.BuildStats
	rows := want
	combines := want.Weights && !want.KeepDuplicates && want.Combine != graph.CombineMin
	rows.KeepDuplicates = want.KeepDuplicates || combines // until weights have their type
	if err := normalize(ctx, &out, rows, &stats); err != nil {
		return nil, err
	}
	if rev != nil {
		if err := normalize(ctx, rev, rows, nil); err != nil {
			return nil, err
		}
	}
	if want.Directed && !s.directed {
		rev = &out
	}
	if !want.Directed || !want.Reverse {
		rev = nil
	}
	settleWeights(&out)
	typ := sgWeightType(&out, want)
	if rev != nil && rev != &out {
		settleWeights(rev)
		sgWeightType(rev, want)
	}
	if combines && out.Weights != nil {
		if stats.Duplicates, err = out.Combine(ctx, want.Combine, typ, want.Workers); err != nil {
			return nil, err
		}
		stats.Combined = want.Combine
		if rev != nil && rev != &out {
			if _, err := rev.Combine(ctx, want.Combine, typ, want.Workers); err != nil {
				return nil, err
			}
		}
	}
	g, err = graph.FromCSR(out, graph.CSROptions{In: rev, Directed: want.Directed, WeightType: typ, Stats: stats})
	if err != nil || want.Order != graph.OrderDegree { // OrderAuto keeps that of the file
		return g, err
	}
	return g.Reorder(ctx, graph.ReorderOptions{Order: want.Order, Workers: want.Workers})
}

// canceled returns ctx's error, looking now and then only: u is the row that
// a loop is at.
func canceled(ctx context.Context, u uint32) error {
	if u%(1<<14) != 0 {
		return nil
	}
	return ctx.Err()
}

// fingerprint returns a number that depends on the edges but not on their
// order, and that of the edges reversed.
func fingerprint(ctx context.Context, c *graph.CSR) (fwd, bwd uint64, err error) {
	for u := range uint32(c.NumVertices()) {
		if err := canceled(ctx, u); err != nil {
			return 0, 0, err
		}
		for _, v := range c.Neighbors(u) {
			fwd += mix(uint64(u)<<32 | uint64(v))
			bwd += mix(uint64(v)<<32 | uint64(u))
		}
	}
	return fwd, bwd, nil
}

// mix is the finalizer of splitmix64 (Steele, Lea, Flood: Fast splittable
// pseudorandom number generators).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// union returns the undirected graph of a directed one: every edge in both
// directions, a self-loop once. Rows come out unsorted.
func union(ctx context.Context, out, rev *graph.CSR) (graph.CSR, error) {
	n := out.NumVertices()
	c := graph.CSR{Offsets: make([]uint64, 1, n+1), Targets: make([]uint32, 0, 2*len(out.Targets))}
	if out.Weights != nil {
		c.Weights = make([]float32, 0, 2*len(out.Targets))
	}
	for u := range uint32(n) {
		if err := canceled(ctx, u); err != nil {
			return c, err
		}
		for e := out.Offsets[u]; e < out.Offsets[u+1]; e++ {
			c.Targets = append(c.Targets, out.Targets[e])
			if c.Weights != nil {
				c.Weights = append(c.Weights, out.Weights[e])
			}
		}
		for e := rev.Offsets[u]; e < rev.Offsets[u+1]; e++ {
			if rev.Targets[e] == u {
				continue
			}
			c.Targets = append(c.Targets, rev.Targets[e])
			if c.Weights != nil {
				c.Weights = append(c.Weights, rev.Weights[e])
			}
		}
		c.Offsets = append(c.Offsets, uint64(len(c.Targets)))
	}
	return c, nil
}

// normalize sorts the rows, drops the self-loops, and combines parallel edges,
// unless they are to be kept. It works in place. stats, if it isn't nil, gets what
// was dropped.
func normalize(ctx context.Context, c *graph.CSR, o graph.Options, stats *graph.BuildStats) error {
	if isNormal(c, o) {
		return nil
	}
	var loops, repeated uint64
	var keys []uint64
	from, to := uint64(0), uint64(0)
	for u := range uint32(c.NumVertices()) {
		if err := canceled(ctx, u); err != nil {
			return err
		}
		end := c.Offsets[u+1]
		keys = keys[:0]
		for e := from; e < end; e++ {
			k := uint64(c.Targets[e]) << 32
			if c.Weights != nil {
				k |= uint64(math.Float32bits(c.Weights[e]) ^ 1<<31)
			}
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for i := 0; i < len(keys); {
			v, end := uint32(keys[i]>>32), i+1
			for end < len(keys) && uint32(keys[end]>>32) == v && !o.KeepDuplicates {
				end++
			}
			same := keys[i:end]
			if i = end; v == u && !o.KeepSelfLoops {
				loops += uint64(len(same))
				continue
			}
			repeated += uint64(len(same) - 1)
			c.Targets[to] = v
			if c.Weights != nil {
				c.Weights[to] = math.Float32frombits(uint32(same[0]) ^ 1<<31)
			}
			to++
		}
		from = end
		c.Offsets[u+1] = to
	}
	c.Targets = c.Targets[:to]
	if c.Weights != nil {
		c.Weights = c.Weights[:to]
	}
	if stats != nil {
		stats.SelfLoops, stats.Duplicates = loops, repeated
	}
	return nil
}

// isNormal reports whether normalize has nothing to do.
func isNormal(c *graph.CSR, o graph.Options) bool {
	for u := range uint32(c.NumVertices()) {
		last := int64(-1)
		for _, v := range c.Neighbors(u) {
			if int64(v) < last || int64(v) == last && (!o.KeepDuplicates || c.Weights != nil) || v == u && !o.KeepSelfLoops {
				return false
			}
			last = int64(v)
		}
	}
	return true
}

// settleWeights makes weights of the bits of int32, which is what they are until rows are normal.
func settleWeights(c *graph.CSR) {
	exact := true
	for _, w := range c.Weights {
		x := int32(math.Float32bits(w))
		exact = exact && int64(float32(x)) == int64(x)
	}
	if !exact {
		c.IntWeights = make([]int64, len(c.Weights))
	}
	for e, w := range c.Weights {
		x := int32(math.Float32bits(w))
		if c.Weights[e] = float32(x); !exact {
			c.IntWeights[e] = int64(x)
		}
	}
}

// sgWeightType settles the type of the weights of a graph, which are integers.
func sgWeightType(c *graph.CSR, want graph.Options) graph.WeightType {
	switch want.WeightType {
	case graph.WeightsFloat32:
		c.IntWeights = nil
		return graph.WeightsFloat32
	case graph.WeightsFloat64:
		if c.IntWeights != nil {
			c.FloatWeights = make([]float64, len(c.IntWeights))
			for e, x := range c.IntWeights {
				c.FloatWeights[e] = float64(x)
			}
			c.IntWeights = nil
		}
		return graph.WeightsFloat64
	}
	return graph.WeightsInt64
}
