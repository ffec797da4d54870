package oracle

import "github.com/foray-graph/foray/graph"

// Levels returns the topological level of each vertex, and the length of the heaviest path to it, 0 without weights. It
// raises both along edges until no edge raises one. They are nil if the graph has a cycle.
func Levels(g *graph.Graph) (level []uint32, length []float64) {
	n, c := g.NumVertices(), g.Out()
	level, length = make([]uint32, n), make([]float64, n)
	for range n + 1 {
		changed := false
		for v := range n {
			for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
				w, weight := c.Targets[e], 0.0
				if c.Weights != nil {
					weight = c.FloatWeight(e)
				}
				if level[v]+1 > level[w] || length[v]+weight > length[w] {
					level[w], length[w], changed = max(level[w], level[v]+1), max(length[w], length[v]+weight), true
				}
			}
		}
		if !changed {
			return level, length
		}
	}
	return nil, nil
}
