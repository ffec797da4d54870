package closeness

import "github.com/foray-graph/foray/graph"

// Oracle returns plain searches from the vertices of a graph, which is turned round once.
func Oracle(g *graph.Graph) func(v uint32) (closeness, harmonic float64, eccentricity int32) {
	return newOracle(g).of
}

// Plain is Oracle for one vertex.
func Plain(g *graph.Graph, v uint32) (closeness, harmonic float64, eccentricity int32) {
	return newOracle(g).of(v)
}
