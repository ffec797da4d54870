// This file holds the choice of direction.

package dobfs

import (
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
)

// sampleVertices is how many vertices of a frontier the number of its edges is
// estimated from; a smaller frontier is counted. 1,000 of a skewed frontier
// give its edges to within a few tens of per cent, and the switch is flat
// within a factor of two (see bench/NOTES.md).
const sampleVertices = 1 << 10

// switcher chooses the direction of each level.
type switcher struct {
	out         *graph.CSR
	n           int
	alpha, beta float64
	candidates  int     // vertices that a pull can find
	mean        float64 // degree of those
	unvisited   float64 // edges out of vertices that weren't in a frontier yet
	pulling     bool
}

func newSwitch(p *graph.Placed, o Options) switcher {
	out := p.Graph().Out()
	sw := switcher{
		out: out, n: out.NumVertices(), alpha: o.Alpha, beta: o.Beta,
		candidates: p.Prepare().Candidates, unvisited: float64(out.NumEdges()),
	}
	if sw.alpha == 0 {
		sw.alpha = DefaultAlpha
	}
	if sw.beta == 0 {
		sw.beta = DefaultBeta
	}
	sw.mean = float64(out.NumEdges()) / float64(max(sw.candidates, 1))
	return sw
}

// pull says whether the frontier is to be pulled; reached is the number of
// vertices visited so far.
func (sw *switcher) pull(f *frontier.Frontier, reached int) bool {
	size := float64(f.Len())
	if sw.pulling {
		left := float64(max(sw.candidates-reached, 0))
		sw.pulling = size >= float64(sw.n)/sw.beta || size*sw.mean >= left
		if !sw.pulling {
			sw.unvisited = left * sw.mean
		}
		return sw.pulling
	}
	// A frontier without a chance isn't counted.
	if size < 64 && size*sw.mean*64 < sw.unvisited/sw.alpha {
		return false
	}
	sw.pulling = sw.edges(f.Queue()) > sw.unvisited/sw.alpha
	return sw.pulling
}

// pushed says how many edges a push looked at.
func (sw *switcher) pushed(edges uint64) { sw.unvisited -= float64(edges) }

// edges estimates the edges out of a frontier.
func (sw *switcher) edges(vs []uint32) float64 {
	offsets, sum := sw.out.Offsets, uint64(0)
	step := max(len(vs)/sampleVertices, 1)
	count := 0
	for i := 0; i < len(vs); i += step {
		sum += offsets[vs[i]+1] - offsets[vs[i]]
		count++
	}
	return float64(sum) * float64(len(vs)) / float64(max(count, 1))
}
