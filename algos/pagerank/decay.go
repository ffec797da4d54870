// This file holds weights that decay with the age of edges.

package pagerank

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/traverse"
)

// graph.ErrNoColumn: a column that has no times.
var errNoTimes = text.Named("the column has no times", graph.ErrNoColumn)

// shares returns the shares of edges.
func (r *ranking[T]) shares() (*shares, error) {
	t, p := r.t, r.t.Placed()
	if r.o.Decay.none() {
		return sharesOf(t.Context(), p)
	}
	decayed := run.Choose(p, run.Ways[func(context.Context, *graph.Placed, Options) (parts []float64, gives []uint32, err error)]{
		Host: decayedShares, GPU: decayedShares, Shards: noDecay})
	parts, gives, err := decayed(t.Context(), p, r.o)
	if err != nil {
		return nil, err
	}
	return &shares{traverse.FromSlice(t, parts), traverse.FromSlice(t, gives)}, t.Err()
}

// noDecay is decayedShares over the shards of several GPUs.
func noDecay(context.Context, *graph.Placed, Options) ([]float64, []uint32, error) {
	return nil, nil, fmt.Errorf("pagerank: %w: weights that decay need one GPU or the host", device.ErrNotSupported)
}

// times returns the times of edges, of out-edges or of in-edges.
func times(ctx context.Context, p *graph.Placed, name string, in bool) ([]float64, error) {
	c, err := p.Graph().EdgeColumn(name)
	if err != nil {
		return nil, fmt.Errorf("pagerank: Decay.Column: %w", err)
	}
	if c.Dictionary != nil {
		return nil, fmt.Errorf("pagerank: Decay.Column: %w: %.100q has strings; name a column of numbers, dates or timestamps", errNoTimes, name)
	}
	x, err := p.State().EdgeColumn(ctx, name, in)
	if err != nil {
		return nil, err
	}
	switch b := x.(type) {
	case *device.Buffer[int32]:
		return floats(ctx, b.Host())
	case *device.Buffer[uint32]:
		return floats(ctx, b.Host())
	case *device.Buffer[int64]:
		return floats(ctx, b.Host())
	case *device.Buffer[uint64]:
		return floats(ctx, b.Host())
	case *device.Buffer[float32]:
		return floats(ctx, b.Host())
	case *device.Buffer[float64]:
		return floats(ctx, b.Host())
	}
	return nil, fmt.Errorf("pagerank: Decay.Column: %w: %.100q has values of type %T", errNoTimes, name, c.Values)
}

func floats[N int32 | uint32 | int64 | uint64 | float32 | float64](ctx context.Context, a []N) ([]float64, error) {
	f := make([]float64, len(a))
	return f, looks.Pieces(ctx, len(a), func(lo, hi int) {
		for e := lo; e < hi; e++ {
			f[e] = float64(a[e])
		}
	})
}

// latest is the reference of a decay.
func (d Decay) latest(all []float64) float64 {
	if d.Reference != 0 {
		return d.Reference
	}
	latest := math.Inf(-1)
	for _, x := range all {
		latest = max(latest, x)
	}
	return latest
}

// exponents returns the logarithms to the base 2 of the weights of edges at such times. Those of large ages are less than
// any weight's that is not 0.
func (o Options) exponents(ctx context.Context, g *graph.Graph, c *graph.CSR, at []float64, reference float64) ([]float64, error) {
	if o.Weighted && c.Weights == nil && c.NumEdges() > 0 {
		return nil, fmt.Errorf("pagerank: %w: load the graph with weights, or leave Weighted out", graph.ErrNoWeights)
	}
	bad, badTime := false, -1
	err := looks.Pieces(ctx, len(at), func(lo, hi int) {
		for e := lo; e < hi; e++ {
			age := reference - at[e]
			if math.IsNaN(at[e]) || math.IsInf(at[e], 0) {
				badTime = e
			}
			at[e] = -age / o.Decay.HalfLife
			if age < 0 {
				at[e] = math.Inf(-1)
			}
			if o.Weighted {
				w := c.FloatWeight(uint64(e))
				bad = bad || !(w >= 0) || math.IsInf(w, 1)
				at[e] += math.Log2(w)
			}
		}
	})
	switch {
	case err != nil:
		return nil, err
	case bad:
		return nil, badWeight(g)
	case badTime >= 0:
		return nil, fmt.Errorf("pagerank: Decay.Column: %w: an edge has a time in %.100q that is not a finite number; leave such edges out", errNoTimes, o.Decay.Column)
	}
	return at, nil
}

// decayedShares returns the share of each in-edge, and whether vertices have something to share out. Exponents are
// compared within a vertex, so that no age is too large.
func decayedShares(ctx context.Context, p *graph.Placed, o Options) (parts []float64, gives []uint32, err error) {
	g := p.Graph()
	h, err := g.On(host.New(1))
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	_, most, sum, err := o.strongest(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	gives = make([]uint32, len(most))
	for v, x := range most {
		if x > math.Inf(-1) {
			gives[v] = 1
		}
	}
	all, err := times(ctx, h, o.Decay.Column, true)
	if err != nil {
		return nil, nil, err
	}
	in := g.In()
	if parts, err = o.exponents(ctx, g, in, all, o.Decay.latest(all)); err != nil {
		return nil, nil, err
	}
	return parts, gives, looks.Pieces(ctx, len(parts), func(lo, hi int) {
		for e, u := range in.Targets[lo:hi] {
			if gives[u] == 1 {
				parts[lo+e] = math.Exp2(parts[lo+e]-most[u]) / sum[u]
			} else {
				parts[lo+e] = 0
			}
		}
	})
}

// strongest returns the exponents of out-edges, the largest of each vertex, and the sum of the weights of its out-edges
// divided by the weight that has it.
func (o Options) strongest(ctx context.Context, h *graph.Placed) (all, most, sum []float64, err error) {
	if all, err = times(ctx, h, o.Decay.Column, false); err != nil {
		return nil, nil, nil, err
	}
	g, out := h.Graph(), h.Graph().Out()
	if all, err = o.exponents(ctx, g, out, all, o.Decay.latest(all)); err != nil {
		return nil, nil, nil, err
	}
	most, sum = make([]float64, g.NumVertices()), make([]float64, g.NumVertices())
	return all, most, sum, looks.Rows(ctx, out.Offsets, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			most[v] = math.Inf(-1)
			row := all[out.Offsets[v]:out.Offsets[v+1]]
			for _, x := range row {
				most[v] = max(most[v], x)
			}
			if math.IsInf(most[v], -1) {
				continue
			}
			for _, x := range row {
				sum[v] += math.Exp2(x - most[v])
			}
		}
	})
}

// decayedWeights returns the weights of out-edges, each divided by the largest of its vertex: for the check of a result.
func (o Options) decayedWeights(g *graph.Graph) (weights []float64, err error) {
	h, err := g.On(host.New(1))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	weights, most, _, err := o.strongest(context.Background(), h)
	if err != nil {
		return nil, err
	}
	out := g.Out()
	for v := range most {
		for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
			if weights[e] = math.Exp2(weights[e] - most[v]); math.IsInf(most[v], -1) {
				weights[e] = 0
			}
		}
	}
	return weights, nil
}
