package walks

import (
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/foraytest"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/random"
	"github.com/foray-graph/foray/traverse"
)

const length = 20

func TestVisits(t *testing.T) {
	run := func(t *traverse.Traversal, seed uint32) *device.Buffer[uint32] {
		return Visits(t, uint64(seed), length)
	}
	foraytest.Compare(t, run, naive)
}

// naive walks from each vertex, and looks at the edges one after the other.
func naive(g *graph.Graph, seed uint32) []uint32 {
	out, visits := g.Out(), make([]uint32, g.NumVertices())
	for v := range visits {
		at := uint32(v)
		for step := range uint64(length) {
			next, ok := choose(out, at, random.Float64(uint64(seed), uint64(v), step))
			if !ok {
				break
			}
			at = next
			visits[at]++
		}
	}
	return visits
}

// choose returns the target of the edge at which the sum of the weights passes x times the sum of all.
func choose(out *graph.CSR, v uint32, x float64) (target uint32, ok bool) {
	all, sum := 0.0, 0.0
	for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
		all += out.FloatWeight(e)
	}
	for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
		if sum += out.FloatWeight(e); sum > x*all {
			return out.Targets[e], true
		}
	}
	return 0, false
}
