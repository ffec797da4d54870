// This file holds the check of a result.

package bc

import (
	"math"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
)

// Validate checks a result: no score is negative, that of an only source is not a number, a vertex
// that no path can lead through has 0, and a sum of all scores, multiplied by numbers at random, is what it is by
// another way. That way goes forwards only: it takes from every source, to every vertex, the mean
// number of the vertices between on the shortest paths; of edges likewise. It takes as long as a search on one
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
	var edges []float64
	if r.Edges != nil {
		if edges, err = r.Edges.Slice(); err != nil {
			return err
		}
		if err := checkEdges(g, r, edges); err != nil {
			return err
		}
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
	for _, f := range (&outcome{}).factors(len(scores), r.Sources) {
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
		numbers, got, gotEdges := make([]float64, len(scores)), 0.0, 0.0
		for v, s := range scores {
			if x := number(uint64(v), seed); !math.IsNaN(s) {
				numbers[v] = x * factors[v]
				got += x * s
			}
		}
		for v := range uint32(len(scores)) {
			for e := g.Out().Offsets[v]; edges != nil && e < g.Out().Offsets[v+1]; e++ {
				gotEdges += edgeNumber(g, v, g.Out().Targets[e], seed) * edges[e]
			}
		}
		want, wantEdges := forwards(g, r, numbers, seed)
		if want *= r.Scale; math.Abs(got-want) > 1e-8*max(got, want) {
			return invalid("the sum of all scores times random numbers is %v, by the paths it is %v", got, want)
		}
		if wantEdges *= r.EdgeScale; math.Abs(gotEdges-wantEdges) > 1e-8*max(gotEdges, wantEdges) {
			return invalid("the sum of all scores of edges times random numbers is %v, by the paths it is %v", gotEdges, wantEdges)
		}
	}
	return nil
}

// checkEdges checks the scores of edges one by one.
func checkEdges(g *graph.Graph, r *Result, edges []float64) error {
	if err := g.Fetch(); err != nil {
		return err
	}
	c := g.Out()
	if uint64(len(edges)) != g.NumDirectedEdges() {
		return invalid("%d scores for %d directed edges", len(edges), g.NumDirectedEdges())
	}
	if !(r.EdgeScale > 0) || math.IsInf(r.EdgeScale, 0) {
		return invalid("the scale of edges is %v; want a positive number", r.EdgeScale)
	}
	for v := range uint32(g.NumVertices()) {
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			w := c.Targets[e]
			if none := v == w || !g.Directed() && v < w; !(edges[e] >= 0) || math.IsInf(edges[e], 0) || none && edges[e] != 0 {
				return invalid("the edge from %s to %s has the score %v", g.IDs().Format(v), g.IDs().Format(w), edges[e])
			}
		}
	}
	return nil
}

// number is a number of a vertex' or an edge's own, from 1 to below 2.
func number(i, seed uint64) float64 {
	x := (i + 1 + seed<<32) * 0x9e3779b97f4a7c15
	x = (x ^ x>>29) * 0xbf58476d1ce4e5b9
	return 1 + float64(x>>11)/(1<<53)
}

// forwards sums numbers of vertices, and of edges if they have scores, over the paths of all sources.
func forwards(g *graph.Graph, r *Result, numbers []float64, seed uint64) (sum, sumEdges float64) {
	search := oracle.Paths
	if r.Weighted {
		search = oracle.PathsByWeight
	}
	oracle.EachSource(g, r.Sources, func(source uint32) {
		x, mean, along := search(g, source), make([]float64, g.NumVertices()), make([]float64, g.NumVertices())
		for _, v := range x.Order {
			here := mean[v] // of a path to v, with v
			if v != source {
				sum += mean[v]
				here += numbers[v]
			}
			sumEdges += along[v]
			x.Each(g, v, func(_ uint64, w uint32) {
				share := x.Count[v].Over(x.Count[w])
				if mean[w] += share * here; r.Edges != nil {
					along[w] += share * (along[v] + edgeNumber(g, v, w, seed))
				}
			})
		}
	})
	return sum, sumEdges
}

// edgeNumber is number for edges. Those of an undirected graph have one in both directions.
func edgeNumber(g *graph.Graph, v, w uint32, seed uint64) float64 {
	if !g.Directed() {
		v, w = max(v, w), min(v, w)
	}
	return number(uint64(v)*0xd1342543de82ef95+uint64(w), seed+2)
}
