// This file holds PageRank.

package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/foray-graph/foray/graph"
)

// Walk has the parameters of ranks, as fields of pagerank.Options.
type Walk struct {
	Damping, Tolerance float64
	Iterations         int
	Weighted           bool
	Weights            []float64 // of out-edges, instead of the graph's; nil: the graph's, if Weighted
	Jumps              []float64 // the personalization, which adds up to 1
	Start              []float64 // the first ranks; nil: all alike
}

// Ranks ranks vertices on one goroutine, by out-edges, all in float64: the definition. It makes plain
// rounds only, as many as Iterations says or until the Tolerance is met, and returns the ranks by
// internal vertex with the number of rounds. It doesn't need the reverse.
func Ranks(g *graph.Graph, w Walk) ([]float64, int, error) {
	n := g.NumVertices()
	if w.Jumps == nil {
		w.Jumps = slices.Repeat([]float64{1 / float64(n)}, n)
	}
	rank := make([]float64, n)
	for v := range rank {
		rank[v] = 1 / float64(n)
	}
	if w.Start != nil {
		copy(rank, w.Start)
	}
	rounds := 0
	for rounds < w.Iterations && n > 0 {
		next, err := RanksAfter(g, w, rank)
		if err != nil {
			return nil, 0, err
		}
		change := Distance(rank, next)
		rank = next
		if rounds++; w.Tolerance > 0 && change < w.Tolerance {
			break
		}
	}
	return rank, rounds, nil
}

// RanksAfter returns the ranks after one more round.
func RanksAfter(g *graph.Graph, o Walk, rank []float64) ([]float64, error) {
	out, next, lost := g.Out(), make([]float64, len(rank)), 0.0
	if o.Weighted && o.Weights == nil && out.Weights == nil && out.NumEdges() > 0 {
		return nil, fmt.Errorf("pagerank: %w: load the graph with weights, or leave Weighted out", graph.ErrNoWeights)
	}
	weight := func(e uint64) float64 {
		switch {
		case o.Weights != nil:
			return o.Weights[e]
		case o.Weighted:
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
				return nil, fmt.Errorf("bad weights: %w: edge %d has %v", graph.ErrWeights, e, w)
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
		next[v] = (1-o.Damping+o.Damping*lost)*o.Jumps[v] + o.Damping*next[v]
	}
	return next, nil
}

// Distance is the L1 norm of the difference.
func Distance(a, b []float64) (sum float64) {
	for v := range a {
		sum += math.Abs(a[v] - b[v])
	}
	return sum
}
