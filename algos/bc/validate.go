// This file holds the check of a result.

package bc

import (
	"math"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
)

// Validate checks a result: no score is negative, that of an only source is not a number, a vertex
// that no path can lead through has 0, and a weighted sum of all scores, with weights at random, is what it is by
// another way. That way goes forwards only: it takes from every source, to every vertex, the mean
// weight of the vertices between on the shortest paths. It takes as long as a search on one
// goroutine. The error is graph.ErrInvalid, or that of the values.
func Validate(g *graph.Graph, r *Result) error {
	if g == nil {
		return graph.ErrNoGraph
	}
	if r == nil {
		return invalid("it is nil")
	}
	scores, err := r.Betweenness.Slice()
	if err != nil {
		return err
	}
	if len(scores) != g.NumVertices() {
		return invalid("%d scores for %d vertices", len(scores), g.NumVertices())
	}
	if !(r.Scale > 0) || math.IsInf(r.Scale, 0) {
		return invalid("the scale is %v; want a positive number", r.Scale)
	}
	for _, v := range r.Sources {
		if int64(v) >= int64(len(scores)) {
			return invalid("source %d of %d vertices", v, len(scores))
		}
	}
	factors := make([]float64, len(scores)) // of a vertex, beside the scale
	for v := range factors {
		factors[v] = 1
	}
	for _, f := range (&works{}).factors(len(scores), r.Sources) {
		for _, v := range f.vertices {
			factors[v] = f.by
		}
	}
	for v, s := range scores {
		switch {
		case math.IsNaN(factors[v]):
			if !math.IsNaN(s) {
				return invalid("vertex %s has the score %v, but is the only source", g.IDs().Format(uint32(v)), s)
			}
		case !(s >= 0) || math.IsInf(s, 0):
			return invalid("vertex %s has the score %v", g.IDs().Format(uint32(v)), s)
		case s > 0 && (g.Degree(uint32(v)) == 0 || g.HasReverse() && g.InDegree(uint32(v)) == 0):
			return invalid("vertex %s has the score %v, but no path leads through it", g.IDs().Format(uint32(v)), s)
		}
	}
	for seed := range uint64(2) {
		weights := make([]float64, len(scores))
		got := 0.0
		for v, s := range scores {
			if w := weight(uint32(v), seed); !math.IsNaN(s) {
				weights[v] = w * factors[v]
				got += w * s
			}
		}
		want := forwards(g, r.Sources, weights) * r.Scale
		if math.Abs(got-want) > 1e-8*max(got, want) {
			return invalid("the sum of all scores with weights is %v, by the paths it is %v", got, want)
		}
	}
	return nil
}

// weight is a number of a vertex' own, from 1 to below 2.
func weight(v uint32, seed uint64) float64 {
	x := (uint64(v) + 1 + seed<<32) * 0x9e3779b97f4a7c15
	x = (x ^ x>>29) * 0xbf58476d1ce4e5b9
	return 1 + float64(x>>11)/(1<<53)
}

// forwards sums weights over the paths of all sources.
func forwards(g *graph.Graph, sources []uint32, weights []float64) (sum float64) {
	oracle.EachSource(g, sources, func(source uint32) {
		x, mean := oracle.Paths(g, source), make([]float64, g.NumVertices())
		for _, v := range x.Order {
			here := mean[v] // of a path to v, with v
			if v != source {
				sum += mean[v]
				here += weights[v]
			}
			for _, w := range g.Out().Neighbors(v) {
				if x.Depth[w] == x.Depth[v]+1 {
					mean[w] += x.Count[v].Over(x.Count[w]) * here
				}
			}
		}
	})
	return sum
}
