// This file holds degrees.

package oracle

import "github.com/foray-graph/foray/graph"

// Degrees counts the out-edges and in-edges of every vertex and adds up their weights (0 without), edge by edge: the
// definition. Both ends of an undirected edge have it once, so that a self-loop counts twice. It doesn't need the reverse.
func Degrees(g *graph.Graph) (out, in []uint64, outWeight, inWeight []float64) {
	n, rows := g.NumVertices(), g.Out()
	out, in = make([]uint64, n), make([]uint64, n)
	outWeight, inWeight = make([]float64, n), make([]float64, n)
	for v := range uint32(n) {
		for e := rows.Offsets[v]; e < rows.Offsets[v+1]; e++ {
			u, w := rows.Targets[e], 0.0
			if rows.Weights != nil {
				w = rows.FloatWeight(e)
			}
			out[v]++
			outWeight[v] += w
			if g.Directed() || u == v {
				in[u]++
				inWeight[u] += w
			}
		}
	}
	return out, in, outWeight, inWeight
}
