package closeness

import "github.com/foray-graph/foray/graph"

// Oracle is Sequential for many vertices of a graph, which is turned round once.
func Oracle(g *graph.Graph) func(v uint32) (closeness, harmonic float64, eccentricity int32) {
	return newOracle(g).of
}
