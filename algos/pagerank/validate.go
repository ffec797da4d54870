// This file holds Validate, which checks properties of a result.

package pagerank

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/internal/text"
)

// graph.ErrInvalid: a result that isn't the PageRank of its graph.
var errInvalid = text.Named("pagerank: not a valid result", graph.ErrInvalid)

// Validate checks that ranks are positive numbers, that they add up to 1, and, if the result has converged,
// that one more round would change them by at most the tolerance, in sum over all vertices. The result of a
// fixed number of rounds has no such property; run it again with another number of workers, or on another device. Pass the options of the run. It
// costs two passes over the edges on one goroutine, in float64.
//
// The error wraps graph.ErrInvalid, or reports options that don't fit the graph.
func Validate(g *graph.Graph, r *Result, o Options) error {
	if g == nil {
		return fmt.Errorf("pagerank: validate: %w", graph.ErrNoGraph)
	}
	if r == nil || r.Ranks == nil {
		return fmt.Errorf("%w: there are no ranks", errInvalid)
	}
	if err := o.check(); err != nil {
		return err
	}
	o = o.resolved()
	o.Tolerance = max(o.Tolerance, 0)
	ranks, err := r.Ranks.Slice()
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	if len(ranks) != g.NumVertices() {
		return fmt.Errorf("%w: %d ranks, the graph has %d vertices", errInvalid, len(ranks), g.NumVertices())
	}
	if len(ranks) == 0 {
		return nil
	}
	to, err := o.jumps(len(ranks))
	if err != nil {
		return err
	}
	sum := 0.0
	for v, x := range ranks {
		if !(x >= 0 && x <= 1+rounding) {
			return fmt.Errorf("%w: the rank of vertex %d is %v; want 0 to 1", errInvalid, v, x)
		}
		// Shares are rounded, and momentum overshoots until ranks have converged.
		if least := (1 - o.Damping - rounding) * to[v]; (r.Converged || o.Tolerance == 0) && x < least*(1-rounding)-o.Tolerance {
			return fmt.Errorf("%w: the rank of vertex %d is %v, less than the %v of walkers that jump there", errInvalid, v, x, least)
		}
		sum += x
	}
	if math.Abs(sum-1) > rounding {
		return fmt.Errorf("%w: the ranks add up to %v, not 1", errInvalid, sum)
	}
	if !r.Converged {
		return nil
	}
	walk := oracle.Walk{Damping: o.Damping, Weighted: o.Weighted, Jumps: to}
	if !o.Decay.none() {
		if walk.Weights, err = o.decayedWeights(g); err != nil {
			return err
		}
	}
	next, err := oracle.RanksAfter(g, walk, ranks)
	if err != nil {
		return err
	}
	// Ranks were scaled to add up to 1 after the round that ended the run: by Tolerance/(1-Damping) at most, of
	// which a round takes back 1-Damping.
	if d := oracle.Distance(ranks, next); d > 2*o.Tolerance+rounding*o.Tolerance+o.noise() {
		return fmt.Errorf("%w: one more round changes the ranks by %v in sum; the tolerance is %v", errInvalid, d, o.Tolerance)
	}
	return nil
}

// noise is by how much rounding of shares may move all ranks.
func (o Options) noise() float64 {
	if o.double() || !o.Decay.none() {
		return 1e-14
	}
	return 3e-7
}

// jumps is the personalization of n vertices, which adds up to 1.
func (o Options) jumps(n int) ([]float64, error) {
	to := make([]float64, n)
	if o.Personalization == nil {
		for v := range to {
			to[v] = 1 / float64(n)
		}
		return to, nil
	}
	if len(o.Personalization) != n {
		return nil, fmt.Errorf("pagerank: %w: Personalization has %d entries, the graph %d vertices", graph.ErrOptions, len(o.Personalization), n)
	}
	sum, err := o.sum()
	for v, x := range o.Personalization {
		to[v] = x / sum
	}
	return to, err
}
