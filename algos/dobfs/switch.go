// This file holds the choice of direction.

package dobfs

import "github.com/foray-graph/foray/algos/bfs"

// switcher chooses the direction of each level.
type switcher struct {
	n           int
	alpha, beta float64
	candidates  int     // vertices that a pull can find
	mean        float64 // degree of those
	most        float64 // the largest degree
	unvisited   float64 // edges out of vertices that weren't in a frontier yet
	entry       float64 // what going over to pulls costs once, in edges
	pulling     bool
}

func newSwitch(l *bfs.Loop) switcher {
	p, t := l.Placed(), l.Tuning()
	edges := float64(p.Graph().NumDirectedEdges())
	sw := switcher{
		n: p.NumVertices(), alpha: t.Alpha, beta: t.Beta,
		candidates: p.State().Prepare().Candidates, unvisited: edges,
	}
	if sw.alpha == 0 {
		sw.alpha = DefaultAlpha
	}
	if sw.beta == 0 {
		sw.beta = DefaultBeta
	}
	sw.most = float64(p.State().Prepare().MaxDegree)
	if l.ClaimsByArray() {
		sw.entry = float64(sw.n) / 2 // the visited bitmap has to be made
	}
	sw.mean = edges / float64(max(sw.candidates, 1))
	return sw
}

// pull reports whether the next level is pulled.
func (sw *switcher) pull(l *bfs.Loop) bool {
	size := float64(l.Frontier().Len())
	left := float64(max(sw.candidates-l.Reached(), 0))
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
	if l.OutEdges(sampleVertices) > need {
		sw.pulling, sw.entry = true, 0
	}
	return sw.pulling
}

// pushed subtracts the edges that a push looked at.
func (sw *switcher) pushed(edges uint64) { sw.unvisited -= float64(edges) }
