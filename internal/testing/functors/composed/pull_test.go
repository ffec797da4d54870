package composed_test

import (
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/foraytest"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/traverse"
)

// TestCross compares pulls that reject heavy edges with a naive loop, on the host and the
// emulated GPU.
func TestCross(t *testing.T) {
	testlong.Only(t)
	const most = 3
	foraytest.Compare(t, func(x *traverse.Traversal, source uint32) *device.Buffer[int32] {
		depth, by, tries := traverse.Array[int32](x, -1), traverse.Array[uint64](x, 0), traverse.Array[uint32](x, 0)
		traverse.Set(x, depth, source, 0)
		x.Repeat(x.From(source), advance.Pull(composed.NewCross(depth, by, tries, most), x.Bits(source)))
		return depth
	}, func(g *graph.Graph, source uint32) []int32 {
		out, depth := g.Out(), make([]int32, g.NumVertices())
		for v := range depth {
			depth[v] = -1
		}
		depth[source] = 0
		for cur := []uint32{source}; len(cur) > 0; cur = cur[1:] {
			for e := out.Offsets[cur[0]]; e < out.Offsets[cur[0]+1]; e++ {
				if v := out.Targets[e]; out.Weights[e] <= most && depth[v] < 0 {
					depth[v] = depth[cur[0]] + 1
					cur = append(cur, v)
				}
			}
		}
		return depth
	})
}
