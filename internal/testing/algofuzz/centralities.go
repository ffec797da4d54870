// This file compares degrees and centralities with their definitions.

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/foray-graph/foray/algos/degree"
	"github.com/foray-graph/foray/algos/eigenvector"
	"github.com/foray-graph/foray/algos/hits"
	"github.com/foray-graph/foray/algos/katz"
	"github.com/foray-graph/foray/graph"
)

// powers are what centralities compute from a model: products of its adjacency matrix.
type powers struct {
	*model
	weighted bool
}

func (w powers) weight(e edge) float64 {
	if w.weighted {
		return float64(e.weight)
	}
	return 1
}

// times returns what edges bring to their targets, or, if back is set, to their sources.
func (w powers) times(x []float64, back bool) []float64 {
	next := make([]float64, w.n)
	for _, e := range w.edges {
		if back {
			next[e.from] += w.weight(e) * x[e.to]
		} else {
			next[e.to] += w.weight(e) * x[e.from]
		}
	}
	return next
}

// fill returns the same value for all vertices.
func (w powers) fill(x float64) []float64 {
	all := make([]float64, w.n)
	for v := range all {
		all[v] = x
	}
	return all
}

// over divides by a number, unless it is 0.
func over(x []float64, by float64) []float64 {
	for v := range x {
		if by != 0 {
			x[v] /= by
		}
	}
	return x
}

// sizes returns the sum, the L2 norm and the largest of values that aren't negative.
func sizes(x []float64) (sum, norm, most float64) {
	for _, a := range x {
		sum, norm, most = sum+a, norm+a*a, max(most, a)
	}
	return sum, math.Sqrt(norm), most
}

// alike compares values that are sums of products, none of which is negative. Tiny ones may have lost digits.
func alike(what string, got, want []float64) error {
	for v := range want {
		if !(math.Abs(got[v]-want[v]) <= 1e-9*want[v]+1e-280) {
			return fmt.Errorf("%s: vertex %d has %v, want %v", what, v, got[v], want[v])
		}
	}
	return nil
}

// badWeights checks that graphs without weights, or with bad ones, are refused.
func badWeights(ctx context.Context, c *graphCase, run func(p *graph.Placed) error) error {
	if c.directed && !c.reverse {
		return nil // which is another error
	}
	b, err := c.as(ctx, form{})
	if err != nil {
		return err
	}
	want := error(nil)
	for _, e := range b.edges {
		if !c.weighted {
			want = graph.ErrNoWeights
		} else if !(e.weight >= 0 && e.weight < inf32) {
			want = graph.ErrWeights
		}
	}
	if want == nil {
		return nil
	}
	p, err := b.on(1)
	if err != nil {
		return err
	}
	return refused(run(p), want, "weights")
}

// drawn is a graph for centralities: with its reverse, and with weights if weighted is drawn.
func drawn(ctx context.Context, c *graphCase, r *rand.Rand, run func(p *graph.Placed, weighted bool) error) (*built, powers, error) {
	plain := func(p *graph.Placed) error { return run(p, false) }
	if err := needsReverse(ctx, c, plain); err != nil {
		return nil, powers{}, err
	}
	weighted := one(r, 2)
	if weighted {
		if err := badWeights(ctx, c, func(p *graph.Placed) error { return run(p, true) }); err != nil {
			return nil, powers{}, err
		}
	}
	b, err := c.as(ctx, form{weights: weighted, finite: weighted, reverse: true})
	if err != nil {
		return nil, powers{}, err
	}
	return b, powers{b.model, weighted}, nil
}

func checkDegrees(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, w, err := drawn(ctx, c, r, func(p *graph.Placed, weighted bool) error {
		_, err := degree.Run(ctx, p, degree.Options{Weighted: weighted})
		return err
	})
	if err != nil {
		return err
	}
	o := degree.Options{In: one(r, 2), Out: one(r, 2), Weighted: w.weighted}
	count, strength := make([]uint64, b.n), make([]float64, b.n)
	for _, e := range b.edges {
		if !b.directed || o.Out || !o.In {
			count[e.from]++
			strength[e.from] += w.weight(e)
		}
		if b.directed && (o.In || !o.Out) || !b.directed && e.from == e.to {
			count[e.to]++
			strength[e.to] += w.weight(e)
		}
	}
	validate := one(r, 8)
	return b.each(r, func(p *graph.Placed) (err error) {
		res, err := degree.Run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		got, err := valuesOf(b, res.Degree)
		if err != nil {
			return err
		}
		if err := equal("degrees", got, count); err != nil {
			return err
		}
		if w.weighted {
			sums, err := valuesOf(b, res.Strength)
			if err != nil {
				return err
			}
			if err := alike("strengths", sums, strength); err != nil {
				return err
			}
		}
		if validate {
			return degree.Validate(b.graph, res, o)
		}
		return nil
	})
}

// drawRounds draws a tolerance, which may be the default, and a number of rounds.
func drawRounds(r *rand.Rand) (tolerance float64, iterations int) {
	if !one(r, 3) {
		tolerance = math.Pow(10, -1-8*r.Float64())
	}
	if !one(r, 3) {
		iterations = 1 + r.IntN(40)
	}
	return tolerance, iterations
}

func checkEigenvector(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, w, err := drawn(ctx, c, r, func(p *graph.Placed, weighted bool) error {
		_, err := eigenvector.Run(ctx, p, eigenvector.Options{Weighted: weighted})
		return err
	})
	if err != nil {
		return err
	}
	o := eigenvector.Options{Weighted: w.weighted, Stats: one(r, 4), EachLevel: progress(r)}
	o.Tolerance, o.Iterations = drawRounds(r)
	validate := one(r, 8)
	return b.each(r, func(p *graph.Placed) (err error) {
		res, err := eigenvector.Run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		got, err := valuesOf(b, res.Centrality)
		if err != nil {
			return err
		}
		want := w.fill(1 / float64(b.n))
		for range res.Iterations {
			next := w.times(want, false)
			for v := range next {
				next[v] += want[v]
			}
			_, norm, _ := sizes(next)
			want = over(next, norm)
		}
		if err := alike("centralities", got, want); err != nil {
			return err
		}
		if validate {
			return eigenvector.Validate(b.graph, res, o)
		}
		return nil
	})
}

func checkHits(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, w, err := drawn(ctx, c, r, func(p *graph.Placed, weighted bool) error {
		_, err := hits.Run(ctx, p, hits.Options{Weighted: weighted})
		return err
	})
	if err != nil {
		return err
	}
	o := hits.Options{Weighted: w.weighted, Stats: one(r, 4), EachLevel: progress(r)}
	o.Tolerance, o.Iterations = drawRounds(r)
	validate := one(r, 8)
	return b.each(r, func(p *graph.Placed) (err error) {
		res, err := hits.Run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		hubs, err := valuesOf(b, res.Hubs)
		if err != nil {
			return err
		}
		authorities, err := valuesOf(b, res.Authorities)
		if err != nil {
			return err
		}
		hub, authority := w.fill(1), w.fill(0)
		for range res.Iterations {
			authority = w.times(hub, false)
			_, _, most := sizes(authority)
			hub = w.times(over(authority, most), true)
			_, _, most = sizes(hub)
			over(hub, most)
		}
		ofHubs, _, _ := sizes(hub)
		ofAuthorities, _, _ := sizes(authority)
		if err := errors.Join(alike("hubs", hubs, over(hub, ofHubs)), alike("authorities", authorities, over(authority, ofAuthorities))); err != nil {
			return err
		}
		if validate {
			return hits.Validate(b.graph, res, o)
		}
		return nil
	})
}

func checkKatz(ctx context.Context, c *graphCase, r *rand.Rand) error {
	b, w, err := drawn(ctx, c, r, func(p *graph.Placed, weighted bool) error {
		_, err := katz.Run(ctx, p, katz.Options{Weighted: weighted})
		return err
	})
	if err != nil {
		return err
	}
	o := katz.Options{Weighted: w.weighted, Stats: one(r, 4), EachLevel: progress(r), Beta: []float64{0, 1, 0.01, 30}[r.IntN(4)]}
	o.Tolerance, o.Iterations = drawRounds(r)
	if _, _, most := sizes(w.times(w.fill(1), false)); most > 0 {
		o.Alpha = (0.05 + 0.9*r.Float64()) / most
	}
	alpha, beta := o.Alpha, o.Beta
	if alpha == 0 {
		alpha = 0.1
	}
	if beta == 0 {
		beta = 1
	}
	validate := one(r, 8)
	return b.each(r, func(p *graph.Placed) (err error) {
		res, err := katz.Run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		got, err := valuesOf(b, res.Centrality)
		if err != nil {
			return err
		}
		want := w.fill(0)
		for range res.Iterations {
			want = w.times(want, false)
			for v := range want {
				want[v] = alpha*want[v] + beta
			}
		}
		_, norm, _ := sizes(want)
		if err := alike("centralities", got, over(want, norm)); err != nil {
			return err
		}
		if validate {
			return katz.Validate(b.graph, res, o)
		}
		return nil
	})
}
