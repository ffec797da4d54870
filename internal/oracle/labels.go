// This file holds the propagation of labels.

package oracle

import "github.com/foray-graph/foray/graph"

// Labels propagates labels on one goroutine, by a map of counts for each vertex: the definition. It
// returns the label of every vertex, a vertex, after a number of rounds. It doesn't need the reverse.
func Labels(g *graph.Graph, rounds int) []uint32 {
	n, ids := g.NumVertices(), g.IDs()
	label := make([]uint32, n)
	for v := range label {
		label[v] = uint32(v)
	}
	for range rounds {
		counts := make([]map[uint32]int, n)
		for v := range counts {
			counts[v] = map[uint32]int{}
		}
		for v := range uint32(n) {
			for _, u := range g.Out().Neighbors(v) {
				counts[v][label[u]]++
				if g.Directed() {
					counts[u][label[v]]++
				}
			}
		}
		for v, met := range counts {
			most := 0
			for x, times := range met { // the first has more than none, so old labels aren't asked
				if times > most || times == most && ids.Rank(x) < ids.Rank(label[v]) {
					label[v], most = x, times
				}
			}
		}
	}
	return label
}
