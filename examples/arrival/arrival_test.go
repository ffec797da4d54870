package arrival

import (
	"math"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/foraytest"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/traverse"
)

const start = 20

func TestTimes(t *testing.T) {
	foraytest.Compare(t, func(x *traverse.Traversal, source uint32) *device.Buffer[int64] { return Times(x, source, start) }, naive)
}

// naive lowers arrivals until nothing changes.
func naive(g *graph.Graph, source uint32) []int64 {
	out, arrival := g.Out(), make([]int64, g.NumVertices())
	for v := range arrival {
		arrival[v] = math.MaxInt64
	}
	arrival[source] = start
	time, _ := g.EdgeColumn("time")
	duration, _ := g.EdgeColumn("duration")
	departs, takes := time.Values.([]int64), duration.Values.([]int64)
	for changed := true; changed; {
		changed = false
		for v := range arrival {
			for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
				if at := departs[e] + takes[e]; arrival[v] <= departs[e] && at < arrival[out.Targets[e]] {
					arrival[out.Targets[e]], changed = at, true
				}
			}
		}
	}
	return arrival
}
