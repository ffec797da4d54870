// This file holds the oracle.

package pagerank

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/graph"
)

// Sequential ranks vertices on one goroutine, by out-edges, all in float64: the definition. It
// makes plain rounds only, as many as Iterations says or until the Tolerance is met, and returns
// the ranks by internal vertex with the number of rounds. It doesn't need the reverse.
func Sequential(g *graph.Graph, o Options) ([]float64, int, error) {
	if err := o.Check(); err != nil {
		return nil, 0, err
	}
	o = o.resolved()
	n := g.NumVertices()
	to, err := o.jumps(n)
	if err != nil {
		return nil, 0, err
	}
	rank := make([]float64, n)
	for v := range rank {
		rank[v] = 1 / float64(n)
	}
	rounds := 0
	for rounds < o.Iterations && n > 0 {
		next, err := round(g, o, to, rank)
		if err != nil {
			return nil, 0, err
		}
		change := distance(rank, next)
		rank = next
		if rounds++; o.Tolerance > 0 && change < o.Tolerance {
			break
		}
	}
	return rank, rounds, nil
}

// jumps is the personalisation of n vertices, which adds up to 1.
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

// round returns the ranks after one more round.
func round(g *graph.Graph, o Options, to, rank []float64) ([]float64, error) {
	out, next, lost := g.Out(), make([]float64, len(rank)), 0.0
	if o.Weighted && out.Weights == nil && out.NumEdges() > 0 {
		return nil, fmt.Errorf("pagerank: %w: load the graph with weights, or leave Weighted out", graph.ErrNoWeights)
	}
	weight := func(e uint64) float64 {
		if o.Weighted {
			return out.FloatWeight(e)
		}
		return 1
	}
	for v := range rank {
		strength, most := 0.0, 0.0
		for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
			most = max(most, weight(e))
		}
		if most == 0 {
			most = 1
		}
		for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
			if w := weight(e); !(w >= 0 && w <= math.MaxFloat64) {
				return nil, fmt.Errorf("%w: edge %d has %v", errWeights, e, w)
			}
			strength += weight(e) / most // the sum might be more than there are numbers for
		}
		if strength == 0 {
			lost += rank[v]
			continue
		}
		for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
			next[out.Targets[e]] += rank[v] * (weight(e) / most) / strength
		}
	}
	for v := range next {
		next[v] = (1-o.Damping+o.Damping*lost)*to[v] + o.Damping*next[v]
	}
	return next, nil
}

// distance is the L1 norm of the difference.
func distance(a, b []float64) (sum float64) {
	for v := range a {
		sum += math.Abs(a[v] - b[v])
	}
	return sum
}
