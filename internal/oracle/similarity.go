package oracle

import (
	"math"
	"slices"

	"github.com/foray-graph/foray/graph"
)

// Similarity computes how similar the neighborhoods of two vertices are, from the sets of their neighbors.
type Similarity struct {
	g    *graph.Graph
	near [][]uint32
}

// NewSimilarity returns the similarity of a graph's vertices.
func NewSimilarity(g *graph.Graph) *Similarity { return &Similarity{g, Neighbors(g)} }

// Of returns the similarity by a measure: jaccard, overlap, cosine, adamic-adar or weighted, the cosine of weights.
func (s *Similarity) Of(measure string, u, v uint32) float64 {
	common, adamic := 0.0, 0.0
	for _, w := range s.near[u] {
		if _, ok := slices.BinarySearch(s.near[v], w); !ok {
			continue
		}
		common++
		if d := len(s.near[w]); d > 1 {
			adamic += 1 / math.Log(float64(d))
		}
	}
	a, b := float64(len(s.near[u])), float64(len(s.near[v]))
	switch {
	case common == 0:
		return 0
	case measure == "jaccard":
		return common / (a + b - common)
	case measure == "overlap":
		return common / min(a, b)
	case measure == "cosine":
		return common / math.Sqrt(a*b)
	case measure == "adamic-adar":
		return adamic
	}
	x, y := s.weights(u), s.weights(v)
	dot := 0.0
	for w, weight := range x {
		dot += weight * y[w]
	}
	if dot == 0 {
		return 0
	}
	return dot / (length(x) * length(y))
}

// weights returns the weights of a vertex' edges, by neighbor.
func (s *Similarity) weights(u uint32) map[uint32]float64 {
	c, x := s.g.Out(), map[uint32]float64{}
	for e := c.Offsets[u]; e < c.Offsets[u+1]; e++ {
		x[c.Targets[e]] = c.FloatWeight(e)
	}
	return x
}

func length(x map[uint32]float64) float64 {
	sum := 0.0
	for _, weight := range x {
		sum += weight * weight
	}
	return math.Sqrt(sum)
}
