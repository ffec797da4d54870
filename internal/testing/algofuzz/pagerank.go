// This file compares ranks with their definition.

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/graph"
)

// walk is what ranks are the limit of.
type walk struct {
	*model
	damping float64
	jump    []float64 // adds up to 1
	weight  func(edge) float64
	first   []float64 // the first ranks; nil: all alike
}

// round returns the ranks after one more round.
func (w walk) round(rank []float64) []float64 {
	next, stuck := make([]float64, w.n), 0.0
	for v, x := range rank {
		sum := 0.0
		for _, e := range w.out[v] {
			sum += w.weight(e)
		}
		if sum == 0 {
			stuck += x
			continue
		}
		for _, e := range w.out[v] {
			next[e.to] += w.damping * x * w.weight(e) / sum
		}
	}
	for v := range next {
		next[v] += (1 - w.damping + w.damping*stuck) * w.jump[v]
	}
	return next
}

// Rounds end when they change ranks by less than still, or when with a damping of 0.99 the first ranks no longer
// matter: rounding errors may keep ranks changing for ever.
const (
	still      = 1e-13
	mostRounds = 4000
)

// ranks returns the ranks after the given number of rounds from uniform ones, or, for 0, the limit.
func (w walk) ranks(rounds int) []float64 {
	rank := make([]float64, w.n)
	for v := range rank {
		rank[v] = 1 / float64(w.n)
	}
	if w.first != nil {
		copy(rank, w.first)
	}
	for i := 0; i < rounds || rounds == 0 && i < mostRounds; i++ {
		next := w.round(rank)
		change := apart(rank, next)
		rank = next
		rank = next
		if rounds == 0 && change <= still {
			break
		}
	}
	return rank
}

// apart is the L1 norm of the difference.
func apart(a, b []float64) (sum float64) {
	for v := range a {
		sum += math.Abs(a[v] - b[v])
	}
	return sum
}

// drawRanks draws options.
func drawRanks(r *rand.Rand) (o pagerank.Options) {
	o.Damping = []float64{0, 0, 0.5, 0.85, 0.9, 0.95, 1e-6, 0.99, r.Float64() * 0.98}[r.IntN(9)]
	switch r.IntN(5) {
	case 0: // to the default tolerance
	case 1:
		o.Tolerance = math.Pow(10, -2-8*r.Float64())
	case 2:
		o.Tolerance, o.Iterations = math.Pow(10, -2-8*r.Float64()), 1+r.IntN(300)
	case 3:
		o.Iterations = 1 + r.IntN(300) // or to the default tolerance
	default:
		o.Tolerance, o.Iterations = -1, 1+r.IntN(30)
	}
	o.Weighted, o.Stats, o.EachLevel = one(r, 3), one(r, 4), progress(r)
	return o
}

func checkRanks(ctx context.Context, c *graphCase, r *rand.Rand) error {
	if err := needsReverse(ctx, c, func(p *graph.Placed) error {
		_, err := pagerank.Run(ctx, p, pagerank.Options{})
		return err
	}); err != nil {
		return err
	}
	o := drawRanks(r)
	if o.Weighted {
		if err := badRankWeights(ctx, c); err != nil {
			return err
		}
	}
	b, err := c.as(ctx, form{weights: o.Weighted, finite: o.Weighted, reverse: true})
	if err != nil {
		return err
	}
	w := walk{model: b.model, damping: o.Damping, jump: make([]float64, b.n), weight: func(edge) float64 { return 1 }}
	if w.damping == 0 {
		w.damping = 0.85
	}
	if o.Weighted {
		w.weight = func(e edge) float64 { return float64(e.weight) }
	}
	drawJumps(w, b, &o, r)
	w.first = drawStart(b, &o, r, w.jump)
	validate := one(r, 8)
	return b.each(r, func(p *graph.Placed) (err error) {
		defer func() {
			if err != nil {
				err = fmt.Errorf("%+v: %w", o, err)
			}
		}()
		res, err := pagerank.Run(ctx, p, o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, res.Close()) }()
		rank, err := valuesOf(b, res.Ranks)
		if err != nil {
			return err
		}
		if err := w.compare(o, res, rank); err != nil {
			return err
		}
		if validate {
			return pagerank.Validate(b.graph, res, o)
		}
		return nil
	})
}

// drawJumps draws where walkers jump to.
func drawJumps(w walk, b *built, o *pagerank.Options, r *rand.Rand) {
	for v := range w.jump {
		w.jump[v] = 1 / float64(b.n)
	}
	if b.n == 0 || !one(r, 3) {
		return
	}
	scale, sum := math.Pow(10, 20*r.NormFloat64()), 0.0
	sparse := one(r, 2)
	for v := range w.jump {
		w.jump[v] = r.Float64() * scale
		if sparse && !one(r, 4) {
			w.jump[v] = 0
		}
		sum += w.jump[v]
	}
	if sum == 0 {
		w.jump[r.IntN(b.n)], sum = scale, scale
	}
	o.Personalization = make([]float64, b.n)
	for v, x := range w.jump {
		o.Personalization[b.vertex[v]] = x
		w.jump[v] = x / sum
	}
}

// drawStart draws ranks to begin with, and returns the ranks of round 0: vertices without an earlier rank have the share
// of walkers that jump there, and the others divide the rest.
func drawStart(b *built, o *pagerank.Options, r *rand.Rand, jump []float64) []float64 {
	if b.n == 0 || !one(r, 3) {
		return nil
	}
	damping := o.Damping
	if damping == 0 {
		damping = 0.85
	}
	o.Start = make([]float64, b.n)
	first, sum, jumped := make([]float64, b.n), 0.0, 0.0
	some := r.IntN(b.n)
	for v := range first {
		switch x := 1 - r.Float64(); {
		case v != some && one(r, 4):
			o.Start[b.vertex[v]] = math.NaN()
			jumped += (1 - damping) * jump[v]
		default:
			o.Start[b.vertex[v]], first[v] = x, x
			sum += x
		}
	}
	for v := range first {
		if first[v] > 0 {
			first[v] *= (1 - jumped) / sum
		} else {
			first[v] = (1 - damping) * jump[v]
		}
	}
	return first
}

// single is by how much of itself a number may change when it becomes a float32.
const single = 1.0 / (1 << 24)

// compare compares ranks with the model's after as many rounds, or with the limit.
func (w walk) compare(o pagerank.Options, res *pagerank.Result, rank []float64) error {
	tolerance := o.Tolerance
	if tolerance == 0 {
		tolerance = 1e-6
	}
	tolerance = max(tolerance, 0)
	most := o.Iterations
	if most == 0 {
		most = 100
	}
	if res.Converged != (tolerance > 0 && res.Change < tolerance) || res.Iterations > most {
		return fmt.Errorf("converged %v after %d rounds, the last changed %v", res.Converged, res.Iterations, res.Change)
	}
	if w.n == 0 {
		return nil
	}
	sum := 0.0
	for v, x := range rank {
		if !(x >= 0) {
			return fmt.Errorf("vertex %d has %v", v, x)
		}
		sum += x
	}
	if math.Abs(sum-1) > 1e-12 {
		return fmt.Errorf("ranks add up to %v", sum)
	}
	switch {
	case tolerance == 0:
		if res.Iterations != most {
			return fmt.Errorf("%d rounds, want %d", res.Iterations, most)
		}
		return w.close(o, rank, most)
	case res.Converged:
		// Scaling ranks to add up to 1 may move them once as much again.
		bound := 2*tolerance/(1-w.damping) + single/(1-w.damping)
		if d := apart(rank, w.ranks(0)); !(d <= bound) {
			return fmt.Errorf("ranks are %v away from the limit, want %v", d, bound)
		}
	case res.Iterations != most:
		return fmt.Errorf("%d rounds of %d, but not converged", res.Iterations, most)
	}
	return nil
}

// close compares ranks after so many rounds. A round rounds each rank three times: as a sum, as a share, and with
// weights by the sum that shares are part of. So a rank may differ by three float32 roundings of itself for each edge
// that walkers have followed since they jumped. Jumps are 1 minus the rest, so they differ by as much.
func (w walk) close(o pagerank.Options, rank []float64, rounds int) error {
	want, floor := w.ranks(rounds), 1e-36 // the shares of less aren't normal numbers
	if o.Weighted {
		floor = 1e-20 // there shares are parts of large sums
	}
	for v := range want {
		if d := math.Abs(rank[v] - want[v]); d > 3*single*(float64(rounds)+1/(1-w.damping))*want[v]+floor {
			return fmt.Errorf("vertex %d has %v after %d rounds, want %v", v, rank[v], rounds, want[v])
		}
	}
	if d, most := apart(rank, want), 3*single/(1-w.damping); d > most {
		return fmt.Errorf("after %d rounds ranks are %v away in sum, want %v", rounds, d, most)
	}
	return nil
}

// badRankWeights checks that graphs without weights, or with bad ones, are refused.
func badRankWeights(ctx context.Context, c *graphCase) error {
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
	_, err = pagerank.Run(ctx, p, pagerank.Options{Weighted: true})
	return refused(err, want, "weights")
}
