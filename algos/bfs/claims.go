// This file holds the choice of the marks of visited vertices on the host.

package bfs

import "github.com/foray-graph/foray/graph"

// claims is the kind of marks of visited vertices.
type claims uint8

const (
	byBitmap claims = iota
	byArray         // the result's own array of parents, or of depths
)

// chooseClaims chooses for a search whose result has an array. On a graph of low
// degree the array is the only one that a push touches. On one of uniform degrees a
// few pushes come before the pulls and find nearly all they look at: workers that
// share the bitmap then take its lines from one another, 512 vertices each, while
// the array's hold 16.
func chooseClaims(p *graph.Placed, workers int, o workspaceOptions) claims {
	if p.State().Ell4() != nil || o.Pulls && workers > 1 && evenDegrees(p) {
		return byArray
	}
	return byBitmap
}

func evenDegrees(p *graph.Placed) bool {
	n := uint64(p.NumVertices())
	return n >= evenVertices && p.State().MaxDegree()*n <= evenDegree*p.Graph().NumDirectedEdges()
}
