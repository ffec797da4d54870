package widest

import (
	"math"
	"testing"

	"github.com/foray-graph/foray/foraytest"
	"github.com/foray-graph/foray/graph"
)

func TestPaths(t *testing.T) {
	foraytest.Compare(t, Paths, naive)
}

// naive widens paths until nothing changes.
func naive(g *graph.Graph, source uint32) []float32 {
	out, width := g.Out(), make([]float32, g.NumVertices())
	width[source] = float32(math.Inf(1))
	for changed := true; changed; {
		changed = false
		for v := range width {
			for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
				if w := min(width[v], out.Weights[e]); w > width[out.Targets[e]] {
					width[out.Targets[e]], changed = w, true
				}
			}
		}
	}
	return width
}
