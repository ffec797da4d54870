// This file holds the choice of direction.

package dobfs

import (
	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/frontier"
)

// switcher chooses the direction of each level.
type switcher struct {
	s           *bfs.Space
	n           int
	alpha, beta float64
	candidates  int     // vertices that a pull can find
	mean        float64 // degree of those
	most        float64 // the largest degree
	unvisited   float64 // edges out of vertices that weren't in a frontier yet
	entry       float64 // what going over to pulls costs once, in edges
	pulling     bool
}

func newSwitch(s *bfs.Space, o Options) switcher {
	p := s.Placed
	edges := float64(p.Graph().NumDirectedEdges())
	sw := switcher{
		s: s, n: p.NumVertices(), alpha: o.Tuning.Alpha, beta: o.Tuning.Beta,
		candidates: p.Prepare().Candidates, unvisited: edges,
	}
	if sw.alpha == 0 {
		sw.alpha = DefaultAlpha
	}
	if sw.beta == 0 {
		sw.beta = DefaultBeta
	}
	sw.most = float64(p.Prepare().MaxDegree)
	if s.ClaimsByArray() {
		sw.entry = float64(sw.n) / 2 // the visited bitmap has to be made
	}
	sw.mean = edges / float64(max(sw.candidates, 1))
	return sw
}

// pull says whether the frontier is to be pulled; reached is the number of
// vertices visited so far.
func (sw *switcher) pull(f *frontier.Frontier, reached int) bool {
	size := float64(f.Len())
	left := float64(max(sw.candidates-reached, 0))
	// What a pull costs at least, in edges of a push.
	floor := left/probesPerEdge + float64(sw.n)/wordsPerEdge
	if sw.pulling {
		if size >= float64(sw.n)/sw.beta || size*sw.mean >= floor {
			return true
		}
		sw.pulling = false
		sw.unvisited = left * sw.mean
		return false
	}
	need := max(sw.unvisited/sw.alpha, floor+sw.entry)
	// A frontier without a chance isn't counted.
	if size*sw.most < need {
		return false
	}
	if sw.s.OutEdges(f, sampleVertices) > need {
		sw.pulling, sw.entry = true, 0
	}
	return sw.pulling
}

// pushed says how many edges a push looked at.
func (sw *switcher) pushed(edges uint64) { sw.unvisited -= float64(edges) }
