// This file holds the choice of what marks the vertices visited on the host.

package search

import "github.com/foray-graph/foray/graph"

// claims says what marks the vertices visited.
type claims uint8

const (
	byBitmap claims = iota
	byArray         // the result's own array of parents, or of depths
)

// ClaimsByArray reports whether pushes mark vertices in the result's array and not
// in the bitmap, which has to be made then before the first pull. On a graph of low
// degree the array is the only one that a push touches. On one of even degrees a
// few pushes come before the pulls and find nearly all they look at: workers that
// share the bitmap then take its lines from one another, 512 vertices each, while
// the array's hold 16.
func (s *Space) ClaimsByArray() bool { return s.claims == byArray }

// chooseClaims does so for a search whose result has an array.
func chooseClaims(p *graph.Placed, workers int, o SpaceOptions) claims {
	if p.Fours() != nil || o.Pulls && workers > 1 && evenDegrees(p) {
		return byArray
	}
	return byBitmap
}

// A graph counts as one of even degrees if no vertex has more than evenDegree times
// the mean, and as worth it from evenVertices on, below which nothing was measured. With 16 workers the largest push of
// urand22 (mean 32, most 65) took 1.9 ms by the array and 4.0 by the bitmap, making
// the bitmap and clearing the array 0.6; with 4 workers 7.5 and 13.4. kron22 lost
// 1 of 4 ms, since 119 hubs led to the same vertices again and again.
const (
	evenDegree   = 4
	evenVertices = 1 << 12
)

func evenDegrees(p *graph.Placed) bool {
	n := uint64(p.NumVertices())
	return n >= evenVertices && p.MaxDegree()*n <= evenDegree*p.Graph().Out().NumEdges()
}
