// This file holds the choice of direction.

package dobfs

import "github.com/foray-graph/foray/algos/bfs"

// pulls reports whether the next level is pulled. Unpushed of the turn are edges out of vertices that
// weren't in a frontier yet.
func pulls(t *bfs.Turn) bool {
	size := float64(t.Frontier)
	left := float64(max(t.Candidates-t.Reached, 0))
	mean := float64(t.Edges) / float64(max(t.Candidates, 1))
	// What a pull costs at least, in edges of a push.
	floor := left/probesPerEdge + float64(t.Vertices)/wordsPerEdge
	if t.Pulling {
		if size >= float64(t.Vertices)/t.Beta || size*mean >= floor {
			return true
		}
		t.Unpushed = left * mean
		return false
	}
	entry := 0.0 // what going over to pulls costs once, in edges
	if t.Builds {
		entry = float64(t.Vertices) / 2
	}
	need := max(t.Unpushed/t.Alpha, floor+entry)
	// A frontier without a chance isn't counted.
	return size*float64(t.MaxDegree) >= need && t.OutEdges(sampleVertices) > need
}
